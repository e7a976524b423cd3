"""Envelopes: the three ways in which LangChain writes a message, around the same body.

``messages_to_dict`` gives ``{type: "human", data}``; ``dumpd`` gives the name of a class with
``kwargs``; a message that is dumped by itself, as LangGraph servers do, has its type in the body.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

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
    read_part,
)
from ..engine.meta_fields import FIELDS
from ..errors import Refused, wrong_type
from ..values.frozen import FrozenDict, same_json, thaw
from ..values.models import Role
from .base import Loaded, ReadOnly, Sureness, Written
from .base import read_rows as read_each
from .chat import ABSENT, LIST, NULL, TEXT, form_of, read_chat, usual_form, write_content
from .chat import read_calls as read_chat_calls
from .chat import write_call as write_chat_call
from .detection import LANGCHAIN, LANGGRAPH, recognise
from .each import OneEach
from .fields import core_role
from .notes import Notes, inner, merged, without
from .warnings import FormatWarning, WarningCollector, as_role, bare, beside_messages, kept_keys

TO_DICT = "messages_to_dict"
DUMPD = "dumpd"
FLAT = "flat"

TYPES: dict[Role, str] = {"system": "system", "user": "human", "assistant": "ai", "tool": "tool"}
CLASSES: dict[Role, str] = {
    "system": "SystemMessage",
    "user": "HumanMessage",
    "assistant": "AIMessage",
    "tool": "ToolMessage",
}
CHAT = "chat"
"""The kind of messages that say their role themselves."""
WORDS: dict[str, Role] = {"human": "user", "ai": "assistant"}
"""What LangChain calls otherwise than everybody else."""


class Opened(NamedTuple):
    """A message out of its envelope: what was written around the body, and the body."""

    shape: str
    outer: dict[str, Any]
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        """Return the word for what the message is: human, ai, tool."""
        return kind_of(self.outer)


def open_row(row: Any) -> Opened:
    """Return a message out of its envelope, or refuse it."""
    match row:
        case {"lc": _, "id": [*_, str()], "kwargs": Mapping() as body}:
            return Opened(DUMPD, without(row, "kwargs"), dict(body))
        case {"type": str(), "data": Mapping() as body}:
            return Opened(TO_DICT, without(row, "data"), dict(body))
        case {"type": str(type), "content": _}:
            return Opened(FLAT, {"type": type}, without(row, "type"))
    raise wrong_type("message", row, "a LangChain message with a type and data, or of a class")


def kind_of(outer: Mapping[str, Any]) -> str:
    """Return the word for what an envelope holds; chunks of a message are one."""
    names = outer.get("id")
    word = names[-1] if "lc" in outer and isinstance(names, list) and names else outer.get("type")
    if not isinstance(word, str):
        return ""
    return word.removesuffix("Chunk").removesuffix("Message").casefold()


def role_of(outer: Mapping[str, Any], body: Mapping[str, Any]) -> Role:
    """Return core's role for a message; one of the kind chat says its role itself."""
    kind = kind_of(outer)
    if kind == CHAT and isinstance(body.get("role"), str):
        kind = body["role"]
    return WORDS.get(kind) or core_role(kind)


def says(body: Mapping[str, Any], role: Role) -> bool:
    """Tell whether the type within a body, if it has one, is that of a role."""
    type = body.get("type")
    return not isinstance(type, str) or role_of({"type": type}, body) == role


