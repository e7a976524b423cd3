"""OpenAI Responses: items, requests with their input, responses with their output, and streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

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
from ..requests.bodies import PROMPT
from ..requests.routing import COMPACTIONS
from ..values.frozen import FrozenDict, freeze_object, of_frozen, thaw
from ..values.models import Role
from .base import Confidence, JsonFormat, Loaded, Written
from .detection import RESPONSES, detect_kind
from .fields import core_role, is_object
from .format_metadata import (
    ABSENT,
    BLANK,
    EMPTY_LIST,
    GIVEN_VALUE,
    LIST,
    NULL,
    TEXT,
    FormatMetadata,
    PartField,
    Shape,
    content_entry,
    form_of,
    merged,
    without,
    written_role,
)
from .losses import Holds, conversation_losses
from .request_codecs import Body, GivenForm, RequestCodec, Row, SplitBody, rows_of
from .stream_assembly import Assembler, Event, add_text, objects_in, text_of
from .tools import META_KEY, ToolShape, report_broken
from .warnings import WarningCollector, as_role, kind_name, sentence, without_values

NOTES = FormatMetadata("responses")
TOOLS = ToolShape("responses", type="function")
FUNCTION = "function_call"
CALLS = {
    FUNCTION: "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
}
"""The types of calls, and the key of what each is given."""
NAMED = (FUNCTION, "custom_tool_call")
"""Calls that say which tool they call; the others are each a tool of their own."""
OUTPUT = "_output"
RESULTS = tuple(f"{type}{OUTPUT}" for type in CALLS)
CONTENT_TYPES = ("input_file", "input_audio", "refusal", "computer_screenshot")
"""Parts of messages that core has none for."""
TEXT_TYPES = ("input_text", "output_text", "text")
TEXTS = Shape(TextPart, {"text": PartField("text")})
IMAGE = Shape(ImagePart, {"type": "input_image", "image_url": PartField("url")})
RESULT = Shape(
    ToolResultPart,
    {"call_id": PartField("tool_use_id"), "output": PartField("content", "given")},
)


CALL_SHAPES = {
    type: Shape(
        ToolUsePart,
        {
            "type": type,
            "call_id": PartField("id"),
            **({"name": PartField("name")} if type in NAMED else {}),
            key: PartField("input", "json" if type == FUNCTION else "value"),
        },
    )
    for type, key in CALLS.items()
}


def usual_text(role: Role) -> str:
    """Return the type that a text has in a message of a role."""
    return "output_text" if role == "assistant" else "input_text"


def _read_part(part: Any, role: Role, place: int, warnings: WarningCollector) -> Part:
    type = part.get("type") if is_object(part) else None
    found: Part | None = None
    if isinstance(type, str) and type in TEXT_TYPES:
        found = TEXTS.read(NOTES, without(part, "type") if type == usual_text(role) else part)
    elif type == "input_image":
        found = IMAGE.read(NOTES, part)
    if found is None:
        warnings.add("part-kept-as-data", place, kind_name(type if is_object(part) else part))
        return NOTES.data(part)
    return found


def thought(item: Mapping[str, Any]) -> str:
    """Return the words of a thought: its summary, or else what it is made of."""
    for key in ("summary", "content"):
        texts = [
            one["text"] for one in objects_in(item.get(key)) if isinstance(one.get("text"), str)
        ]
        if texts:
            return "\n\n".join(texts)
    return ""


def grouped(items: Iterable[Any]) -> list[list[Any]]:
    """Return items as ``read_items`` would take them together, in their order.

    What the assistant says in a row is one group, but no group has two of its messages.
    """
    groups: list[list[Any]] = []
    is_open = has_message = False
    for item in items:
        if _is_alone(item):
            groups.append([item])
            is_open = has_message = False
            continue
        is_message = _is_message(item)
        if not is_open or (is_message and has_message):
            groups.append([])
            has_message = False
        groups[-1].append(item)
        is_open, has_message = True, has_message or is_message
    return groups


def _is_message(item: Any) -> bool:
    if not isinstance(item, Mapping) or not isinstance(item.get("role"), str):
        return False
    return bool(item.get("type", "message") == "message")


def _is_alone(item: Any) -> bool:
    """Return whether an item is a message alone: of another role, a result, a compaction, empty."""
    if _is_message(item):
        return core_role(item["role"]) != "assistant" or not item.get("content")
    if not isinstance(item, Mapping):
        return False
    if item.get("type") in COMPACTIONS:
        return True
    if item.get("type") not in RESULTS:
        return False
    is_output = item.get("output") is None or isinstance(item["output"], str | list | Mapping)
    return isinstance(item.get("call_id"), str) and is_output


class GivenItem(NamedTuple):
    """An item, its place, and what else is to be kept with it, by the key of its format."""

    item: object
    place: int
    metadata: Mapping[str, Any] = {}


def read_items(
    given: Iterable[GivenItem], warnings: WarningCollector
) -> tuple[list[Message], list[GivenItem]]:
    """Return core messages, and the items that can't be read, which are reported."""
    reader = _ItemReader(warnings)
    bad = []
    for one in given:
        try:
            reader.read(one)
        except Refused as refusal:
            warnings.add("item-unreadable", one.place, without_values(refusal))
            bad.append(one)
    reader.close()
    return reader.messages, bad


