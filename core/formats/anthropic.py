"""Anthropic: messages of blocks, alone or in a request with system and tools; or an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message
from ..errors import Refused, wrong_type
from ..requests.bodies import MESSAGES, PROMPT
from .base import Loaded, Sureness, Written
from .blocks import NOTES, left_out_of, read_blocks, read_turn, write_content
from .detection import ANTHROPIC, ANTHROPIC_ANSWER, recognise
from .each import OneEach
from .fields import core_role, is_object
from .notes import merged, without
from .request_codecs import Body, GivenForm, RequestCodec, Split, number, prompt_of, rows_of
from .stream_assembly import Assembler, Event, add_text, place_of, read_value, text_of
from .tools import META_KEY, ToolShape, left_out
from .warnings import WarningCollector, as_role, beside_messages, kept_keys, without_values

TOOLS = ToolShape("anthropic", parameters="input_schema")
ALONE = "alone"
"""The note that there was one message without a list around it, as an answer is."""
BARE = "bare"
"""The note that there was a list of messages without a request around it."""
ANSWER = "message"
NO_SCHEMA = {"type": "object", "properties": {}}
LIFTED = "system-moved-first"
Row = dict[str, Any]


class Anthropic(OneEach):
    """What a request holds, a list of messages, or the answer to a request.

    ``system`` becomes the first message, keys beside it are other fields.
    """

    name = "anthropic"
    about = "an Anthropic request, its messages, or an answer"
    suffixes = (".anthropic.json", ".anthropic.jsonl")
    kinds = (ANTHROPIC, ANTHROPIC_ANSWER)
    takes_lists = True
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether it is a request, messages of which one is the user's, or an answer."""
        if recognise(value) not in self.kinds:
            return Sureness.NO
        if isinstance(value, list):
            asked = [row for row in value if is_object(row) and "messages" not in row]
            is_talk = any(row.get("role") == "user" or "type" not in row for row in asked)
            return Sureness.LOOKS_LIKE if is_talk else Sureness.NO
        if is_object(value) and "messages" in value:
            return Sureness.LOOKS_LIKE
        # Less sure than of a list that it is in: a log of messages has answers among them.
        return Sureness.COULD_BE if is_answer(value) else Sureness.NO

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the system prompt and the messages."""
        meta: Row = {}
        prompt: list[Row] = []
        warnings = WarningCollector()
        rows = value
        if is_object(value) and "messages" not in value and "role" in value:
            rows, meta = [value], {self.name: {"messages": ALONE}}
        elif isinstance(value, list):
            meta = {self.name: {"messages": BARE}}
        elif is_object(value):
            rows, beside = value.get("messages"), without(value, "messages")
            prompt = read_prompt(beside, warnings)
            if isinstance(beside.get("tools"), list):
                meta[META_KEY] = TOOLS.read(beside.pop("tools"))
            meta |= NOTES.beside({}, beside)
        if not isinstance(rows, list):
            raise wrong_type("messages", rows, "a list of messages")
        messages = [*map(Message.from_dict, prompt), *_read_all(rows, len(prompt), warnings)]
        return Loaded(Conversation(messages, meta=meta), self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages, in an object unless they came without."""
        warnings = WarningCollector()
        visible = list(zip(conversation.view, conversation.visible, strict=True))
        prompt = [one for one in visible if _is_prompt(one[1])]
        rows = write_messages([one for one in visible if not _is_prompt(one[1])], warnings)
        if prompt and [one[0] for one in prompt] != [one[0] for one in visible[: len(prompt)]]:
            warnings.add(LIFTED)
        meta = conversation.meta
        tools, lost = TOOLS.write(meta.get(META_KEY))
        notes = NOTES.of(meta)
        data: Any = rows
        if notes.get("messages") == ALONE and len(rows) == 1 and not prompt and not tools:
            data = rows[0]
        elif prompt or tools or notes.get("messages") not in (ALONE, BARE):
            data = NOTES.fields_of(meta)
            if prompt:
                data["system"] = write_prompt([one for _, one in prompt])
            if isinstance(meta.get(META_KEY), tuple):
                data["tools"] = [_with_schema(tool) for tool in tools]
            data["messages"] = rows
        for raw, message in visible:
            _tell_left_out(message, raw, warnings)
        held = (*NOTES.held(meta), META_KEY)
        return Written(
            data,
            (*beside_messages(conversation, *held), *left_out(lost), *warnings.found()),
        )


def is_answer(value: object) -> bool:
    """Tell whether a value is what the API answers with."""
    return is_object(value) and value.get("type") == ANSWER and "role" in value