def usual_outer(shape: str, role: Role, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands around a body of some role where nothing else was noted.

    A tool's message must tell of which call; one that does not is of the kind chat.
    """
    is_loose = role == "tool" and "tool_call_id" not in body
    if shape == DUMPD:
        names = ["langchain", "schema", "messages", "ChatMessage" if is_loose else CLASSES[role]]
        return {"lc": 1, "type": "constructor", "id": names}
    return {"type": CHAT if is_loose else TYPES[role]}


def close_row(shape: str, outer: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message in its envelope."""
    match shape:
        case "dumpd":
            return {**outer, "kwargs": body}
        case "flat":
            return {**body, **outer}
    return {**outer, "data": body}


NOTES = Notes("langchain")
KEPT_AS_DATA = "part-kept-as-data"
BARE = "bare"
"""The noted type of a text that stands in the list without a block around it."""
BARE_URL = "bare image_url"
BY_URL = "image"
BY_DATA = {"image base64": "base64", "image data": "data"}
"""Pictures within the message, by the noted type: the key that has the bytes."""
MIME = r"[\w.+-]+/[\w.+-]+"
DATA_URL = re.compile(rf"data:({MIME});base64,(.*)", re.DOTALL)


def read_blocks(content: object, message: int, warnings: WarningCollector) -> list[dict[str, Any]]:
    """Return the parts of a content as core data; none for an empty one."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list):
        return []
    return [_read_block(block, i, message, warnings) for i, block in enumerate(content)]


def _read_block(block: Any, place: int, message: int, warnings: WarningCollector) -> dict[str, Any]:
    match block:
        case str():
            return {"type": "text", "text": block, **NOTES.kept({"type": BARE})}
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text, **NOTES.kept(without(block, "type", "text"))}
        case {"type": "thinking", "thinking": str(text)}:
            return _thinking(block, text, {})
        case {"type": "reasoning", "reasoning": str(text)}:
            return _thinking(block, text, {"type": "reasoning"})
        case {"type": "image_url" | "image"} if found := _read_image(block):
            return found
        case Mapping():
            warnings.add(KEPT_AS_DATA, message, bare(block.get("type")))
            return as_data(block)
    raise wrong_type(f"content[{place}]", block, "text or an object with a type")


def as_data(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return a block as core data that is given back as it is."""
    return {"type": "data", "data": block, "metadata": {NOTES.key: {}}}


def _thinking(block: Mapping[str, Any], text: str, notes: dict[str, Any]) -> dict[str, Any]:
    """Return a block of reasoning; a signature that is no text is only noted."""
    signed = {"signature": block["signature"]} if isinstance(block.get("signature"), str) else {}
    notes = {**without(block, "type", block["type"], *signed), **notes}
    return {"type": "thinking", "thinking": {"text": text, **signed}, **NOTES.kept(notes)}


def _read_image(block: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a picture, or None where its address is in no known place."""
    match block:
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            notes = without(block, "type", "image_url")
            if len(block["image_url"]) > 1:
                notes["image_url"] = without(block["image_url"], "url")
        case {"type": "image_url", "image_url": str(url)}:
            notes = {**without(block, "image_url"), "type": BARE_URL}
        case {"type": "image", "url": str(url)}:
            notes = {**without(block, "url"), "type": BY_URL}
        case {"type": "image", "mime_type": str(mime)} if re.fullmatch(MIME, mime):
            forms = [form for form, key in BY_DATA.items() if isinstance(block.get(key), str)]
            if len(forms) != 1:
                return None
            form, key = forms[0], BY_DATA[forms[0]]
            url = f"data:{mime};base64,{block[key]}"
            notes = {**without(block, key, "mime_type"), "type": form}
        case _:
            return None
    return {"type": "image", "image_url": {"url": url}, **NOTES.kept(notes)}


def write_block(own: Notes, part: Part) -> Any:
    """Return a part as a block."""
    notes = own.of(part.metadata)
    match part:
        case TextPart():
            if notes.get("type") == BARE:
                return part.text
            return merged({"type": "text", "text": part.text}, notes)
        case ThinkingPart():
            type = "reasoning" if notes.get("type") == "reasoning" else "thinking"
            signed = {} if part.signature is None else {"signature": part.signature}
            return merged({"type": type, type: part.text, **signed}, notes)
        case ImagePart():
            return _write_image(part, notes)
        case DataPart():
            return thaw(part.data)
    raise AssertionError("only parts that a content can hold are written")


def _write_image(part: ImagePart, notes: dict[str, Any]) -> dict[str, Any]:
    form, rest = notes.get("type"), without(notes, "type")
    data = DATA_URL.fullmatch(part.url)
    if form == BARE_URL:
        return merged({"type": "image_url", "image_url": part.url}, rest)
    if form in BY_DATA and data is not None:
        row = {"type": "image", BY_DATA[form]: data[2], "mime_type": data[1]}
        return merged(row, rest)
    if form is not None:
        return merged({"type": "image", "url": part.url}, rest)
    image = merged({"url": part.url}, inner(notes, "image_url"))
    return merged({"type": "image_url", "image_url": image}, rest)


def holds(part: Part) -> bool:
    """Tell whether a content can hold a part; LangChain hands on the blocks of any provider."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata) or isinstance(part.data.get("type"), str)
    return isinstance(part, TextPart | ImagePart | ThinkingPart)


OPENAI = Notes("openai")
CALLS, INVALID, EXTRAS = "tool_calls", "invalid_tool_calls", "additional_kwargs"
BLOCKS = {"tool_use": "input", "tool_call": "args"}
"""Blocks for calls, and where these have the arguments."""
USUAL_TYPES = {CALLS: "tool_call", INVALID: "invalid_tool_call"}
LIST_CONTENT, BLOCK, RAW, MADE_ID = "list", "block", "raw", "made_id"
OURS = (LIST_CONTENT, BLOCK, RAW, MADE_ID)
"""Notes of a call: the list it stood in, its block, what OpenAI sent, and that it had no id."""
ABSENT_CONTENT = {"given": "absent"}
UNREADABLE = "call-unreadable"
NO_ID = "call-id-made"

Call = dict[str, Any]


def take_calls(body: dict[str, Any], message: int, warnings: WarningCollector) -> list[Call]:
    """Return the calls of a message as core data, and take them out of its body."""
    found: list[Call] = []
    for name in (CALLS, INVALID):
        rows = body.get(name)
        if not isinstance(rows, list) or not rows:
            continue
        read = [
            _read_call(row, name, f"call_{message}_{len(found) + i}") for i, row in enumerate(rows)
        ]
        calls = [call for call in read if call is not None]
        if len(calls) < len(rows):
            warnings.add(UNREADABLE, message, name)
            continue
        if any(MADE_ID in _notes(call) for call in calls):
            warnings.add(NO_ID, message)
        found += calls
        del body[name]
    if found:
        _take_raw(body, found, message)
    return found


def _notes(call: Call) -> dict[str, Any]:
    return inner(inner(call, "metadata"), NOTES.key)


def _noted(call: Call, **notes: Any) -> Call:
    return {**call, "metadata": {NOTES.key: {**_notes(call), **notes}}}


def _read_call(row: object, name: str, made: str) -> Call | None:
    """Return a call, or None where it lacks a name or arguments."""
    if not isinstance(row, Mapping) or "args" not in row or not isinstance(row.get("name"), str):
        return None
    if any(key in row for key in OURS) or (
        name == INVALID and not isinstance(row["args"], str | None)
    ):
        return None
    notes = without(row, "name", "args", "id", "type")
    if row.get("type", ABSENT_CONTENT) != USUAL_TYPES[name]:
        notes["type"] = row.get("type", ABSENT_CONTENT)
    id = row.get("id")
    if id is None:
        id, notes[MADE_ID] = made, (None if "id" in row else ABSENT_CONTENT)
    elif not isinstance(id, str):
        return None
    if name == INVALID or not isinstance(row["args"], Mapping):
        notes = {LIST_CONTENT: name, **notes}
    use = {"id": id, "name": row["name"], "input": row["args"]}
    return {"type": "tool_use", "tool_use": use, **NOTES.kept(notes)}


def _take_raw(body: dict[str, Any], found: list[Call], message: int) -> None:
    """Note what OpenAI sent with each call, if that is the same calls."""
    extras = body.get(EXTRAS)
    rows = extras.get(CALLS) if isinstance(extras, Mapping) else None
    if not isinstance(rows, list):
        return
    try:
        sent = read_chat_calls(OPENAI, rows, message, WarningCollector())
    except Refused:
        return
    if [_said(call) for call in sent] != [_said(call) for call in found]:
        return
    noted = [
        _noted(call, **{RAW: inner(inner(one, "metadata"), OPENAI.key)})
        for call, one in zip(found, sent, strict=True)
    ]
    try:
        given_back = [_write_raw(_part(call)) for call in noted]
    except Refused:
        return
    if same_json(given_back, rows):
        found[:] = noted
        body[EXTRAS] = without(body[EXTRAS], CALLS)


def _part(call: Call) -> ToolUsePart:
    part = read_part(call, "call")
    assert isinstance(part, ToolUsePart)
    return part


def with_blocks(parts: list[Call], calls: list[Call]) -> list[Call]:
    """Return the parts of a message in order, each call where the content has its block.

    Blocks become calls only if they are the first of them, so that they can be told again.
    """
    places = [i for i, part in enumerate(parts) if _block(part) in BLOCKS]
    valid = [call for call in calls if isinstance(call["tool_use"]["input"], Mapping)]
    first = valid[: len(places)]
    blocks = [parts[place]["data"] for place in places]
    if len(first) < len(places) or not all(map(_is_block_of, blocks, first)):
        return [*parts, *calls]
    merged_parts = list(parts)
    for place, block, call in zip(places, blocks, first, strict=True):
        rest = without(block, "id", "name", BLOCKS[block["type"]])
        merged_parts[place] = _noted(call, **{BLOCK: rest})
    return [*merged_parts, *calls[len(first) :]]


def _block(part: Call) -> object:
    type = inner(part, "data").get("type") if part["type"] == "data" else None
    return type if isinstance(type, str) else None


def _is_block_of(block: Mapping[str, Any], call: Call) -> bool:
    if any(key not in block for key in ("id", "name", BLOCKS[block["type"]])):
        return False
    use = {"id": block["id"], "name": block["name"], "input": block[BLOCKS[block["type"]]]}
    return same_json(use, call["tool_use"]) and MADE_ID not in _notes(call)


def _said(call: Call) -> str:
    return _json_of(call["tool_use"])


def _json_of(value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except (ValueError, RecursionError):
        raise wrong_type("args", value, "a JSON value that can be kept") from None


def was_block(part: ToolUsePart) -> bool:
    """Tell whether a call stood in the content too."""
    return BLOCK in NOTES.of(part.metadata)


def write_call_block(part: ToolUsePart) -> dict[str, Any]:
    """Return the block of a call within the content."""
    notes = inner(NOTES.of(part.metadata), BLOCK)
    type = notes.get("type") if notes.get("type") in BLOCKS else "tool_use"
    row = {"type": type, "id": part.id, "name": part.name, BLOCKS[str(type)]: thaw(part.input)}
    return merged(row, notes)


def put_calls(body: dict[str, Any], calls: Sequence[ToolUsePart]) -> None:
    """Put calls into the body of a message, everywhere they stood."""
    for name in (CALLS, INVALID):
        rows = [_write(part) for part in calls if _list_of(part) == name]
        if rows:
            body[name] = rows
    raw = [_write_raw(part) for part in calls if RAW in NOTES.of(part.metadata)]
    if raw:
        body[EXTRAS] = {**inner(body, EXTRAS), CALLS: raw}


def _list_of(part: ToolUsePart) -> str:
    """Return the list for a call; whose arguments were mended is invalid no more."""
    is_listed = NOTES.of(part.metadata).get(LIST_CONTENT) == CALLS
    return CALLS if is_listed or is_valid(part) else INVALID


def is_valid(part: ToolUsePart) -> bool:
    """Tell whether LangChain takes a call for a valid one."""
    return isinstance(part.input, Mapping)


def becomes_text(part: ToolUsePart) -> bool:
    """Tell whether the arguments of a call can only be written as the text of their JSON."""
    return _list_of(part) == INVALID and not isinstance(part.input, str | None)


def in_lists(calls: Sequence[ToolUsePart]) -> list[ToolUsePart]:
    """Return calls in the order in which their lists have them."""
    return sorted(calls, key=lambda part: _list_of(part) == INVALID)


def _write(part: ToolUsePart) -> dict[str, Any]:
    notes = without(NOTES.of(part.metadata), LIST_CONTENT, BLOCK, RAW)
    if part.id.startswith("call_") and MADE_ID in notes:
        id: dict[str, Any] = {} if notes[MADE_ID] == ABSENT_CONTENT else {"id": None}
    else:
        id = {"id": part.id}
    name, args = _list_of(part), thaw(part.input)
    type = notes.get("type", USUAL_TYPES[name])
    if NOTES.of(part.metadata).get(LIST_CONTENT) == INVALID and name == CALLS:
        notes, type = without(notes, "error"), USUAL_TYPES[CALLS]
    typed = {} if type == ABSENT_CONTENT else {"type": type}
    if becomes_text(part):
        args = _json_of(args)
    row = {"name": part.name, "args": args, **id, **typed}
    return merged(row, without(notes, "type", MADE_ID))


def _write_raw(part: ToolUsePart) -> dict[str, Any]:
    raw = FrozenDict({OPENAI.key: NOTES.of(part.metadata).get(RAW, {})})
    return write_chat_call(OPENAI, replace(part, metadata=raw))


Data = dict[str, Any]
IS_ERROR = {"error": True, "success": False}
"""What a tool's message says of how it went."""
IN_RESULTS = ("text", "image", "data")
"""Parts that a result can hold."""


def read_rows(rows: Sequence[object]) -> tuple[tuple[Message, ...], str, tuple[FormatWarning, ...]]:
    """Return core messages, the shape that most came in, and what was adapted.

    A bad message is left out and told; if all are bad, the first is refused by its index.
    """
    warnings = WarningCollector()
    usual = _usual_shape(rows)
    messages = read_each(
        rows, lambda row, place: _read(open_row(row), usual, place, warnings), warnings
    )
    return tuple(messages), usual, warnings.found()


def _usual_shape(rows: Sequence[object]) -> str:
    """Return the shape of most messages."""
    shapes: Counter[str] = Counter()
    for row in rows:
        with suppress(Refused):
            shapes[open_row(row).shape] += 1
    return max(shapes, key=lambda shape: shapes[shape], default=TO_DICT)


def _read(one: Opened, usual_shape: str, place: int, warnings: WarningCollector) -> Message:
    """Return one message; what core has no place for is noted by where it stood."""
    role = role_of(one.outer, one.body)
    rest = without(one.body, "content")
    fields: Data = {"role": role}
    if isinstance(rest.get("id"), str):
        fields["id"] = rest.pop("id")
    is_result = role == "tool" and isinstance(rest.get("tool_call_id"), str)
    read = _read_result if is_result else _read_content
    fields["content"], form = read(one.body, rest, role, place, warnings)
    _tell(one, role, rest, place, warnings)
    if form is not None:
        rest["content"] = form
    notes: Data = {"body": rest} if rest else {}
    if one.shape != usual_shape:
        notes["shape"] = one.shape
    if one.outer != usual_outer(one.shape, role, one.body) or not says(rest, role):
        notes["outer"] = one.outer
    return Message.from_dict({**fields, **NOTES.kept(notes)})


def _read_content(
    body: Data, rest: Data, role: Role, place: int, warnings: WarningCollector
) -> tuple[Any, str | None]:
    """Return the content of a message, and the form it came in where that is not the usual one."""
    form = form_of(body)
    seen = WarningCollector()
    parts = read_blocks(body.get("content"), place, seen)
    if role == "assistant":
        calls = take_calls(rest, place, warnings)
        every = with_blocks(parts, calls) if calls else parts
    else:
        calls, every = [], parts
    content = [part for part in every if not _is_call_only(part)]
    # Blocks that became calls are no data any more, so only those that stayed are told.
    for part in content:
        if part["type"] == "data":
            warnings.add(KEPT_AS_DATA, place, bare(part["data"].get("type")))
    usual = usual_form(NOTES, [read_part(part, "content") for part in content], beside_calls=False)
    noted = None if form == usual else form
    return every or [{"type": "text", "text": ""}], noted


def _is_call_only(part: Data) -> bool:
    """Tell whether a part is a call that the content has no block for."""
    notes = part.get("metadata", {}).get(NOTES.key, {})
    return part["type"] == "tool_use" and "block" not in notes


def _read_result(
    body: Data, rest: Data, _role: Role, place: int, warnings: WarningCollector
) -> tuple[Any, str | None]:
    """Return the result of a call, and the form of its content where that is not told by it."""
    form, content = form_of(body), body.get("content")
    result: Data = {"tool_use_id": rest.pop("tool_call_id"), "content": content}
    if isinstance(content, list):
        parts = read_blocks(content, place, warnings)
        result["content"] = [
            part if part["type"] in IN_RESULTS else as_data(block)
            for part, block in zip(parts, content, strict=True)
        ]
    elif content is None:
        result["content"] = ""
    if isinstance(rest.get("status"), str) and rest["status"] in IS_ERROR:
        result["is_error"] = IS_ERROR[rest.pop("status")]
    noted = form if form in (ABSENT, NULL) else None
    return [{"type": "tool_result", "tool_result": result}], noted


def _tell(one: Opened, role: Role, rest: Data, place: int, warnings: WarningCollector) -> None:
    """Tell which keys are only kept, and which role nobody knows."""
    unplaced = [key for key, value in rest.items() if key != "type" and value not in (None, [], {})]
    if unplaced:
        warnings.add("keys-kept", place, *kept_keys(NOTES.key, unplaced))
    if one.kind != TYPES[role]:
        warnings.add("role-read-as", place, as_role(one.kind, role))


Row = dict[str, Any]
STATUS_OF = {True: "error", False: "success"}
ROLE_KEYS = ("type", "role")
"""Keys of a body that say its role, and count no more when that has changed."""


def write_rows(
    messages: Iterable[tuple[int, Message]], shape: str
) -> tuple[list[Row], tuple[FormatWarning, ...]]:
    """Return LangChain messages for messages with their raw indices, and what was left out."""
    writer = _Writer(shape)
    rows = [row for raw, message in messages for row in writer.write(raw, message)]
    return rows, writer.warnings.found()


class _Writer:
    """Writes message after message; one of core may be several of LangChain."""

    def __init__(self, shape: str) -> None:
        self._shape = shape
        self.warnings = WarningCollector()

    def write(self, raw: int, message: Message) -> list[Row]:
        """Return the messages for one: its results, and whatever else it says."""
        self._tell_left_out(raw, message)
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        others = [part for part in message.parts if _is_own(message, part)]
        if results and not others:
            first, *more = results
            bodies = [self._result(first, message.id, self._notes(message))]
            bodies += [self._result(part, None, {}) for part in more]
            rows = [self._closed(message, "tool", bodies[0])]
            rows += [_new(self._shape, "tool", body) for body in bodies[1:]]
        else:
            own = self._closed(message, message.role, self._body(raw, message, others))
            answers = [_new(self._shape, "tool", self._result(part, None, {})) for part in results]
            # Results must follow their calls at once, which stand here or in the message before.
            rows = [own, *answers] if message.role == "assistant" else [*answers, own]
        if results and message.role != "tool":
            self.warnings.add("result-becomes-tool", raw)
        if len(rows) > 1:
            self.warnings.add("message-split", raw)
        return rows

    def _notes(self, message: Message) -> Row:
        """Return what was noted of the body, without what a changed role makes untrue."""
        notes = NOTES.of(message.metadata)
        body = inner(notes, "body")
        outer = inner(notes, "outer")
        fits = role_of(outer, body) == message.role if outer else says(body, message.role)
        return body if fits else without(body, *ROLE_KEYS)

    def _closed(self, message: Message, role: Role, body: Row) -> Row:
        """Return a body in the envelope that it came in, as long as that fits its role."""
        notes = NOTES.of(message.metadata)
        shape = notes.get("shape")
        shape = shape if shape in (TO_DICT, DUMPD, FLAT) else self._shape
        outer = inner(notes, "outer")
        if not outer or role_of(outer, body) != role:
            return _new(shape, role, body)
        return close_row(shape, outer, body)

    def _body(self, raw: int, message: Message, parts: Sequence[Part]) -> Row:
        """Return the body of a message that is no result."""
        notes = self._notes(message)
        last = max((i for i, part in enumerate(parts) if _in_content(part)), default=-1)
        content = [part for part in parts[: last + 1] if not _is_invalid(part)]
        calls = [part for part in parts if isinstance(part, ToolUsePart)]
        usual = usual_form(NOTES, content, beside_calls=False)
        entry = write_content(NOTES, content, notes.get("content"), usual, _write_part)
        body = merged({**entry, **_with_id(message.id)}, without(notes, "content"))
        put_calls(body, calls)
        after = [part for part in parts if isinstance(part, ToolUsePart) and part not in content]
        told: list[Part] = [*content, *in_lists(after)]
        if any(one is not other for one, other in zip(parts, told, strict=True)):
            self.warnings.add("parts-reordered", raw)
        if any(map(becomes_text, calls)):
            self.warnings.add("input-becomes-text", raw)
        return body

    def _result(self, part: ToolResultPart, id: str | None, notes: Row) -> Row:
        """Return the body of a message with the result of a call."""
        parts = (TextPart(part.content),) if isinstance(part.content, str) else part.content
        usual = TEXT if isinstance(part.content, str) else LIST
        noted = notes.get("content") if part.content == "" else None
        form = noted if noted in (ABSENT, NULL) else usual
        held = [one for one in parts if holds(one)]
        entry = write_content(NOTES, held, form, usual, _write_part)
        status = {} if part.is_error is None else {"status": STATUS_OF[part.is_error]}
        row = {**entry, "tool_call_id": part.tool_use_id, **status, **_with_id(id)}
        return merged(row, without(notes, "content"))

    def _tell_left_out(self, raw: int, message: Message) -> None:
        """Note everything about a message that no message of LangChain will hold."""
        if message.timestamp is not None:
            self.warnings.add("timestamp-left-out", raw)
        if NOTES.has_others(message.metadata):
            self.warnings.add("metadata-left-out", raw)
        for part in message.parts:
            self._tell_part(raw, message, part)

    def _tell_part(self, raw: int, message: Message, part: Part) -> None:
        if NOTES.has_others(part.metadata):
            self.warnings.add("metadata-left-out", raw)
        match part:
            case ToolUsePart():
                if message.role != "assistant":
                    self.warnings.add("call-left-out", raw)
            case ToolResultPart():
                for inside in part.content if isinstance(part.content, tuple) else ():
                    self._tell_part(raw, message, inside)
            case _ if not holds(part):
                self.warnings.add("part-left-out", raw, part.type)


def _new(shape: str, role: Role, body: Row) -> Row:
    """Return a body in the envelope for its role."""
    outer = usual_outer(shape, role, body)
    if kind_of(outer) == CHAT:
        body = {"role": role, **body}
    return close_row(shape, outer, body)


def _is_own(message: Message, part: Part) -> bool:
    """Tell whether a part stands in the message itself, as results don't."""
    return holds(part) or (isinstance(part, ToolUsePart) and message.role == "assistant")


def _in_content(part: Part) -> bool:
    """Tell whether the content goes as far as a part: calls after it are only listed."""
    return not isinstance(part, ToolUsePart) or was_block(part)


def _is_invalid(part: Part) -> bool:
    """Tell whether a part is a call that no block can stand for."""
    return isinstance(part, ToolUsePart) and not is_valid(part) and not was_block(part)


def _write_part(own: Notes, part: Part) -> Any:
    return write_call_block(part) if isinstance(part, ToolUsePart) else write_block(own, part)


def _with_id(id: str | None) -> Row:
    return {} if id is None else {"id": id}


ALONE, BESIDE, SHAPE = "alone", "beside", "shape"
"""Notes of a conversation: that it was one message without a list, or in an object."""


class LangChain(OneEach):
    """What ``messages_to_dict`` or ``dumpd`` gives for messages, given back in the same shape.

    What core has no place for is noted by where it stood: in the ``body`` of a message, or
    ``outer``, around it.
    """

    name = "langchain"
    about = "LangChain messages, of messages_to_dict or dumpd"
    suffixes = (".langchain.json", ".langchain.jsonl")
    kinds = (LANGCHAIN,)
    takes_lists = True
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there are messages of LangChain; one alone is rather a line of several."""
        if recognise(value) != LANGCHAIN:
            return Sureness.NO
        return Sureness.LOOKS_LIKE if _rows(value) is not None else Sureness.COULD_BE

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the messages."""
        rows = _rows(value)
        notes: dict[str, Any] = {}
        fields: dict[str, Any] = {}
        if rows is None:
            rows, notes[ALONE] = [value], True
        elif isinstance(value, Mapping):
            notes[BESIDE], fields = {}, without(value, "messages")
        if not rows:
            raise wrong_type("messages", rows, "a list of LangChain messages")
        messages, shape, adapted = read_rows(rows)
        meta = NOTES.beside({SHAPE: shape, **notes}, fields)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages, as they came: in a list, in an object or alone."""
        notes = NOTES.of(conversation.meta)
        shape = notes.get(SHAPE)
        shape = shape if shape in (TO_DICT, DUMPD, FLAT) else TO_DICT
        pairs = zip(conversation.view, conversation.visible, strict=True)
        rows, adapted = write_rows(pairs, shape)
        data: Any = rows
        if BESIDE in notes:
            data = {"messages": rows, **without(NOTES.fields_of(conversation.meta), "messages")}
        elif ALONE in notes and len(rows) == 1:
            (data,) = rows
        held = (self.name, FIELDS) if BESIDE in notes else (self.name,)
        return Written(data, (*beside_messages(conversation, *held), *adapted))


def _rows(value: object) -> list[object] | None:
    """Return the messages of a conversation, or None where it is a single message."""
    rows = value.get("messages") if isinstance(value, Mapping) else value
    return rows if isinstance(rows, list) else None


HOLDERS = ("values", "channel_values")
"""Where a snapshot of a state, and a checkpoint, have their messages."""


class LangGraph(ReadOnly, OneEach):
    """A state as servers and checkpointers give it; of a history, each is a conversation.

    Everything else is in the other fields.
    """

    name = "langgraph"
    about = "a LangGraph state with messages"
    kinds = (LANGGRAPH,)

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the messages of the state."""
        state = value if isinstance(value, Mapping) else {}
        holder = next((key for key in HOLDERS if isinstance(state.get(key), Mapping)), HOLDERS[0])
        inside = state.get(holder)
        rows = inside.get("messages") if isinstance(inside, Mapping) else None
        if not isinstance(inside, Mapping) or not isinstance(rows, list):
            raise wrong_type(f"{holder}.messages", rows, "a list of messages")
        beside = {**without(state, holder), holder: without(inside, "messages")}
        # A graph may be given chat messages, which stay as they are where nobody converts them.
        if any(isinstance(row, Mapping) and "role" in row and "type" not in row for row in rows):
            messages, adapted = read_chat(rows, self.name)
        else:
            messages, _, adapted = read_rows(rows)
        meta = Notes(self.name).beside({}, beside)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)