class _ItemReader:
    """Collects what the assistant says in a row, until another role says something."""

    def __init__(self, warnings: WarningCollector) -> None:
        self.messages: list[Message] = []
        self._warnings = warnings
        self._parts: list[Part] = []
        self._metadata: dict[str, Any] = {}
        self._is_text = False
        self._has_message = False

    def read(self, given: GivenItem) -> None:
        item = given.item
        if not is_object(item):
            raise wrong_type("item", item, "an object with a type or a role")
        if _is_message(item):
            self._read_message(item, given)
            return
        part = self._read_part(item, given.place)
        if given.metadata:
            added = freeze_object(given.metadata, "metadata")
            part = replace(part, metadata=of_frozen({**(part.metadata or {}), **added}))
        if isinstance(part, ToolResultPart):
            self.close()
            self.messages.append(NOTES.message("tool", [part], {}))
        elif item.get("type") in COMPACTIONS:  # What is before it can be left out.
            self.close()
            self.messages.append(_message_of("assistant", [part], {}))
        else:
            self._parts.append(part)

    def close(self) -> None:
        if not self._parts:
            return
        content: str | list[Part] = self._parts
        metadata = dict(self._metadata)
        if self._is_text and len(content) == 1:
            content = content[0].text  # type: ignore[union-attr]
        elif self._is_text:
            metadata[NOTES.key] = {**metadata.get(NOTES.key, {}), "content": TEXT}
        self._parts, self._metadata = [], {}
        self._is_text = self._has_message = False
        self.messages.append(_message_of("assistant", content, metadata))

    def _read_message(self, item: Mapping[str, Any], given: GivenItem) -> None:
        role = core_role(item["role"])
        notes = without(item, "role", "content", "type")
        if "type" not in item:
            notes["type"] = ABSENT
        if item["role"] != role or role == "tool":
            notes["role"] = item["role"]
            if item["role"] != "developer":
                self._warnings.add("role-read-as", given.place, as_role(item["role"], role))
        form, content = form_of(item), item.get("content")
        if not content:
            notes["content"] = form
        elif isinstance(content, list):
            content = [_read_part(one, role, given.place, self._warnings) for one in content]
            if role == "assistant" and len(content) == 1:
                notes["content"] = LIST
        metadata = {**({NOTES.key: notes} if notes else {}), **given.metadata}
        message = _message_of(role, content or BLANK, metadata)
        if role != "assistant" or not content:
            self.close()
            self.messages.append(message)
            return
        if self._has_message:
            self.close()
        self._has_message, self._is_text = True, isinstance(content, str)
        self._metadata = metadata
        self._parts += message.parts

    def _read_part(self, item: Mapping[str, Any], place: int) -> Part:
        type = item.get("type")
        found: Part | None = None
        if type == "reasoning":
            found = ThinkingPart(thought(item), None, NOTES.frozen(without(item, "type")))
        elif isinstance(type, str) and type in CALLS:
            given = {} if type in NAMED else {"name": type.removesuffix("_call")}
            more = {} if type == FUNCTION else {"type": type}
            found = CALL_SHAPES[type].read(NOTES, item, given=given, **more)
            if isinstance(found, ToolUsePart) and type == FUNCTION:
                report_broken(found, item.get("arguments"), place, self._warnings)
        elif isinstance(type, str) and type in RESULTS:
            found = self._read_result(item, type, place)
        if found is None:
            self._warnings.add("part-kept-as-data", place, kind_name(type))
            return DataPart(freeze_object(item, "data"), NOTES.frozen({"item": True}))
        return found

    def _read_result(self, item: Mapping[str, Any], type: str, place: int) -> Part | None:
        more: Row = {} if type == FUNCTION + OUTPUT else {"type": type}
        output: Any = item.get("output")
        if output is None:
            more["output"] = NULL if "output" in item else ABSENT
            output = ""
        elif is_object(output):
            more["output"] = GIVEN_VALUE
            output = (DataPart(freeze_object(output, "output")),)
        elif isinstance(output, list):
            output = tuple(_read_part(one, "tool", place, self._warnings) for one in output)
        elif not isinstance(output, str):
            return None
        found: Part | None = RESULT.read(
            NOTES, without(item, "type"), given={"content": output}, **more
        )
        return found


