"""OpenAI chat: lists of messages, requests, answers and streams, and the dialects of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
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
    of_parts,
)
from ..errors import Refused, wrong_type
from ..requests.exchange import Kind
from ..values.models import Role
from ..values.times import gc_paused
from .base import Confidence, JsonFormat, Loaded, Written, read_rows, rows_in, split_rows
from .detection import CHATS, detect_kind
from .fields import ROLES, core_role, is_object
from .format_metadata import (
    ABSENT,
    LIST,
    MADE_ID,
    NULL,
    TEXT,
    ContentBlocks,
    FormatMetadata,
    PartField,
    Shape,
    Usual,
    content_entry,
    form_of,
    merged,
    plain_text,
    without,
    written_role,
)
from .losses import Holds, conversation_losses
from .request_codecs import Body, GivenForm, RequestCodec, Row, rows_of
from .stream_assembly import (
    Assembler,
    Event,
    Note,
    add_text,
    grow,
    json_lines,
    objects_in,
    place_of,
    text_of,
)
from .tools import (
    FUNCTION,
    GROUPED,
    META_KEY,
    NO_ID,
    ToolShape,
    UnansweredCalls,
    in_a_row,
    read_grouped,
    report_broken,
    write_grouped,
)
from .warnings import FormatWarning, WarningCollector, as_role, kept_keys

CUSTOM = "custom"
LEGACY = "function_call"
CHAT_TYPES = ("input_audio", "file", "refusal")
SAID = {"content", "tool_calls", LEGACY, "tool_call_id", "refusal", "audio", "reasoning_content"}
"""Keys of what is said; objects with a role and none of these are no messages."""
"""Parts that chat has and core has not; they are stored as data."""
CHAT_BLOCKS = {
    "text": Shape(TextPart, {"type": "text", "text": PartField("text")}),
    "image_url": Shape(ImagePart, {"type": "image_url", "image_url": {"url": PartField("url")}}),
}


class ChatDialect(FormatMetadata):
    """How the chat messages of one format differ from those of others.

    With ``object_arguments``, arguments of a call are written as they are, not as JSON text. With
    ``pairs``, a result without an id answers the first call without a result. ``thinking`` are the
    keys that have an assistant's reasoning; the first one is written.
    """

    def __init__(
        self,
        key: str,
        *,
        object_arguments: bool = False,
        pairs: bool = False,
        thinking: tuple[str, ...] = (),
    ) -> None:
        super().__init__(key)
        self.pairs, self.thinking = pairs, thinking
        self.blocks = ContentBlocks(self, CHAT_BLOCKS)
        self.is_strict = not (object_arguments or pairs or thinking)  # Chat as OpenAI has it.
        kind = "object" if object_arguments else "json"
        body = {"name": PartField("name"), "arguments": PartField("input", kind)}
        custom = {"name": PartField("name"), "input": PartField("input", "raw")}
        head = {"id": PartField("id", "id")}
        self.body = Shape(ToolUsePart, {FUNCTION: body})
        self.call = Shape(ToolUsePart, {**head, "type": Usual(FUNCTION), FUNCTION: body})
        self.custom = Shape(ToolUsePart, {**head, "type": CUSTOM, CUSTOM: custom})
        self.losses = Holds(self, self.holds, foreign_result="result-becomes-tool")

    def holds(self, part: Part, role: Role) -> bool:
        if isinstance(part, ThinkingPart):
            return role == "assistant" and bool(self.thinking)
        return isinstance(part, ToolUsePart) or self.holds_in_content(part)

    def holds_in_content(self, part: Part) -> bool:
        if isinstance(part, DataPart):
            return self.is_in(part.metadata) or part.data.get("type") in CHAT_TYPES
        return isinstance(part, TextPart | ImagePart)

    def read_calls(
        self, calls: object, place: int, warnings: WarningCollector
    ) -> list[ToolUsePart]:
        if not isinstance(calls, list):
            raise wrong_type("tool_calls", calls, "a list of tool calls")
        found: list[ToolUsePart] = []
        for index, call in enumerate(calls):
            made, is_custom = f"call_{place}_{index}", False
            part: ToolUsePart | None = None
            if is_object(call):
                is_custom = call.get("type") == CUSTOM
                shape = self.custom if is_custom else self.call
                more: Row = {"type": CUSTOM} if is_custom else {}
                part = shape.read(self, call, made, **more)
            if part is None:
                raise _bad_call(call, f"tool_calls[{index}]")
            if call.get("id") is None:
                warnings.add(NO_ID, place)
            if not is_custom:
                report_broken(part, call[FUNCTION].get("arguments"), place, warnings)
            found.append(part)
        return found

    def write_call(self, part: ToolUsePart) -> dict[str, Any]:
        notes = self.of(part.metadata)
        shape = self.custom if notes.get("type") == CUSTOM else self.call
        return shape.write_with(notes, part)


def _bad_call(call: Any, where: str) -> Refused:
    if not is_object(call):
        return wrong_type(where, call, "an object with id and function")
    key = CUSTOM if call.get("type") == CUSTOM else FUNCTION
    if not isinstance(call.get("id"), str | None):
        return wrong_type(f"{where}.id", call["id"], "text")
    if call.get("type", FUNCTION) not in (FUNCTION, CUSTOM):
        return wrong_type(f"{where}.type", call["type"], f"{FUNCTION} or {CUSTOM}")
    body = call.get(key)
    if not is_object(body):
        return wrong_type(f"{where}.{key}", body, "an object with a name")
    return wrong_type(f"{where}.{key}.name", body.get("name"), "text")


NOTES = ChatDialect("openai")


RESULT_KEYS = {"role", "tool_call_id", "content"}
CALLS_KEYS = {"role", "content", "tool_calls"}


def usual_result(row: Mapping[str, Any]) -> Message | None:
    """Return a tool's message that names its call and is a text, else None.

    This and ``usual_calls`` make reading the usual file several times as fast.
    """
    if row.keys() != RESULT_KEYS or row["role"] != "tool":
        return None
    id, content = row["tool_call_id"], row["content"]
    if type(id) is not str or type(content) is not str:
        return None
    return of_parts("tool", (ToolResultPart(id, content),))


def usual_calls(own: ChatDialect, row: Mapping[str, Any]) -> Message | None:
    """Return an assistant's message of functions to be called, with or without a text, else None.

    Only for chat without rules of its own for calls.
    """
    if row.keys() != CALLS_KEYS or row["role"] != "assistant" or not own.is_strict:
        return None
    content, calls = row["content"], row["tool_calls"]
    if type(calls) is not list or not calls:
        return None
    parts: list[Part] = []
    if content is not None:
        if type(content) is not str or not content:
            return None
        parts.append(TextPart(content))
    for call in calls:
        part = own.call.read(own, call) if type(call) is dict else None
        if part is None or isinstance(part.input, str):
            return None
        parts.append(part)
    return of_parts("assistant", tuple(parts))


ChatContent = tuple[str | Sequence[Part], str | None]
"""A core content, and the form it had where that is not the usual one."""


def read_chat(
    rows: Sequence[object], own: str | ChatDialect = NOTES, taken: tuple[str, ...] = ()
) -> tuple[tuple[Message, ...], tuple[FormatWarning, ...]]:
    """Return core messages and what was adapted.

    A bad message is left out and reported; if all are bad, the first is refused by its index. What
    core has no place for is stored under a key, or as a dialect has it; keys that the caller takes
    out of the metadata are not reported.
    """
    reader = _ChatReader(ChatDialect(own) if isinstance(own, str) else own, taken, rows)
    with gc_paused():
        messages = read_rows(rows, reader.read, reader.warnings)
    return tuple(messages), reader.warnings.found()


class _ChatReader:
    """Reads message after message, since an old function result has no id to name its call by."""

    def __init__(self, own: ChatDialect, taken: tuple[str, ...], rows: Sequence[object]) -> None:
        self._own, self._taken = own, taken
        self.warnings = WarningCollector()
        self._unanswered: str | None = None
        self._pending = UnansweredCalls()
        self._in_a_row = in_a_row(rows) if own.pairs else []

    def read(self, row: object, place: int) -> Message:
        if not is_object(row):
            raise wrong_type("message", row, "an object with a role")
        given, text = row.get("role"), row.get("content")
        if "role" not in row:
            raise Refused("the message has no role", field="role", legal=", ".join(ROLES))
        if not isinstance(given, str):
            raise wrong_type("role", given, f"one of {', '.join(ROLES)}")
        role = core_role(given)
        # Most messages are the same in core, and there may be millions.
        if len(row) == 2 and role == given != "tool" and isinstance(text, str) and text:  # noqa: PLR2004
            self._pending.forget()
            return Message(role, text)
        if role != "tool":
            self._pending.forget()
            usual = usual_calls(self._own, row)
        elif (usual := usual_result(row)) is not None:
            self._pending.answered(row["tool_call_id"])
        if usual is not None:
            return usual
        notes = without(row, "role", "content")
        read = self._tool_content if role == "tool" else self._content
        content, form = read(row, notes, place)
        unplaced = [
            key
            for key, value in notes.items()
            if key not in self._taken and value not in (None, [])
        ]
        if unplaced:
            self.warnings.add("keys-kept", place, *kept_keys(self._own.key, unplaced))
        if given != role:
            notes["role"] = given
            self.warnings.add("role-read-as", place, as_role(given, role))
        if form is not None:
            notes["content"] = form
        return self._own.message(role, content, notes)

    def _content(self, row: Mapping[str, Any], notes: dict[str, Any], place: int) -> ChatContent:
        """Return the content of a message, and take the calls out of its metadata."""
        form = form_of(row)
        parts = self._own.blocks.read(row.get("content"), place, self.warnings)
        is_assistant = row["role"] == "assistant"
        thoughts = self._thoughts(notes) if is_assistant else []
        calls = self._calls(notes, place) if is_assistant else []
        noted = None if form == usual_form(self._own, parts, is_blank_null=bool(calls)) else form
        if form == TEXT and parts and not calls and not thoughts:
            return row["content"], noted
        return [*thoughts, *parts, *calls], noted

    def _thoughts(self, notes: dict[str, Any]) -> list[ThinkingPart]:
        """Return the reasoning next to the content, and take it out of the metadata."""
        keys = self._own.thinking
        key = next((key for key in keys if isinstance(notes.get(key), str) and notes[key]), None)
        if key is None:
            return []
        metadata = None if key == keys[0] else self._own.frozen({"key": key})
        return [ThinkingPart(notes.pop(key), metadata=metadata)]

    def _calls(self, notes: dict[str, Any], place: int) -> list[ToolUsePart]:
        calls = []
        if notes.get("tool_calls"):
            calls = self._own.read_calls(notes.pop("tool_calls"), place, self.warnings)
            if self._own.pairs:
                for call in calls:
                    self._pending.call(call.id, call.name)
        if is_object(notes.get(LEGACY)):
            self._unanswered = f"{LEGACY}_{place}"  # It has no id of its own.
            body = notes.pop(LEGACY)
            whole = {"id": self._unanswered, "type": FUNCTION, FUNCTION: body}
            call = self._own.call.read(self._own, whole, type=LEGACY)
            if call is None:
                raise wrong_type(f"{LEGACY}.name", body.get("name"), "text")
            report_broken(call, body.get("arguments"), place, self.warnings)
            self.warnings.add(NO_ID, place)
            calls.append(call)
        return calls

    def _tool_content(
        self, row: Mapping[str, Any], notes: dict[str, Any], place: int
    ) -> ChatContent:
        """Return the content of a tool's message: the result, if it says of which call."""
        id, made = row.get("tool_call_id"), None
        if row["role"] == "function":
            id, self._unanswered = self._unanswered or f"{LEGACY}_{place}", None
        elif isinstance(id, str):
            del notes["tool_call_id"]
            self._pending.answered(id)
        else:
            text, results = row.get("content"), self._in_a_row[place] if self._pending else 0
            if isinstance(text, str) and results and not isinstance(row.get("name"), str):
                grouped = read_grouped(
                    self._own, text, self._pending, results, place, self.warnings
                )
                if grouped:
                    return grouped, None
            id = self._pending.answer(row.get("name"))
            if id is None:
                return self._content(row, notes, place)
            made = self._own.frozen({MADE_ID: True})
        form, content = form_of(row), row.get("content")
        noted = form if content is None else None
        if not isinstance(content, str):
            parts = self._own.blocks.read(content, place, self.warnings)
            content = "" if content is None else tuple(parts)
        return [ToolResultPart(id, content, None, made)], noted