def read_prompt(beside: Row, warnings: WarningCollector) -> list[Row]:
    """Return the message of the system prompt, taken out of a request; an empty one stays there."""
    content: Any = beside.get("system")
    if not isinstance(content, str | list) or not content:
        return []
    if isinstance(content, list):
        content = read_blocks(content, 0, warnings)
    del beside["system"]
    return [{"role": "system", "content": content}]


def write_prompt(messages: Sequence[Message]) -> Any:
    """Return one prompt as it is, and several as the blocks of all."""
    if len(messages) == 1:
        return write_content(messages[0], None)["content"]
    contents = [write_content(message, None)["content"] for message in messages]
    return [
        block
        for content in contents
        for block in ([{"type": "text", "text": content}] if isinstance(content, str) else content)
    ]


def _is_prompt(message: Message) -> bool:
    """Tell whether a message goes to ``system``: one that stood among the others goes there."""
    return message.role == "system" and "role" not in NOTES.of(message.metadata)


def _read_all(rows: Sequence[object], before: int, warnings: WarningCollector) -> list[Message]:
    """Return the messages that can be read; if there is none, refuse the first."""
    messages: list[Message] = []
    first: Refused | None = None
    for i, row in enumerate(rows):
        try:
            messages.append(read_message(row, before + i, messages, warnings))
        except Refused as refusal:
            first = first or refusal.prefixed(f"messages[{i}]")
            warnings.add("message-unreadable", i, without_values(refusal))
    if first is not None and not messages:
        raise first
    return messages


def read_message(
    row: object, place: int, before: Sequence[Message], warnings: WarningCollector
) -> Message:
    """Return a message that stands behind some others."""
    if not is_object(row):
        raise wrong_type("message", row, "an object with a role")
    role, content, form = read_turn(row, place, warnings)
    notes = without(row, "role", "content")
    if notes:
        warnings.add("keys-kept", place, *kept_keys(NOTES.key, notes))
    if role == "tool":
        # Results that stood in two messages must not become one, as those of other formats do.
        if row["role"] != "user" or (before and before[-1].role == "tool"):
            notes["role"] = row["role"]
    elif row["role"] != role or role == "system":
        notes["role"] = row["role"]
    if row["role"] not in ("user", "assistant"):
        warnings.add("role-read-as", place, as_role(row["role"], role))
    if form is not None:
        notes["content"] = form
    return Message.from_dict({"role": role, "content": content, **NOTES.kept(notes)})


def write_messages(
    messages: Iterable[tuple[int, Message]], warnings: WarningCollector
) -> list[Row]:
    """Return messages; results that follow each other are one message, as the API wants them."""
    rows: list[Row] = []
    after_results = False
    for raw, message in messages:
        notes = NOTES.of(message.metadata)
        noted = notes.pop("role", None)
        role = _role(message, noted)
        entry = write_content(message, notes.pop("content", None))
        is_result = message.role == "tool" and bool(message.results)
        if is_result and after_results and noted is None and isinstance(entry.get("content"), list):
            rows[-1]["content"] += entry["content"]
            warnings.add("results-merged", raw)
        else:
            rows.append(merged({"role": role, **entry}, notes))
        after_results = is_result
    return rows


def _role(message: Message, noted: object) -> str:
    """Return the name that a role was read by, as long as it is that of the role."""
    usual = "user" if message.role == "tool" else message.role
    return noted if isinstance(noted, str) and core_role(noted) == message.role else usual


def _with_schema(tool: Any) -> Any:
    """Return a tool that has a schema, without which none of the caller's own is taken."""
    if not is_object(tool) or "type" in tool or "name" not in tool:
        return tool
    return {"input_schema": NO_SCHEMA, **tool}


def _tell_left_out(message: Message, raw: int, warnings: WarningCollector) -> None:
    """Note everything about a message that no message of this format will hold."""
    beside = {
        "id-left-out": message.id is not None,
        "timestamp-left-out": message.timestamp is not None,
        "metadata-left-out": NOTES.has_others(message.metadata),
    }
    for code, true in beside.items():
        if true:
            warnings.add(code, raw)
    left_out_of(message, raw, warnings)


LIST, SYSTEM = "messages", "system"


