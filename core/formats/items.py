"""What items look like: calls and their results by type, thoughts, and the parts of messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..engine.messages import (
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
    read_part,
)
from ..errors import Refused, wrong_type
from ..values.frozen import FrozenDict, thaw
from ..values.models import Role
from .blocks import BLANK, EMPTY, is_blank
from .chat import (
    ABSENT,
    BROKEN,
    GIVEN_NOT,
    GIVEN_VALUE,
    LIST,
    NULL,
    TEXT,
    arguments_text,
    form_of,
    parsed,
)
from .fields import core_role
from .notes import Notes, merged, without
from .warnings import WarningCollector, as_role, bare, without_values

NOTES = Notes("responses")
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
KEPT_AS_DATA = "part-kept-as-data"

PartData = dict[str, Any]


def usual_text(role: Role) -> str:
    """Return the type that a text has in a message of a role."""
    return "output_text" if role == "assistant" else "input_text"


def read_content(
    parts: Sequence[object], role: Role, place: int, warnings: WarningCollector
) -> list[PartData]:
    """Return the parts of a message as the data of core parts."""
    return [_read_part(part, role, place, warnings) for part in parts]


def _read_part(part: Any, role: Role, place: int, warnings: WarningCollector) -> PartData:
    match part:
        case {"type": str(kind), "text": str(text)} if kind in TEXT_TYPES:
            notes = without(part, "text", *(("type",) if kind == usual_text(role) else ()))
            return {"type": "text", "text": text, **NOTES.kept(notes)}
        case {"type": "input_image", "image_url": str(url)}:
            notes = without(part, "type", "image_url")
            return {"type": "image", "image_url": {"url": url}, **NOTES.kept(notes)}
    name = part.get("type") if isinstance(part, Mapping) else part
    warnings.add(KEPT_AS_DATA, place, bare(name))
    return {"type": "data", "data": part, "metadata": {NOTES.key: {}}}


def thought(item: Mapping[str, Any]) -> str:
    """Return the words of a thought: its summary, or else what it is made of."""
    for key in ("summary", "content"):
        found = item.get(key)
        texts = [
            part["text"]
            for part in (found if isinstance(found, list) else ())
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
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
        if _stands_alone(item):
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


def _stands_alone(item: Any) -> bool:
    """Tell whether an item is a message of its own: of anybody else, a result, or an empty one."""
    if _is_message(item):
        return core_role(item["role"]) != "assistant" or not item.get("content")
    if not isinstance(item, Mapping) or item.get("type") not in RESULTS:
        return False
    is_output = item.get("output") is None or isinstance(item["output"], str | list | Mapping)
    return isinstance(item.get("call_id"), str) and is_output


ITEM = {"item": True}
"""The note of a part that is an item of its own."""


class Given(NamedTuple):
    """An item, its place, and what else is to be kept with it, by the key of its format."""

    item: object
    place: int
    beside: Mapping[str, Any] = {}


def read_items(
    given: Iterable[Given], warnings: WarningCollector
) -> tuple[list[Message], list[Given]]:
    """Return core messages, and the items that can't be read, which are told."""
    reader = _Reader(warnings)
    bad = []
    for one in given:
        try:
            reader.read(one)
        except Refused as refusal:
            warnings.add("item-unreadable", one.place, without_values(refusal))
            bad.append(one)
    reader.close()
    return reader.messages, bad