def usual_form(own: FormatMetadata, parts: Sequence[Part], *, is_blank_null: bool = False) -> str:
    """Return the form that a content is written in where nothing else is stored."""
    if not parts:
        return NULL if is_blank_null else TEXT
    return LIST if plain_text(own, parts) is None else TEXT


def write_chat(
    messages: Iterable[tuple[int, Message]], own: str | ChatDialect = NOTES
) -> tuple[list[Row], tuple[FormatWarning, ...]]:
    """Return chat messages for messages with their raw indices, and what was left out."""
    writer = _ChatWriter(ChatDialect(own) if isinstance(own, str) else own)
    rows = [row for raw, message in messages for row in writer.write(raw, message)]
    return rows, writer.warnings.found()


class _ChatWriter:
    """Writes message after message; one of core may be several of chat."""

    def __init__(self, own: ChatDialect) -> None:
        self._own = own
        self.warnings = WarningCollector()
        self._legacy: dict[str, str] = {}

    def write(self, raw: int, message: Message) -> list[Row]:
        """Return the chat messages for one message: its results, and whatever else it says."""
        own, is_assistant = self._own, message.role == "assistant"
        own.losses.report(message, raw, self.warnings)
        notes = own.of(message.metadata)
        every = message.parts
        results = [part for part in every if isinstance(part, ToolResultPart)]
        calls = [part for part in every if isinstance(part, ToolUsePart) and is_assistant]
        parts = [part for part in every if own.holds_in_content(part)]
        rest = without(notes, "role", "content")
        if results and not parts and not calls and not self._thoughts(message):
            grouped = write_grouped(own, results)
            if grouped is None:
                rows = [self._result(message, part, notes) for part in results]
            else:
                rows = [{"role": written_role(message.role, notes), "content": grouped}]
            rows[0] = merged(rows[0], rest)
        else:
            row = merged(self._row(message, parts, calls, notes), rest)
            answers = [self._result(message, part, {}) for part in results]
            # Results must follow their calls at once, which are here or in the message before.
            rows = [row, *answers] if is_assistant else [*answers, row]
            order: list[Part] = [*parts, *calls, *results] if is_assistant else [*results, *parts]
            index = {id(part): i for i, part in enumerate(every)}
            if any(index[id(one)] > index[id(next)] for one, next in pairwise(order)):
                self.warnings.add("parts-reordered", raw)
        if len(rows) > 1:
            self.warnings.add("message-split", raw)
        return rows

    def _row(
        self, message: Message, parts: Sequence[Part], calls: list[ToolUsePart], notes: Row
    ) -> Row:
        own = self._own
        usual = usual_form(own, parts, is_blank_null=bool(calls))
        items = [own.blocks.write(part) for part in parts]
        content = content_entry(items, plain_text(own, parts), notes.get("content"), usual)
        row = {"role": written_role(message.role, notes), **content, **self._thoughts(message)}
        legacy = next((one for one in calls if own.of(one.metadata).get("type") == LEGACY), None)
        rows = [own.write_call(call) for call in calls if call is not legacy]
        if rows:
            row["tool_calls"] = rows
        if legacy is not None:
            self._legacy[legacy.id] = legacy.name
            row[LEGACY] = own.body.write(own, legacy)[FUNCTION]
        return row

    def _thoughts(self, message: Message) -> Row:
        """Return the reasoning under the key that a dialect has for it."""
        keys = self._own.thinking if message.role == "assistant" else ()
        thoughts = [part for part in message.parts if isinstance(part, ThinkingPart)]
        if not keys or not thoughts:
            return {}
        noted = self._own.of(thoughts[0].metadata).get("key")
        key = noted if noted in keys else keys[0]
        return {key: "\n\n".join(part.text for part in thoughts)}

    def _result(self, message: Message, result: ToolResultPart, notes: Row) -> Row:
        entry = result_content(
            result, notes.get("content"), self._own.holds_in_content, self._own.blocks.write
        )
        role = written_role(message.role, notes)
        if role == "function":
            return {"role": role, **entry}
        if result.tool_use_id in self._legacy:
            return {"role": "function", "name": self._legacy[result.tool_use_id], **entry}
        if {MADE_ID, GROUPED} & set(self._own.of(result.metadata)):
            return {"role": role, **entry}
        return {"role": "tool", "tool_call_id": result.tool_use_id, **entry}


