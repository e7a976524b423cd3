"""Anthropic: messages of blocks, requests with system and tools, answers and their streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from ..conversation.conversation import Conversation
from ..engine.messages import (
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..errors import Refused, wrong_type
from ..requests.bodies import MESSAGES, PROMPT
from ..values.models import Role
from .base import Confidence, JsonFormat, Loaded, Written, read_rows
from .detection import (
    ANTHROPIC,
    ANTHROPIC_ANSWER,
    ANTHROPIC_CALLS,
    ANTHROPIC_RESULTS,
    detect_kind,
)
from .fields import core_role, is_object
from .format_metadata import (
    ABSENT,
    BLANK,
    LIST,
    NULL,
    TEXT,
    ContentBlocks,
    FormatMetadata,
    PartField,
    Shape,
    content_entry,
    form_of,
    inner,
    merged,
    without,
    written_role,
)
from .losses import Holds, conversation_losses
from .request_codecs import Body, GivenForm, RequestCodec, Row
from .stream_assembly import Assembler, Event, add_text, place_of, read_value, text_of
from .tools import META_KEY, ToolShape
from .warnings import WarningCollector, as_role, kept_keys

NOTES = FormatMetadata("anthropic")
TOOLS = ToolShape("anthropic", parameters="input_schema")
ALONE = "alone"
"""The note that there was one message without a list around it, as an answer is."""
BARE = "bare"
"""The note that there was a list of messages without a request around it."""
ANSWER = "message"
OWN_TYPES = (
    *("redacted_thinking", "document", "search_result", "container_upload", "tool_reference"),
    *("compaction", *ANTHROPIC_CALLS[1:], *ANTHROPIC_RESULTS[1:]),
)
"""Blocks that core has no part for; they are held as data."""
BASE64 = ";base64,"
IMAGE_BLOCK = Shape(ImagePart, {"type": "image", "source": PartField("url", "given")})
SHAPES = {
    "text": Shape(TextPart, {"type": "text", "text": PartField("text")}),
    "thinking": Shape(
        ThinkingPart,
        {
            "type": "thinking",
            "thinking": PartField("text"),
            "signature": PartField("signature", "optional"),
        },
    ),
    "tool_use": Shape(
        ToolUsePart,
        {
            "type": "tool_use",
            "id": PartField("id"),
            "name": PartField("name"),
            "input": PartField("input", "value"),
        },
    ),
}
RESULT = Shape(
    ToolResultPart,
    {
        "type": "tool_result",
        "tool_use_id": PartField("tool_use_id"),
        "content": PartField("content", "given"),
        "is_error": PartField("is_error", "flag"),
    },
)


class _AnthropicBlocks(ContentBlocks):
    def part_of(
        self, block: Mapping[str, Any], place: int, warnings: WarningCollector
    ) -> Part | None:
        found: Part | None
        match block.get("type"):
            case "tool_result":
                found = _read_result(block, place, warnings)
            case "image":
                found = _read_image(block)
            case _:
                found = super().part_of(block, place, warnings)
        return found


BLOCKS = _AnthropicBlocks(NOTES, SHAPES)


def _read_result(block: Mapping[str, Any], place: int, warnings: WarningCollector) -> Any:
    content, form = block.get("content"), {}
    if content is None:
        content, form = "", {"content": NULL if "content" in block else ABSENT}
    elif isinstance(content, list):
        content = tuple(BLOCKS.read(content, place, warnings))
        if not all(isinstance(part, TextPart | ImagePart | DataPart) for part in content):
            return None
    elif not isinstance(content, str):
        return None
    return RESULT.read(NOTES, block, given={"content": content}, **form)


def _read_image(block: Mapping[str, Any]) -> Any:
    """Return a picture that has an address; one that is stored at the provider has none."""
    source: Any = block.get("source")
    match source:
        case {"type": "base64", "media_type": str(kind), "data": str(data)}:
            url = f"data:{kind}{BASE64}{data}"
        case {"type": "url", "url": str(url)}:
            pass
        case _:
            return None
    usual = _source(url)
    if any(source.get(key) != value for key, value in usual.items()):
        return None
    more: Row = {"source": without(source, *usual)} if len(source) > len(usual) else {}
    return IMAGE_BLOCK.read(NOTES, block, given={"url": url}, **more)


def _source(url: str) -> dict[str, str]:
    """Return the source of a picture: what is in the address itself, or the address."""
    if url.startswith("data:"):
        kind, separator, data = url.removeprefix("data:").partition(BASE64)
        if separator:
            return {"type": "base64", "media_type": kind, "data": data}
    return {"type": "url", "url": url}


def holds(part: Part, _role: Role = "user") -> bool:
    """Return whether there is a block for a part."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata) or part.data.get("type") in OWN_TYPES
    return True