class MessagesCodec(RequestCodec):
    """What the Messages API takes: the prompt, a text or blocks, stands beside the list."""

    kind = "messages"

    def split(self, body: Body) -> Split:
        """Return the prompt, if there is one, and a message for each row."""
        rows = body.get(LIST)
        if not isinstance(rows, list):
            raise wrong_type(LIST, rows, "a list of messages")
        beside, prompt = without(body, LIST), body.get(SYSTEM)
        given = [GivenForm([row]) for row in rows]
        if isinstance(prompt, str | list) and prompt:
            del beside[SYSTEM]
            given.insert(0, GivenForm([prompt], PROMPT))
        return Split(given, {}, beside)

    def joined(self, given: Sequence[GivenForm], form: Body) -> Row:
        """Return prompt and list."""
        prompt = prompt_of(given)
        return {**({} if prompt is None else {SYSTEM: prompt}), LIST: rows_of(given)}

    def read(self, given: GivenForm) -> Message:
        """Return the message of a row or of the prompt."""
        (row,) = given.rows
        if given.place == PROMPT:
            return Message.from_dict(read_prompt({SYSTEM: row}, WarningCollector())[0])
        return read_message(row, 0, (), WarningCollector())

    def write(self, message: Message, place: str) -> list[Any]:
        """Return the row of a message, or the prompt."""
        if place == MESSAGES:
            return list(write_messages([(0, message)], WarningCollector()))
        return [write_prompt([message])]

    def answer(self, response: Body) -> list[GivenForm]:
        """Return the one message, which is the answer itself."""
        content = response.get("content")
        return [GivenForm([{"role": "assistant", "content": content}])] if content else []

    def described(self, tools: list[Any]) -> list[Row]:
        """Return tools in the shape that all formats share."""
        return TOOLS.read(tools)

    def usage(self, response: Body) -> dict[str, Any]:
        """Return what was counted; here what was cached is no part of what is called input."""
        parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        new, cached, written = (number(response, "usage", part) for part in parts)
        return {
            "input": None if new is None else new + (cached or 0) + (written or 0),
            "cached": cached,
            "written": written,
            "output": number(response, "usage", "output_tokens"),
        }


JOINED = {"text_delta": "text", "thinking_delta": "thinking"}
REPLACED = {"signature_delta": "signature", "compaction_delta": "content"}
"""Deltas by the key they are about: the first go on, the second are said whole."""
ARGUMENTS = "input_json_delta"


class MessagesStream(Assembler):
    """The message that its events make."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, dict[str, Any]] = {}
        self._arguments: dict[int, list[str]] = {}
        self._newest = 0

    def take(self, event: Event) -> None:
        """Take in an event, by its type."""
        match event.data or {}:
            case {"type": "message_start", "message": dict(message)}:
                self.answer.update(message)
            case {"type": "content_block_start", "content_block": dict(block)} as told:
                self._blocks[self._place(told)] = block
            case {"type": "content_block_delta", "delta": dict(delta)} as told:
                self._grow(self._place(told), delta)
            case {"type": "content_block_stop"} as told:
                self._stop(self._place(told))
            case {"type": "message_delta"} as told:
                self._tell(told)
            case {"type": "message_stop"}:
                self.is_over = True
            case {"type": "error", "error": error}:
                self.fail(error)

    def end(self) -> None:
        """Put the blocks in order; arguments that were cut off stay the text they are."""
        for place in list(self._arguments):
            self._stop(place)
        if self.answer or self._blocks:
            self.answer["content"] = [self._blocks[place] for place in sorted(self._blocks)]

    def _place(self, told: dict[str, Any]) -> int:
        """Return the block that an event is about: if it does not say, the last one."""
        place = place_of(told)
        place = self._newest if place is None else place
        self._newest = max(self._newest, place)
        return place

    def _grow(self, place: int, delta: dict[str, Any]) -> None:
        block = self._blocks.setdefault(place, {"type": "text", "text": ""})
        kind = text_of(delta.get("type"))
        if kind == ARGUMENTS:
            self._arguments.setdefault(place, []).append(text_of(delta.get("partial_json")))
        elif kind in JOINED:
            key = JOINED[kind]
            add_text(block, key, text_of(delta.get(key)))
        elif kind in REPLACED:
            block.update({key: value for key, value in delta.items() if key != "type"})
        elif kind == "citations_delta":
            known = block.get("citations")
            if not isinstance(known, list):
                known = block["citations"] = []
            known.append(delta.get("citation"))

    def _stop(self, place: int) -> None:
        """Read the arguments of a call, which came as pieces of JSON; none at all are none."""
        text = "".join(self._arguments.pop(place, ()))
        if not text:
            return
        try:
            self._blocks[place]["input"] = read_value(text.encode("utf-8", "surrogatepass"))
        except Refused:
            self._blocks[place]["input"] = text

    def _tell(self, told: dict[str, Any]) -> None:
        """Take in how it ended, and what it cost so far, which is counted from the start."""
        delta, usage = told.get("delta"), told.get("usage")
        if isinstance(delta, dict):
            self.answer.update(delta)
        if isinstance(usage, dict):
            known = self.answer.get("usage")
            said = {key: value for key, value in usage.items() if value is not None}
            self.answer["usage"] = {**(known if isinstance(known, dict) else {}), **said}
        rest = ("type", "delta", "usage")
        self.answer.update({key: value for key, value in told.items() if key not in rest})