def _message_of(role: Role, content: str | Sequence[Part], metadata: Mapping[str, Any]) -> Message:
    frozen = freeze_object(metadata, "metadata") if metadata else None
    if isinstance(content, str):
        return Message(role, content, metadata=frozen)
    return of_parts(role, tuple(content), metadata=frozen)


class WrittenItem(NamedTuple):
    """An item, and the metadata of the part or the message that it was made of."""

    item: Row
    metadata: FrozenDict | None


def write_items(message: Message, raw: int, *, plain_text: bool = True) -> list[WrittenItem]:
    """Return the items of a message, in the order of its parts.

    A text alone is written as such, or as a list of one part where ``plain_text`` is not wanted.
    """
    notes = NOTES.of(message.metadata)
    form = notes.get("content")
    if isinstance(message.content, str):
        text = message.content
        is_plain = plain_text or form == TEXT
        items = [{"type": usual_text(message.role), "text": text}]
        entry = {"content": text if is_plain else items}
        return [WrittenItem(_message(message, entry, notes), message.metadata)]
    if message.content == BLANK and form in (ABSENT, NULL, TEXT, EMPTY_LIST):
        entry = content_entry([], "", form)
        return [WrittenItem(_message(message, entry, notes), message.metadata)]
    made: list[WrittenItem] = []
    run: list[Part] = []
    for part in message.content:
        item = _own_item(part, raw)
        if item is None:
            run += [part] if holds(part) else []
            continue
        made += _run(message, run, notes, plain_text)
        run = []
        made.append(WrittenItem(item, part.metadata))
    return [*made, *_run(message, run, notes, plain_text)]


def _run(message: Message, run: Sequence[Part], notes: Row, plain_text: bool) -> list[WrittenItem]:
    """Return the message item of parts that are not items of their own."""
    if not run:
        return []
    # Of what the assistant said, only a plain text is taken back without an id.
    usual = TEXT if plain_text and message.role == "assistant" else LIST
    first = run[0] if len(run) == 1 else None
    is_plain = isinstance(first, TextPart) and not NOTES.is_in(first.metadata) and first.text
    if is_plain and notes.get("content", usual) == TEXT:
        entry: Row = {"content": first.text}  # type: ignore[union-attr]
    else:
        entry = {"content": [_content_part(part, message.role) for part in run]}
    return [WrittenItem(_message(message, entry, notes), message.metadata)]