def result_content(
    result: ToolResultPart,
    form: object,
    holds: Callable[[Part], bool],
    write: Callable[[Part], Any],
) -> Row:
    """Return the content entry of a result: its text or parts, or the form of an empty one."""
    if isinstance(result.content, str):
        forms = (form if form in (ABSENT, NULL) else TEXT, TEXT)
        return content_entry([], result.content, *forms)
    return {"content": [write(part) for part in result.content if holds(part)]}


TOOLS = ToolShape("openai", outer="function", type="function")


class OpenAI(JsonFormat):
    """What a chat completion request holds, or a line of a fine-tuning file.

    Keys next to ``messages`` are other fields, tools are kept in ``meta.tools``; ``meta.openai``
    says that there was an object.
    """

    name = "openai"
    about = "OpenAI chat messages, an object with messages, or a fine-tuning file"
    suffixes = (".openai.json", ".openai.jsonl")
    kinds = (CHATS,)
    own_data = (*CHAT_TYPES, "image", "document", "image_file", "video", "video_url", "audio_url")
    lines_of_items = True

    def confidence_of(self, value: object) -> Confidence:
        """Return whether there are messages with a role of chat, and no parts of others."""
        rows = rows_in(value, "messages")
        if rows is None:
            return Confidence.NO
        is_chat = any(
            is_object(row)
            and isinstance(row.get("role"), str)
            and row["role"] in ROLES
            and not SAID.isdisjoint(row)
            for row in rows
        )
        is_empty = not rows and is_object(value)
        if not (is_chat or is_empty) or detect_kind(value) is not None:
            return Confidence.NO
        return Confidence.POSSIBLE

    def read_one(self, value: Any) -> Loaded:
        rows, fields = split_rows(value, "messages", "a list of chat messages")
        meta = {**TOOLS.take(fields), **NOTES.meta({}, fields)} if is_object(value) else {}
        messages, adapted = read_chat(rows)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def read_on(self, rows: Sequence[object]) -> tuple[Message, ...] | None:
        """Return the messages of further lines; None if one of them answers a call without an id.

        Only the lines before it say which call that is.
        """
        if any(map(_looks_back, rows)):
            return None
        try:
            return read_chat(rows)[0]
        except Refused:
            return None

    def write(self, conversation: Conversation) -> Written:
        rows, adapted = write_chat(zip(conversation.view, conversation.visible, strict=True))
        meta = conversation.meta
        tools, lost = TOOLS.write(meta)
        data: Any = rows
        if NOTES.is_in(meta) or tools.get("tools"):
            data = {"messages": rows, **without(NOTES.fields_of(meta), "messages"), **tools}
        held = () if data is rows else (*NOTES.held(meta), META_KEY)
        return Written(data, (*conversation_losses(conversation, *held), *lost, *adapted))

    def among_several(self, data: Any) -> Any:
        return {"messages": data} if isinstance(data, list) else data