class _Reader:
    """Gathers what the assistant says in a row, until somebody else says something."""

    def __init__(self, warnings: WarningCollector) -> None:
        self.messages: list[Message] = []
        self._warnings = warnings
        self._parts: list[PartData] = []
        self._metadata: dict[str, Any] = {}
        self._is_text = False
        self._has_message = False

    def read(self, given: Given) -> None:
        """Take the next item."""
        item = given.item
        if not isinstance(item, Mapping):
            raise wrong_type("item", item, "an object with a type or a role")
        if isinstance(item.get("role"), str) and item.get("type", "message") == "message":
            self._read_message(item, given)
        elif item.get("type") in RESULTS and isinstance(item.get("call_id"), str):
            part = self._read_result(item, given.place)
            if part is None:
                self._add(self._as_data(item, given), given)
            else:
                message = {"role": "tool", "content": [_with(part, given.beside)]}
                self._emit(message)
        else:
            self._add(self._read_part(item, given), given)

    def close(self) -> None:
        """Finish the message of what the assistant said last."""
        if not self._parts:
            return
        content: Any = self._parts
        notes = dict(self._metadata)
        if self._is_text and len(content) == 1:
            content = content[0]["text"]
        elif self._is_text:
            notes[NOTES.key] = {**notes.get(NOTES.key, {}), "content": TEXT}
        self._parts, self._metadata = [], {}
        self._is_text = self._has_message = False
        more = {"metadata": notes} if notes else {}
        self.messages.append(Message.from_dict({"role": "assistant", "content": content, **more}))

    def _emit(self, message: dict[str, Any]) -> None:
        made = Message.from_dict(message)
        self.close()
        self.messages.append(made)

    def _add(self, part: PartData, given: Given) -> None:
        part = _with(part, given.beside)
        read_part(part, "item")
        self._parts.append(part)

    def _read_message(self, item: Mapping[str, Any], given: Given) -> None:
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
            content = BLANK
        elif isinstance(content, list):
            content = read_content(content, role, given.place, self._warnings)
            if role == "assistant" and len(content) == 1:
                notes["content"] = LIST
        metadata = {**({NOTES.key: notes} if notes else {}), **given.beside}
        more = {"metadata": metadata} if metadata else {}
        message = {"role": role, "content": content, **more}
        if role != "assistant" or content is BLANK:
            self._emit(message)
            return
        Message.from_dict(message)
        if self._has_message:
            self.close()
        self._has_message, self._is_text = True, isinstance(content, str)
        self._metadata = metadata
        self._parts += [{"type": "text", "text": content}] if self._is_text else content

    def _read_part(self, item: Mapping[str, Any], given: Given) -> PartData:
        type = item.get("type")
        if type == "reasoning":
            kept = {NOTES.key: without(item, "type")}
            return {"type": "thinking", "thinking": {"text": thought(item)}, "metadata": kept}
        is_call = isinstance(type, str) and type in CALLS and isinstance(item.get("call_id"), str)
        if is_call and (type not in NAMED or isinstance(item.get("name"), str)):
            return self._read_call(item, given.place)
        return self._as_data(item, given)

    def _as_data(self, item: Mapping[str, Any], given: Given) -> PartData:
        self._warnings.add(KEPT_AS_DATA, given.place, bare(item.get("type")))
        return {"type": "data", "data": item, "metadata": {NOTES.key: ITEM}}

    def _read_call(self, item: Mapping[str, Any], place: int) -> PartData:
        type: str = item["type"]
        key = CALLS[type]
        is_named = type in NAMED
        notes = without(item, "type", "call_id", key, *(("name",) if is_named else ()))
        value = item.get(key, {})
        if key not in item:
            notes[key] = GIVEN_NOT
        elif type == FUNCTION and not isinstance(value, str):
            notes[key] = GIVEN_VALUE
        elif type == FUNCTION:
            is_json, value = parsed(item[key])
            if not is_json:
                self._warnings.add(BROKEN, place)
            if arguments_text(value) != item[key]:
                notes[key] = item[key]
        if type != FUNCTION:
            notes["type"] = type
        name = item["name"] if is_named else type.removesuffix("_call")
        use = {"id": item["call_id"], "name": name, "input": value}
        return {"type": "tool_use", "tool_use": use, **NOTES.kept(notes)}

    def _read_result(self, item: Mapping[str, Any], place: int) -> PartData | None:
        notes = without(item, "type", "call_id", "output")
        output = item.get("output")
        if item["type"] != FUNCTION + OUTPUT:
            notes["type"] = item["type"]
        if output is None:
            notes["output"] = NULL if "output" in item else ABSENT
            output = ""
        elif isinstance(output, Mapping):
            notes["output"] = GIVEN_VALUE
            output = [{"type": "data", "data": output}]
        elif isinstance(output, list):
            output = read_content(output, "tool", place, self._warnings)
        elif not isinstance(output, str):
            return None
        result = {"tool_use_id": item["call_id"], "content": output}
        return {"type": "tool_result", "tool_result": result, **NOTES.kept(notes)}