LOSSES = Holds(NOTES, holds, error=True, signature=True, foreign_call="")


def write_blocks(parts: Iterable[Part]) -> list[Row]:
    """Return the blocks of all parts that there are blocks for."""
    return [_write_block(part) for part in parts if holds(part)]


def _write_block(part: Part) -> Row:
    notes = NOTES.of(part.metadata)
    match part:
        case ImagePart():
            source = merged(_source(part.url), inner(notes, "source"))
            return IMAGE_BLOCK.write_with({**notes, "source": source}, part)
        case ToolResultPart():
            form = notes.pop("content", None)
            if isinstance(part.content, tuple):
                content: Row = {"content": write_blocks(part.content)}
            else:
                usual = form if form in (ABSENT, NULL) else TEXT
                content = content_entry([], part.content, usual, TEXT)
            return RESULT.write_with({**notes, **content}, part)
    row: Row = BLOCKS.write(part)
    return row


def read_turn(
    row: Mapping[str, Any], place: int, warnings: WarningCollector
) -> tuple[Role, str | list[Part], str | None]:
    """Return the role and the content of a message, and the form of an empty one.

    A user's message of results alone is a tool's, as it is in every other
    format.
    """
    role = row.get("role")
    if "role" not in row:
        raise Refused("the message has no role", field="role", legal="user, assistant")
    if not isinstance(role, str):
        raise wrong_type("role", role, "user or assistant")
    form = form_of(row)
    content = row.get("content")
    if form not in (TEXT, LIST) or not content:
        return core_role(role), list(BLANK), form
    if isinstance(content, str):
        return core_role(role), content, None
    parts = BLOCKS.read(content, place, warnings)
    if role == "user" and all(isinstance(part, ToolResultPart) for part in parts):
        return "tool", parts, None
    return core_role(role), parts, None


def write_content(message: Message, form: object) -> Row:
    """Return the content entry of a message; an empty one in the form it had."""
    if isinstance(message.content, str):
        return {"content": message.content}
    if message.content == BLANK and isinstance(form, str) and form != LIST:
        return content_entry([], "", form, TEXT)
    return {"content": write_blocks(message.content) or ""}


def report_part_losses(message: Message, raw: int, warnings: WarningCollector) -> None:
    """Add a warning for everything about the parts of a message that blocks do not hold."""
    is_mixed = len(message.results) < len(message.parts)
    if message.role == "tool" and is_mixed and "role" not in NOTES.of(message.metadata):
        warnings.add("tool-becomes-user", raw)
    LOSSES.report_parts(message, raw, warnings)