def _looks_back(row: object) -> bool:
    """Return whether a message refers to another one by its place only."""
    if not is_object(row):
        return True
    is_nameless = row.get("role") == "tool" and not isinstance(row.get("tool_call_id"), str)
    return is_nameless or row.get("role") == "function" or LEGACY in row


class ChatStream(Assembler):
    """The completion that its chunks make."""

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[int, dict[str, Any]] = {}

    def take(self, event: Event) -> None:
        """Add a chunk; usage is in one without choices, and ``[DONE]`` is the end."""
        chunk = event.data
        if chunk is None:
            self.is_over = True
            return
        if chunk.get("error"):
            self.fail(chunk["error"])
            return
        choices = objects_in(chunk.pop("choices", None))
        self.answer.update({key: value for key, value in chunk.items() if value is not None})
        for choice in choices:
            self._grow(choice)

    def end(self) -> None:
        """Put the choices in order; calls need no index any more."""
        if not self.answer and not self._choices:
            return
        self.answer["object"] = "chat.completion"
        self.answer["choices"] = [self._choices[place] for place in sorted(self._choices)]
        reasons = [choice.get("finish_reason") for choice in self._choices.values()]
        self.is_over = self.is_over or (bool(reasons) and all(reasons))
        for choice in self._choices.values():
            for call in objects_in(choice["message"].get("tool_calls")):
                call.pop("index", None)

    def _grow(self, piece: dict[str, Any]) -> None:
        place = place_of(piece) or 0
        choice = self._choices.setdefault(
            place, {"index": place, "message": {"role": "assistant"}, "finish_reason": None}
        )
        delta = piece.pop("delta", None)
        if isinstance(delta, dict):
            grow(choice["message"], delta)
        message = piece.pop("message", None)
        if isinstance(message, dict):  # Some gateways send one whole message as a stream.
            choice["message"].update(message)
        grow(choice, piece)