def _with(part: PartData, beside: Mapping[str, Any]) -> PartData:
    """Return a part with what is to be kept beside it."""
    return {**part, "metadata": {**part.get("metadata", {}), **beside}} if beside else part


Item = dict[str, Any]


class Made(NamedTuple):
    """An item, and the metadata of the part or the message that it was made of."""

    item: Item
    metadata: FrozenDict | None


def write_items(message: Message, raw: int, *, plain_text: bool = True) -> list[Made]:
    """Return the items of a message, in the order of its parts.

    A text alone is written as such, or as a list of one part where ``plain_text`` is not wanted.
    """
    notes = NOTES.of(message.metadata)
    if isinstance(message.content, str):
        text = message.content
        content: Any = text
        if not plain_text and notes.get("content") != TEXT:
            content = [{"type": usual_text(message.role), "text": text}]
        return [Made(_message(message, {"content": content}, notes), message.metadata)]
    form = notes.get("content")
    if is_blank(message.content) and isinstance(form, str) and form in EMPTY:
        return [Made(_message(message, EMPTY[form], notes), message.metadata)]
    made: list[Made] = []
    run: list[Part] = []
    for part in message.content:
        item = _own_item(part, raw)
        if item is None:
            run += [part] if holds(part) else []
            continue
        made += _run(message, run, notes, plain_text)
        run = []
        made.append(Made(item, part.metadata))
    return [*made, *_run(message, run, notes, plain_text)]


def _run(message: Message, run: Sequence[Part], notes: Item, plain_text: bool) -> list[Made]:
    """Return the message item of parts that are none of their own."""
    if not run:
        return []
    # Of what the assistant said, only a plain text is taken back without an id.
    usual = TEXT if plain_text and message.role == "assistant" else LIST
    text = run[0].text if len(run) == 1 and _is_plain(run[0]) else ""  # type: ignore[union-attr]
    if text and notes.get("content", usual) == TEXT:
        entry: Item = {"content": text}
    else:
        entry = {"content": [_content_part(part, message.role) for part in run]}
    return [Made(_message(message, entry, notes), message.metadata)]


def _is_plain(part: Part) -> bool:
    return isinstance(part, TextPart) and not NOTES.is_in(part.metadata)


def _message(message: Message, content: Item, notes: Item) -> Item:
    noted = notes.get("role")
    usual = "user" if message.role == "tool" else message.role
    role = noted if isinstance(noted, str) and core_role(noted) == message.role else usual
    type: Item = {} if notes.get("type") == ABSENT else {"type": "message"}
    return merged({**type, "role": role, **content}, without(notes, "type", "role", *PLACES))


PLACES = ("content", "place")
"""Notes that are no keys of an item."""