class Anthropic(JsonFormat):
    """What a request holds, a list of messages, or the answer to a request.

    ``system`` becomes the first message, other keys are other fields.
    """

    name = "anthropic"
    about = "an Anthropic request, its messages, or an answer"
    suffixes = (".anthropic.json", ".anthropic.jsonl")
    kinds = (ANTHROPIC, ANTHROPIC_ANSWER)
    own_data = (*OWN_TYPES, *SHAPES, "tool_result", "image")
    takes_lists = True
    lines_of_items = True

    def confidence_of(self, value: object) -> Confidence:
        """Return whether it is a request, messages of which one is the user's, or an answer."""
        if detect_kind(value) not in self.kinds:
            return Confidence.NO
        if isinstance(value, list):
            asked = [row for row in value if is_object(row) and "messages" not in row]
            is_talk = any(row.get("role") == "user" or "type" not in row for row in asked)
            return Confidence.LIKELY if is_talk else Confidence.NO
        if is_object(value) and "messages" in value:
            return Confidence.LIKELY
        # Less sure than of a list that it is in: a log of messages has answers among them.
        return Confidence.POSSIBLE if is_answer(value) else Confidence.NO

    def read_one(self, value: Any) -> Loaded:
        meta: Row = {}
        prompt: list[Message] = []
        warnings = WarningCollector()
        rows = value
        if is_object(value) and "messages" not in value and "role" in value:
            rows, meta = [value], {self.name: {"messages": ALONE}}
        elif isinstance(value, list):
            meta = {self.name: {"messages": BARE}}
        elif is_object(value):
            rows, fields = value.get("messages"), without(value, "messages")
            prompt = read_prompt(fields, warnings)
            meta = {**TOOLS.take(fields), **NOTES.meta({}, fields)}
        if not isinstance(rows, list):
            raise wrong_type("messages", rows, "a list of messages")
        last: list[Message] = []

        def read(row: object, place: int) -> Message:
            last[:] = [read_message(row, len(prompt) + place, last, warnings)]
            return last[0]

        messages = [*prompt, *read_rows(rows, read, warnings)]
        return Loaded(Conversation(messages, meta=meta), self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        warnings = WarningCollector()
        visible = list(zip(conversation.view, conversation.visible, strict=True))
        prompt = [one for one in visible if _is_prompt(one[1])]
        rows = write_messages([one for one in visible if not _is_prompt(one[1])], warnings)
        if prompt and [one[0] for one in prompt] != [one[0] for one in visible[: len(prompt)]]:
            warnings.add("system-moved-first")
        meta = conversation.meta
        entry, lost = TOOLS.write(meta)
        tools = entry.get("tools")
        notes = NOTES.of(meta)
        data: Any = rows
        if notes.get("messages") == ALONE and len(rows) == 1 and not prompt and not tools:
            data = rows[0]
        elif prompt or tools or notes.get("messages") not in (ALONE, BARE):
            data = NOTES.fields_of(meta)
            if prompt:
                data["system"] = write_prompt([one for _, one in prompt])
            if tools is not None:
                data["tools"] = [_with_schema(tool) for tool in tools]
            data["messages"] = rows
        for raw, message in visible:
            LOSSES.report_fields(message, raw, warnings)
            report_part_losses(message, raw, warnings)
        held = (*NOTES.held(meta), META_KEY)
        return Written(
            data,
            (*conversation_losses(conversation, *held), *lost, *warnings.found()),
        )


def is_answer(value: object) -> bool:
    """Return whether a value is what the API answers with."""
    return is_object(value) and value.get("type") == ANSWER and "role" in value


def read_prompt(fields: Row, warnings: WarningCollector) -> list[Message]:
    """Return the message of the system prompt, taken out of a request; an empty one stays there."""
    content: Any = fields.get("system")
    if not isinstance(content, str | list) or not content:
        return []
    del fields["system"]
    if isinstance(content, list):
        content = BLOCKS.read(content, 0, warnings)
    return [NOTES.message("system", content, {})]


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
    """Return whether a message is written as ``system``, and not among the others."""
    return message.role == "system" and "role" not in NOTES.of(message.metadata)


def read_message(
    row: object, place: int, before: Sequence[Message], warnings: WarningCollector
) -> Message:
    """Return a message that follows some others."""
    if not is_object(row):
        raise wrong_type("message", row, "an object with a role")
    role, content, form = read_turn(row, place, warnings)
    notes = without(row, "role", "content")
    if notes:
        warnings.add("keys-kept", place, *kept_keys(NOTES.key, notes))
    if role == "tool":
        # Results that were two messages must not become one, as those of other formats do.
        if row["role"] != "user" or (before and before[-1].role == "tool"):
            notes["role"] = row["role"]
    elif row["role"] != role or role == "system":
        notes["role"] = row["role"]
    if row["role"] not in ("user", "assistant"):
        warnings.add("role-read-as", place, as_role(row["role"], role))
    if form is not None:
        notes["content"] = form
    return NOTES.message(role, content, notes)


def write_messages(
    messages: Iterable[tuple[int, Message]], warnings: WarningCollector
) -> list[Row]:
    """Return messages; results that follow each other are one message, as the API wants them."""
    rows: list[Row] = []
    after_results = False
    for raw, message in messages:
        notes = NOTES.of(message.metadata)
        role = written_role(message.role, notes, "user" if message.role == "tool" else None)
        noted = notes.pop("role", None)
        entry = write_content(message, notes.pop("content", None))
        is_result = message.role == "tool" and bool(message.results)
        if is_result and after_results and noted is None and isinstance(entry.get("content"), list):
            rows[-1]["content"] += entry["content"]
            warnings.add("results-merged", raw)
        else:
            rows.append(merged({"role": role, **entry}, notes))
        after_results = is_result
    return rows


def _with_schema(tool: Any) -> Any:
    """Return a tool that has a schema, without which none of the caller's own is taken."""
    if not is_object(tool) or "type" in tool or "name" not in tool:
        return tool
    return {"input_schema": {"type": "object", "properties": {}}, **tool}


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
        match event.data or {}:
            case {"type": "message_start", "message": dict(message)}:
                self.answer.update(message)
            case {"type": "content_block_start", "content_block": dict(block)} as body:
                self._blocks[self._place(body)] = block
            case {"type": "content_block_delta", "delta": dict(delta)} as body:
                self._grow(self._place(body), delta)
            case {"type": "content_block_stop"} as body:
                self._stop(self._place(body))
            case {"type": "message_delta"} as body:
                self._finish(body)
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

    def _place(self, event: dict[str, Any]) -> int:
        """Return the block that an event is about: if it does not say, the last one."""
        place = place_of(event)
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
        """Read the arguments of a call, whose JSON came in pieces, if there were any."""
        text = "".join(self._arguments.pop(place, ()))
        if not text:
            return
        try:
            self._blocks[place]["input"] = read_value(text.encode("utf-8", "surrogatepass"))
        except Refused:
            self._blocks[place]["input"] = text

    def _finish(self, event: dict[str, Any]) -> None:
        """Add how it ended, and what it cost so far, which is counted from the start."""
        delta, usage = event.get("delta"), event.get("usage")
        if isinstance(delta, dict):
            self.answer.update(delta)
        if isinstance(usage, dict):
            known = self.answer.get("usage")
            said = {key: value for key, value in usage.items() if value is not None}
            self.answer["usage"] = {**(known if isinstance(known, dict) else {}), **said}
        rest = ("type", "delta", "usage")
        self.answer.update({key: value for key, value in event.items() if key not in rest})


class MessagesCodec(RequestCodec):
    """What the Messages API takes: the prompt, a text or blocks, is a key next to the list."""

    kind = "messages"
    prompts = ("system",)
    tools = TOOLS
    counts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "input": ("usage", "input_tokens"),
        "cached": ("usage", "cache_read_input_tokens"),
        "written": ("usage", "cache_creation_input_tokens"),
        "output": ("usage", "output_tokens"),
    }
    assembler = MessagesStream

    def read(self, given: GivenForm) -> Message:
        (row,) = given.rows
        if given.place == PROMPT:
            return read_prompt({"system": row}, WarningCollector())[0]
        return read_message(row, 0, (), WarningCollector())

    def write(self, message: Message, place: str) -> list[Any]:
        if place == MESSAGES:
            return list(write_messages([(0, message)], WarningCollector()))
        return [write_prompt([message])]

    def answer(self, response: Body) -> list[GivenForm]:
        content = response.get("content")
        return [GivenForm([{"role": "assistant", "content": content}])] if content else []

    def usage(self, response: Body) -> dict[str, int | None]:
        """Return what was counted; here what was cached is no part of what is called input."""
        found = super().usage(response)
        if found["input"] is not None:
            found["input"] += (found["cached"] or 0) + (found["written"] or 0)
        return found