class OllamaStream(Assembler):
    """The answer that its lines make."""

    def events(self, content: bytes, note: Note) -> Iterator[Event]:
        return json_lines(content, note)

    def take(self, event: Event) -> None:
        line = event.data or {}
        if "error" in line:
            self.fail(line["error"])
            return
        piece = line.pop("message", None)
        self.answer.update(line)
        if isinstance(piece, dict):
            self._grow(piece)
        self.is_over = self.is_over or line.get("done") is True

    def _grow(self, piece: dict[str, Any]) -> None:
        message = self.answer.setdefault("message", {})
        for key, new in piece.items():
            old = message.get(key)
            if key in ("content", "thinking"):
                add_text(message, key, text_of(new))
            elif isinstance(old, list) and isinstance(new, list):
                old.extend(new)
            elif new is not None:
                message[key] = new


class ChatCodec(RequestCodec):
    """What chat completions take: everything is in one list, the prompt too."""

    kind: ClassVar[Kind] = "chat"
    noun = "a list of chat messages"
    tools = TOOLS
    dialect: ClassVar[ChatDialect] = NOTES
    counts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "input": ("usage", "prompt_tokens"),
        "cached": ("usage", "prompt_tokens_details", "cached_tokens"),
        "written": ("usage", "prompt_tokens_details", "cache_write_tokens"),
        "output": ("usage", "completion_tokens"),
    }
    assembler: ClassVar[type[Assembler]] = ChatStream

    def read(self, given: GivenForm) -> Message:
        return read_chat(given.rows, self.dialect)[0][0]

    def write(self, message: Message, place: str) -> list[Any]:
        return write_chat([(0, message)], self.dialect)[0]

    def needs_others(self, given: GivenForm) -> bool:
        """Return whether a call has no id, or a result does not say which call it answers."""
        row = given.rows[0]
        if not is_object(row):
            return False
        calls = row.get("tool_calls")
        if isinstance(calls, list) and any(
            is_object(one) and one.get("id") is None for one in calls
        ):
            return True
        if is_object(row.get("function_call")) or row.get("role") == "function":
            return True
        return row.get("role") == "tool" and not isinstance(row.get("tool_call_id"), str)

    def read_all(self, given: Sequence[GivenForm]) -> list[Message]:
        try:
            messages, _ = read_chat(rows_of(given), self.dialect)
        except Refused:
            return []
        return list(messages) if len(messages) == len(given) else []

    def answer(self, response: Body) -> list[GivenForm]:
        match response:
            case {"choices": [{"message": Mapping() as row}, *_]}:
                return [GivenForm([{"role": "assistant", **row}])]
        return []


class OllamaCodec(ChatCodec):
    """What Ollama takes: calls have no ids, and their arguments are objects.

    It counts what it evaluated, which is not what was sent: the server has a cache, too.
    """

    kind = "ollama"
    dialect = ChatDialect("ollama", object_arguments=True, pairs=True, thinking=("thinking",))
    counts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "input": ("prompt_eval_count",),
        "output": ("eval_count",),
    }
    assembler = OllamaStream

    def answer(self, response: Body) -> list[GivenForm]:
        row = response.get("message")
        return [GivenForm([{"role": "assistant", **row}])] if is_object(row) else []