def holds(part: Part) -> bool:
    """Tell whether a message item can hold a part."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata) or part.data.get("type") in CONTENT_TYPES
    return isinstance(part, TextPart | ImagePart)


def _content_part(part: Part, role: Role) -> Item:
    notes = NOTES.of(part.metadata)
    match part:
        case TextPart():
            type = notes.get("type", usual_text(role))
            return merged({"type": type, "text": part.text}, notes)
        case ImagePart():
            return merged({"type": "input_image", "image_url": part.url}, notes)
    data: Item = thaw(part.data)  # type: ignore[union-attr]
    return data


def _own_item(part: Part, raw: int) -> Item | None:
    """Return the item that a part is by itself, or nothing for a part of a message."""
    notes = NOTES.of(part.metadata)
    match part:
        case ThinkingPart():
            return _reasoning(part, notes, raw)
        case ToolUsePart():
            return _call(part, notes)
        case ToolResultPart():
            return _result(part, notes)
        case DataPart() if notes.get("item") is True:
            item: Item = thaw(part.data)
            return item
    return None


def _reasoning(part: ThinkingPart, notes: Item, raw: int) -> Item:
    if NOTES.is_in(part.metadata) and thought(notes) == part.text:
        return {"type": "reasoning", **notes}
    words = [{"type": "summary_text", "text": part.text}] if part.text else []
    usual = {"type": "reasoning", "id": f"rs_{raw}", "summary": words}
    return {**usual, **without(notes, "summary", "content", "encrypted_content")}


def _call(part: ToolUsePart, notes: Item) -> Item:
    noted_type = notes.pop("type", FUNCTION)
    type = noted_type if isinstance(noted_type, str) and noted_type in CALLS else FUNCTION
    key = CALLS[type]
    noted = notes.pop(key, None)
    value: Any = thaw(part.input)
    row: Item = {"type": type, "call_id": part.id}
    if type in NAMED:
        row["name"] = part.name
    if noted == GIVEN_VALUE or (type != FUNCTION and noted != GIVEN_NOT):
        row[key] = value
    elif noted != GIVEN_NOT or value != {}:
        same = isinstance(noted, str) and arguments_text(parsed(noted)[1]) == arguments_text(value)
        row[key] = noted if same else arguments_text(value)
    return merged(row, notes)


def _result(part: ToolResultPart, notes: Item) -> Item:
    form = notes.pop("output", None)
    row: Item = {"type": notes.pop("type", FUNCTION + OUTPUT), "call_id": part.tool_use_id}
    content = part.content
    if isinstance(content, tuple):
        held = [inside for inside in content if holds(inside)]
        first = content[0] if len(content) == 1 else None
        if form == GIVEN_VALUE and isinstance(first, DataPart):
            row["output"] = thaw(first.data)
        else:
            row["output"] = [_content_part(inside, "tool") for inside in held]
    elif content or form not in (ABSENT, NULL):
        row["output"] = content
    elif form == NULL:
        row["output"] = None
    return merged(row, notes)


def tell_left_out(
    message: Message, raw: int, made: Sequence[Made], warnings: WarningCollector
) -> None:
    """Note what no item of a message holds, and where it is read as several messages."""
    is_split = len(made) > 1 and (message.role != "assistant" or bool(message.results))
    told = {
        "message-split": is_split,
        "result-becomes-tool": bool(message.results and message.role != "tool"),
        "tool-becomes-user": (
            message.role == "tool"
            and not message.results
            and "role" not in NOTES.of(message.metadata)
        ),
    }
    for code, true in told.items():
        if true:
            warnings.add(code, raw)
    for part in message.parts:
        _tell_part(part, message, raw, warnings)


def _tell_part(part: Part, message: Message, raw: int, warnings: WarningCollector) -> None:
    match part:
        case ToolUsePart() if message.role != "assistant":
            warnings.add("call-becomes-assistant", raw)
        case ThinkingPart():
            if part.signature is not None:
                warnings.add("signature-left-out", raw)
            if message.role != "assistant":
                warnings.add("thinking-becomes-assistant", raw)
        case ToolResultPart():
            if part.is_error:
                warnings.add("error-flag-left-out", raw)
            if isinstance(part.content, tuple) and NOTES.of(part.metadata).get("output") is None:
                for inside in part.content:
                    _tell_part(inside, message, raw, warnings)
        case DataPart() if not holds(part):
            warnings.add("part-left-out", raw, "data")