def _message(message: Message, content: Row, notes: Row) -> Row:
    role = written_role(message.role, notes, "user" if message.role == "tool" else None)
    type: Row = {} if notes.get("type") == ABSENT else {"type": "message"}
    rest = without(notes, "type", "role", "content", "place")
    return merged({**type, "role": role, **content}, rest)


def holds(part: Part, _role: Role = "user") -> bool:
    """Return whether a message item can hold a part."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata) or part.data.get("type") in CONTENT_TYPES
    return isinstance(part, TextPart | ImagePart)


def _content_part(part: Part, role: Role) -> Row:
    match part:
        case TextPart():
            return {"type": usual_text(role), **TEXTS.write(NOTES, part)}
        case ImagePart():
            return IMAGE.write(NOTES, part)
    data: Row = thaw(part.data)  # type: ignore[union-attr]
    return data


def _own_item(part: Part, raw: int) -> Row | None:
    """Return the item that a part is on its own, or nothing for a part of a message."""
    notes = NOTES.of(part.metadata)
    match part:
        case ThinkingPart() if NOTES.is_in(part.metadata) and thought(notes) == part.text:
            return {"type": "reasoning", **notes}
        case ThinkingPart():
            words = [{"type": "summary_text", "text": part.text}] if part.text else []
            usual = {"type": "reasoning", "id": f"rs_{raw}", "summary": words}
            return {**usual, **without(notes, "summary", "content", "encrypted_content")}
        case ToolUsePart():
            type = notes.get("type")
            shape = CALL_SHAPES[type if isinstance(type, str) and type in CALLS else FUNCTION]
            return shape.write_with(notes, part)
        case ToolResultPart():
            return _result(part, notes)
        case DataPart() if notes.get("item") is True:
            item: Row = thaw(part.data)
            return item
    return None


def _result(part: ToolResultPart, notes: Row) -> Row:
    form = notes.pop("output", None)
    type = notes.pop("type", FUNCTION + OUTPUT)
    content, row = part.content, dict[str, Any]()
    if isinstance(content, str):
        given = content_entry([], content, form if form in (ABSENT, NULL) else TEXT, TEXT)
        row = {"output": given["content"]} if given else {}
    elif form == GIVEN_VALUE and len(content) == 1 and isinstance(content[0], DataPart):
        row["output"] = thaw(content[0].data)
    else:
        row["output"] = [_content_part(inside, "tool") for inside in content if holds(inside)]
    return {"type": type, **RESULT.write_with({**notes, **row}, part)}


LOSSES = Holds(
    NOTES,
    lambda part, _: not isinstance(part, DataPart) or holds(part),
    foreign_call="call-becomes-assistant",
    foreign_result="result-becomes-tool",
)


def report_losses(
    message: Message,
    raw: int,
    made: Sequence[WrittenItem],
    warnings: WarningCollector,
    losses: Holds = LOSSES,
) -> None:
    """Warn about what no item of a message holds, and where it is read as several messages."""
    is_assistants = message.role == "assistant"
    is_odd = message.role == "tool" and not message.results
    found = {
        "message-split": len(made) > 1 and (not is_assistants or bool(message.results)),
        "tool-becomes-user": is_odd and "role" not in NOTES.of(message.metadata),
        "thinking-becomes-assistant": not is_assistants
        and any(isinstance(part, ThinkingPart) for part in message.parts),
    }
    for code, true in found.items():
        if true:
            warnings.add(code, raw)
    losses.report_parts(message, raw, warnings)


HOLDERS = ("output", "input", "data")
"""The keys of items: of a response, a request, or a list of stored items."""
ITEMS = "items"
INSTRUCTIONS = "instructions"


class Responses(JsonFormat):
    """What the API takes and returns; keys next to the items are other fields.

    ``instructions`` become the first message. The key that had the items is noted.
    """

    name = "responses"
    about = "OpenAI Responses items, a request or a response"
    suffixes = (".responses.json", ".responses.jsonl")
    kinds = (RESPONSES,)
    takes_lists = True
    lines_of_items = True

    def confidence_of(self, value: object) -> Confidence:
        is_own = detect_kind(value) == RESPONSES
        if isinstance(value, list):
            is_own = is_own and not any(_holder(one) for one in value)
        else:
            is_own = is_own and _holder(value) is not None
        return Confidence.LIKELY if is_own else Confidence.NO

    def read_one(self, value: Any) -> Loaded:
        meta: dict[str, Any] = {}
        before: list[Message] = []
        warnings = WarningCollector("item")
        items = value
        if isinstance(value, Mapping):
            holder = _holder(value)
            if holder is None:
                raise Refused("there are no items in it", field="input", legal="input or output")
            items, fields = value[holder], without(value, holder)
            if isinstance(fields.get(INSTRUCTIONS), str) and fields[INSTRUCTIONS]:
                before = [_prompt(fields.pop(INSTRUCTIONS))]
            meta = TOOLS.take(fields)
            meta |= NOTES.meta({holder: TEXT if isinstance(items, str) else ITEMS}, fields)
            if isinstance(items, str):
                items = [{"role": "user", "content": items}]
        if not isinstance(items, list):
            raise wrong_type("items", items, "a list of items")
        found, bad = read_items([GivenItem(item, i) for i, item in enumerate(items)], warnings)
        if bad and not found:
            raise Refused(sentence(warnings.found()[0]), field="items")
        made = Conversation([*before, *found], meta=meta)
        return Loaded(made, self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        warnings = WarningCollector()
        meta = conversation.meta
        notes = NOTES.of(meta)
        tools, lost = TOOLS.write(meta)
        items: list[Any] = []
        prompt: str | None = None
        for position, (raw, message) in enumerate(
            zip(conversation.view, conversation.visible, strict=True)
        ):
            LOSSES.report_fields(message, raw, warnings)
            if position == 0 and _is_prompt(message):
                prompt = message.text
                continue
            made = write_items(message, raw)
            report_losses(message, raw, made, warnings)
            items += [item for item, _ in made]
        data: Any = items
        if NOTES.is_in(meta) or tools.get("tools") or prompt is not None:
            holder = next((key for key in HOLDERS if notes.get(key) in (ITEMS, TEXT)), "input")
            data = {**NOTES.fields_of(meta), holder: items}
            match items:
                case [{"role": "user", "content": str(text), **more}] if more.keys() <= {"type"}:
                    data[holder] = text if notes.get(holder) == TEXT else items
            if prompt is not None:
                data[INSTRUCTIONS] = prompt
            data |= tools
        held = (*NOTES.held(meta), META_KEY)
        losses = (*conversation_losses(conversation, *held), *lost, *warnings.found())
        return Written(data, losses)


def _holder(value: object) -> str | None:
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("output"), list) and "call_id" not in value:
        return "output"
    if isinstance(value.get("input"), list | str) and "call_id" not in value:
        return "input"
    is_stored = value.get("object") == "list" and isinstance(value.get("data"), list)
    return "data" if is_stored else None


def _prompt(text: str) -> Message:
    return NOTES.message("system", text, {"place": INSTRUCTIONS})


def _is_prompt(message: Message) -> bool:
    is_text = isinstance(message.content, str) and message.role == "system"
    return is_text and NOTES.of(message.metadata).get("place") == INSTRUCTIONS


FAILED = "response.failed"
ENDS = ("response.completed", "response.incomplete", FAILED, "response.cancelled")
TEXT_DELTAS = {
    "response.output_text.delta": ("content", "content_index", "text", "output_text"),
    "response.refusal.delta": ("content", "content_index", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "content_index", "text", "reasoning_text"),
    "response.reasoning_summary_text.delta": (
        *("summary", "summary_index", "text", "summary_text"),
    ),
}
"""Deltas: the list of an item they belong to, their place in it, their key and the part's type."""
ITEM_DELTAS = {
    "response.function_call_arguments.delta": "arguments",
    "response.mcp_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
    "response.code_interpreter_call_code.delta": "code",
}
"""Deltas of keys of the item itself."""


class ResponsesStream(Assembler):
    """The response that its events make."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[int, dict[str, Any]] = {}

    def take(self, event: Event) -> None:
        """Add an event, by its type; the item in ``added`` may be incomplete."""
        body = event.data or {}
        kind = text_of(body.get("type"))
        match body:
            case {"response": dict(response)}:
                self.answer = response
                self.is_over = self.is_over or kind in ENDS
                self.is_failed = self.is_failed or kind == FAILED
            case {"item": dict(item)} if kind.startswith("response.output_item."):
                self._items[_number(body, "output_index")] = item
            case {"delta": str(delta)}:
                self._grow(kind, body, delta)
            case {"type": "error"}:
                self.fail({key: value for key, value in body.items() if key != "type"})

    def end(self) -> None:
        if self._items and not self.answer.get("output"):
            self.answer["output"] = [self._items[place] for place in sorted(self._items)]

    def _grow(self, kind: str, body: dict[str, Any], delta: str) -> None:
        item = self._items.get(_number(body, "output_index"))
        if item is None:
            return
        if kind in ITEM_DELTAS:
            key = ITEM_DELTAS[kind]
            add_text(item, key, delta)
        elif kind in TEXT_DELTAS:
            holder, index, key, name = TEXT_DELTAS[kind]
            parts = item.get(holder)
            parts = item[holder] = parts if isinstance(parts, list) else []
            place = _number(body, index)
            if place == len(parts):
                parts.append({"type": name, key: ""})
            if place < len(parts) and isinstance(parts[place], dict):
                add_text(parts[place], key, delta)


def _number(body: dict[str, Any], key: str) -> int:
    found = body.get(key)
    return found if isinstance(found, int) and found >= 0 else 0


class ResponsesCodec(RequestCodec):
    """What the Responses API takes: instructions, and items or a text."""

    kind = "responses"
    rows = "input"
    noun = "a text or a list of items"
    prompts = (INSTRUCTIONS,)
    tools = TOOLS
    counts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "input": ("usage", "input_tokens"),
        "cached": ("usage", "input_tokens_details", "cached_tokens"),
        "written": ("usage", "input_tokens_details", "cache_write_tokens"),
        "output": ("usage", "output_tokens"),
    }
    assembler = ResponsesStream

    def split(self, body: Body) -> SplitBody:
        """Return the instructions, if there are any, and a message for each group of items."""
        items = body.get(self.rows, [])
        form: Row = {} if self.rows in body else {self.rows: ABSENT}
        if isinstance(items, str):
            items, form = [{"role": "user", "content": items}], {self.rows: TEXT}
        given, _, rest = super().split({**body, self.rows: items})
        prompt = [one for one in given if one.place == PROMPT]
        return SplitBody([*prompt, *map(GivenForm, grouped(rows_of(given)))], form, rest)

    def is_prompt(self, value: Any) -> bool:
        return isinstance(value, str) and bool(value)

    def joined(self, given: Sequence[GivenForm], form: Body) -> Row:
        body = super().joined(given, {})
        match form.get(self.rows), body[self.rows]:
            case "absent", []:
                del body[self.rows]
            case "text", [{"content": str(text)}]:
                body[self.rows] = text
        return body

    def read(self, given: GivenForm) -> Message:
        if given.place == PROMPT:
            return _prompt(given.rows[0])
        messages, bad = read_items([GivenItem(item, 0) for item in given.rows], WarningCollector())
        if bad or len(messages) != 1:
            raise Refused("these items are not one message", field=self.rows)
        return messages[0]

    def write(self, message: Message, place: str) -> list[Any]:
        if place == PROMPT:
            return [message.text]
        return [made.item for made in write_items(message, 0)]

    def answer(self, response: Body) -> list[GivenForm]:
        items = response.get("output")
        return [GivenForm(group) for group in grouped(items)] if isinstance(items, list) else []
