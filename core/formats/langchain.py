"""Envelopes: the three ways in which LangChain writes a message, around the same body.

``messages_to_dict`` gives ``{type: "human", data}``; ``dumpd`` gives the name of a class with
``kwargs``; a message that is dumped on its own, as LangGraph servers do, has its type in the body.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
)
from ..engine.meta_fields import FIELDS
from ..engine.operations import Append, Delete, Replace
from ..errors import Refused, wrong_type
from ..values.frozen import freeze, same_json, thaw
from ..values.models import Role
from .base import LEFT_OUT, Confidence, JsonFormat, Layout, Loaded, ReadOnly, Written, rows_in
from .base import read_rows as read_each
from .detection import LANGCHAIN, detect_kind
from .fields import core_role, is_object, read_timestamp
from .format_metadata import (
    ABSENT,
    GIVEN_NOT,
    MADE_ID,
    NULL,
    ContentBlocks,
    FormatMetadata,
    PartField,
    Shape,
    content_entry,
    form_of,
    inner,
    is_made,
    merged,
    plain_text,
    without,
)
from .losses import Holds, conversation_losses
from .openai import CHAT_BLOCKS, ChatDialect, read_chat, result_content, usual_form
from .source import Source
from .tools import NO_ID
from .warnings import (
    FormatWarning,
    WarningCollector,
    as_role,
    bare,
    kept_keys,
    kind_name,
    without_values,
)

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


class OpenedRow(NamedTuple):
    """A message out of its envelope: what was written around the body, and the body."""

    shape: str
    outer: dict[str, Any]
    body: dict[str, Any]


def open_row(row: Any) -> OpenedRow:
    """Return a message out of its envelope, or refuse it."""
    match row:
        case {"lc": _, "id": [*_, str()], "kwargs": Mapping() as body}:
            return OpenedRow(DUMPD, without(row, "kwargs"), dict(body))
        case {"type": str(), "data": Mapping() as body}:
            return OpenedRow(TO_DICT, without(row, "data"), dict(body))
        case {"type": str(type), "content": _}:
            return OpenedRow(FLAT, {"type": type}, without(row, "type"))
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
    """Return whether the type within a body, if it has one, is that of a role."""
    type = body.get("type")
    return not isinstance(type, str) or role_of({"type": type}, body) == role


def usual_outer(shape: str, role: Role, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the usual envelope of a body of some role.

    A tool's message must name its call; one that does not is of the kind chat.
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


NOTES = FormatMetadata("langchain")
OPENAI = ChatDialect("openai")
Row = dict[str, Any]
BARE = "bare"
"""The stored type of a text that is in the list without a block around it."""
BARE_URL = "bare image_url"
BY_URL = "image"
BY_DATA = {"image base64": "base64", "image data": "data"}
"""Pictures within the message, by the stored type: the key that has the bytes."""
MIME = r"[\w.+-]+/[\w.+-]+"
DATA_URL = re.compile(rf"data:({MIME});base64,(.*)", re.DOTALL)
THOUGHTS = {
    type: Shape(
        ThinkingPart,
        {"type": type, type: PartField("text"), "signature": PartField("signature", "optional")},
    )
    for type in ("thinking", "reasoning")
}


class _LangChainBlocks(ContentBlocks):
    def read_one(self, block: object, index: int, place: int, warnings: WarningCollector) -> Part:
        if isinstance(block, str):
            return TextPart(block, NOTES.frozen({"type": BARE}))
        return super().read_one(block, index, place, warnings)

    def part_of(
        self, block: Mapping[str, Any], place: int, warnings: WarningCollector
    ) -> Part | None:
        found: Part | None
        match block.get("type"):
            case "reasoning":
                found = THOUGHTS["reasoning"].read(NOTES, block, type="reasoning")
            case "image_url" | "image":
                found = _read_image(block) or super().part_of(block, place, warnings)
            case _:
                found = super().part_of(block, place, warnings)
        return found

    def write(self, part: Part) -> Any:
        notes = NOTES.of(part.metadata)
        match part:
            case TextPart() if notes.get("type") == BARE:
                return part.text
            case ThinkingPart() if notes.get("type") == "reasoning":
                return THOUGHTS["reasoning"].write_with(notes, part)
            case ImagePart():
                return _write_image(part, notes)
            case ToolUsePart():
                block = inner(notes, BLOCK)
                type = bare(block.get("type", "tool_use"))
                key = CALL_BLOCKS.get(type, "input")
                row = {"type": type, "id": part.id, "name": part.name, key: thaw(part.input)}
                return merged(row, block)
        return super().write(part)


BLOCKS = _LangChainBlocks(NOTES, {**CHAT_BLOCKS, "thinking": THOUGHTS["thinking"]})


def _read_image(block: Mapping[str, Any]) -> ImagePart | None:
    """Return a picture that is not written as chat has it, or None."""
    match block:
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
    return ImagePart(url, NOTES.frozen(notes))


def _write_image(part: ImagePart, notes: Row) -> Row:
    form, rest = notes.get("type"), without(notes, "type")
    data = DATA_URL.fullmatch(part.url)
    if form == BARE_URL:
        return merged({"type": "image_url", "image_url": part.url}, rest)
    if form in BY_DATA and data is not None:
        row = {"type": "image", BY_DATA[form]: data[2], "mime_type": data[1]}
        return merged(row, rest)
    if form is not None:
        return merged({"type": "image", "url": part.url}, rest)
    return CHAT_BLOCKS["image_url"].write_with(rest, part)


def holds(part: Part, role: Role = "user") -> bool:
    """Return whether a content can hold a part; LangChain passes on the blocks of any provider."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata) or isinstance(part.data.get("type"), str)
    if isinstance(part, ToolUsePart):
        return role == "assistant"
    return isinstance(part, TextPart | ImagePart | ThinkingPart)


LOSSES = Holds(
    NOTES, holds, id=True, error=True, signature=True, foreign_result="result-becomes-tool"
)
CALLS, INVALID, EXTRAS = "tool_calls", "invalid_tool_calls", "additional_kwargs"
CALL_BLOCKS = {"tool_use": "input", "tool_call": "args"}
"""Blocks for calls, and where these have the arguments."""
USUAL_TYPES = {CALLS: "tool_call", INVALID: "invalid_tool_call"}
LIST_CONTENT, BLOCK, RAW = "list", "block", "raw"
OURS = (LIST_CONTENT, BLOCK, RAW, MADE_ID)
"""What is stored of a call: its list, its block, what OpenAI sent, and that it had no id."""


def take_calls(body: Row, message: int, warnings: WarningCollector) -> list[ToolUsePart]:
    """Return the calls of a message, and take them out of its body."""
    found: list[ToolUsePart] = []
    for name in (CALLS, INVALID):
        rows = body.get(name)
        if not isinstance(rows, list) or not rows:
            continue
        read = [
            _read_call(row, name, f"call_{message}_{len(found) + i}") for i, row in enumerate(rows)
        ]
        calls = [call for call in read if call is not None]
        if len(calls) < len(rows):
            warnings.add("call-unreadable", message, name)
            continue
        if any(MADE_ID in NOTES.of(call.metadata) for call in calls):
            warnings.add(NO_ID, message)
        found += calls
        del body[name]
    return _with_raw(body, found, message) if found else found


def _noted(call: ToolUsePart, **notes: Any) -> ToolUsePart:
    return replace(call, metadata=NOTES.frozen({**NOTES.of(call.metadata), **notes}))


def _read_call(row: object, name: str, made: str) -> ToolUsePart | None:
    """Return a call, or None where it lacks a name or arguments."""
    if not is_object(row) or "args" not in row or not isinstance(row.get("name"), str):
        return None
    id, args = row.get("id"), row["args"]
    is_odd = name == INVALID and not isinstance(args, str | None)
    if is_odd or any(key in row for key in OURS) or not isinstance(id, str | None):
        return None
    notes = without(row, "name", "args", "id", "type")
    if row.get("type", GIVEN_NOT) != USUAL_TYPES[name]:
        notes["type"] = row.get("type", GIVEN_NOT)
    if id is None:
        id, notes[MADE_ID] = made, (None if "id" in row else GIVEN_NOT)
    if name == INVALID or not isinstance(args, Mapping):
        notes[LIST_CONTENT] = name
    return ToolUsePart(id, row["name"], freeze(args, "input"), NOTES.frozen(notes or None))


def _with_raw(body: Row, found: list[ToolUsePart], message: int) -> list[ToolUsePart]:
    """Return calls with what OpenAI sent of each, if that is the same calls."""
    rows = inner(body, EXTRAS).get(CALLS)
    if not isinstance(rows, list):
        return found
    try:
        sent = OPENAI.read_calls(rows, message, WarningCollector())
    except Refused:
        return found
    keys = [[[one.id, one.name, thaw(one.input)] for one in some] for some in (sent, found)]
    if not same_json(*keys):
        return found
    pairs = zip(found, sent, strict=True)
    noted = [_noted(call, **{RAW: OPENAI.of(one.metadata)}) for call, one in pairs]
    if same_json(list(map(_write_raw, noted)), rows):
        body[EXTRAS] = without(body[EXTRAS], CALLS)
        return noted
    return found


def with_blocks(parts: list[Part], calls: list[ToolUsePart]) -> list[Part]:
    """Return the parts of a message in order, each call where the content has its block.

    Blocks become calls only if these are the first ones, so that they can be found again.
    """
    blocks = {
        place: part.data
        for place, part in enumerate(parts)
        if isinstance(part, DataPart) and bare(part.data.get("type")) in CALL_BLOCKS
    }
    valid = [call for call in calls if is_valid(call)]
    first = valid[: len(blocks)]
    if len(first) < len(blocks) or not all(map(_is_block_of, blocks.values(), first)):
        return [*parts, *calls]
    mixed = list(parts)
    for (place, block), call in zip(blocks.items(), first, strict=True):
        rest = without(block, "id", "name", CALL_BLOCKS[block["type"]])
        mixed[place] = _noted(call, **{BLOCK: rest})
    return [*mixed, *calls[len(first) :]]


def _is_block_of(block: Mapping[str, Any], call: ToolUsePart) -> bool:
    key = CALL_BLOCKS[block["type"]]
    if any(name not in block for name in ("id", "name", key)) or MADE_ID in NOTES.of(call.metadata):
        return False
    return same_json([block["id"], block["name"], block[key]], [call.id, call.name, call.input])


def put_calls(body: Row, calls: Sequence[ToolUsePart]) -> None:
    """Put calls into the body of a message, in each place where they were."""
    for name in (CALLS, INVALID):
        rows = [_write_call(part) for part in calls if _list_of(part) == name]
        if rows:
            body[name] = rows
    raw = [_write_raw(part) for part in calls if RAW in NOTES.of(part.metadata)]
    if raw:
        body[EXTRAS] = {**inner(body, EXTRAS), CALLS: raw}


def _list_of(part: ToolUsePart) -> str:
    """Return the list for a call; one whose arguments were fixed is no longer invalid."""
    is_listed = NOTES.of(part.metadata).get(LIST_CONTENT) == CALLS
    return CALLS if is_listed or is_valid(part) else INVALID


def is_valid(part: ToolUsePart) -> bool:
    """Return whether LangChain takes a call for a valid one."""
    return isinstance(part.input, Mapping)


def _becomes_text(part: ToolUsePart) -> bool:
    """Return whether the arguments of a call can only be written as the text of their JSON."""
    return _list_of(part) == INVALID and not isinstance(part.input, str | None)


def _write_call(part: ToolUsePart) -> Row:
    notes = without(NOTES.of(part.metadata), LIST_CONTENT, BLOCK, RAW)
    name, args = _list_of(part), thaw(part.input)
    if _becomes_text(part):
        args = json.dumps(args, sort_keys=True)
    row: Row = {"name": part.name, "args": args}
    if MADE_ID not in notes or not is_made(part.id):
        row["id"] = part.id
    elif notes[MADE_ID] is None:
        row["id"] = None
    type = notes.get("type", USUAL_TYPES[name])
    if NOTES.of(part.metadata).get(LIST_CONTENT) == INVALID and name == CALLS:
        notes, type = without(notes, "error"), USUAL_TYPES[CALLS]
    if type != GIVEN_NOT:
        row["type"] = type
    return merged(row, without(notes, "type", MADE_ID))


def _write_raw(part: ToolUsePart) -> Row:
    raw = OPENAI.frozen(NOTES.of(part.metadata).get(RAW, {}))
    return OPENAI.write_call(replace(part, metadata=raw))


IS_ERROR = {"error": True, "success": False}
"""The status of a tool's message: whether it failed."""


def read_rows(rows: Sequence[object]) -> tuple[tuple[Message, ...], str, tuple[FormatWarning, ...]]:
    """Return core messages, the shape of most rows, and what was adapted.

    A bad message is left out and reported; if all are bad, the first is refused by its index.
    """
    warnings = WarningCollector()
    shapes: Counter[str] = Counter()
    for row in rows:
        with suppress(Refused):
            shapes[open_row(row).shape] += 1
    usual = max(shapes, key=lambda shape: shapes[shape], default=TO_DICT)
    messages = read_each(
        rows, lambda row, place: _read(open_row(row), usual, place, warnings), warnings
    )
    return tuple(messages), usual, warnings.found()


def _read(one: OpenedRow, usual_shape: str, place: int, warnings: WarningCollector) -> Message:
    """Return one message; what core has no place for is stored by where it was."""
    role = role_of(one.outer, one.body)
    rest = without(one.body, "content")
    id = rest.pop("id") if isinstance(rest.get("id"), str) else None
    is_result = role == "tool" and isinstance(rest.get("tool_call_id"), str)
    read = _read_result if is_result else _read_content
    content, form = read(one.body, rest, role, place, warnings)
    unplaced = [key for key, value in rest.items() if key != "type" and value not in (None, [], {})]
    if unplaced:
        warnings.add("keys-kept", place, *kept_keys(NOTES.key, unplaced))
    if (kind := kind_of(one.outer)) != TYPES[role]:
        warnings.add("role-read-as", place, as_role(kind, role))
    if form is not None:
        rest["content"] = form
    notes: Row = {"body": rest} if rest else {}
    if one.shape != usual_shape:
        notes["shape"] = one.shape
    if one.outer != usual_outer(one.shape, role, one.body) or not says(rest, role):
        notes["outer"] = one.outer
    return NOTES.message(role, content, notes, id=id)


def _read_content(
    body: Row, rest: Row, role: Role, place: int, warnings: WarningCollector
) -> tuple[Sequence[Part], str | None]:
    """Return the content of a message, and the form it had where that is not the usual one."""
    form = form_of(body)
    every = BLOCKS.read(body.get("content"), place, WarningCollector())
    if role == "assistant" and (calls := take_calls(rest, place, warnings)):
        every = with_blocks(every, calls)
    content = list(filter(_in_content, every))
    # Blocks that became calls are no data any more, so only those that stayed are reported.
    for part in content:
        if isinstance(part, DataPart):
            warnings.add("part-kept-as-data", place, kind_name(part.data.get("type")))
    return every, None if form == usual_form(NOTES, content) else form


def _read_result(
    body: Row, rest: Row, _role: Role, place: int, warnings: WarningCollector
) -> tuple[Sequence[Part], str | None]:
    """Return the result of a call, and the form of its content where that does not say it."""
    form, content = form_of(body), body.get("content")
    id, is_error = rest.pop("tool_call_id"), None
    if isinstance(content, list):
        parts = BLOCKS.read(content, place, warnings)
        content = tuple(
            part if isinstance(part, TextPart | ImagePart | DataPart) else NOTES.data(block)
            for part, block in zip(parts, content, strict=True)
        )
    if isinstance(rest.get("status"), str) and rest["status"] in IS_ERROR:
        is_error = IS_ERROR[rest.pop("status")]
    result = ToolResultPart(id, "" if content is None else content, is_error)
    return [result], form if form in (ABSENT, NULL) else None


STATUS_OF = {True: "error", False: "success"}


def write_rows(
    messages: Iterable[tuple[int, Message]], shape: str
) -> tuple[list[Row], tuple[FormatWarning, ...]]:
    """Return LangChain messages for messages with their raw indices, and what was left out."""
    writer = _MessageWriter(shape)
    rows = [row for raw, message in messages for row in writer.write(raw, message)]
    return rows, writer.warnings.found()


class _MessageWriter:
    """Writes message after message; one of core may be several of LangChain."""

    def __init__(self, shape: str) -> None:
        self._shape = shape
        self.warnings = WarningCollector()

    def write(self, raw: int, message: Message) -> list[Row]:
        LOSSES.report(message, raw, self.warnings)
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        others = [part for part in message.parts if holds(part, message.role)]
        if results and not others:
            first, *more = results
            bodies = [self._result(first, message.id, self._notes(message))]
            bodies += [self._result(part, None, {}) for part in more]
            rows = [self._closed(message, "tool", bodies[0])]
            rows += [_new(self._shape, "tool", body) for body in bodies[1:]]
        else:
            own = self._closed(message, message.role, self._body(raw, message, others))
            answers = [_new(self._shape, "tool", self._result(part, None, {})) for part in results]
            # Results must follow their calls at once, which are here or in the message before.
            rows = [own, *answers] if message.role == "assistant" else [*answers, own]
        if len(rows) > 1:
            self.warnings.add("message-split", raw)
        return rows

    def _notes(self, message: Message) -> Row:
        """Return what was noted of the body, without what a changed role makes untrue."""
        notes = NOTES.of(message.metadata)
        body = inner(notes, "body")
        outer = inner(notes, "outer")
        fits = role_of(outer, body) == message.role if outer else says(body, message.role)
        return body if fits else without(body, "type", "role")

    def _closed(self, message: Message, role: Role, body: Row) -> Row:
        """Return a body in the envelope it was read from, as long as that fits its role."""
        notes = NOTES.of(message.metadata)
        shape = notes.get("shape")
        shape = shape if shape in (TO_DICT, DUMPD, FLAT) else self._shape
        outer = inner(notes, "outer")
        if not outer or role_of(outer, body) != role:
            return _new(shape, role, body)
        return close_row(shape, outer, body)

    def _body(self, raw: int, message: Message, parts: Sequence[Part]) -> Row:
        notes = self._notes(message)
        last = max((i for i, part in enumerate(parts) if _in_content(part)), default=-1)
        content = [
            part
            for part in parts[: last + 1]
            # No block can represent a call that is not valid.
            if not isinstance(part, ToolUsePart) or is_valid(part) or _in_content(part)
        ]
        calls = [part for part in parts if isinstance(part, ToolUsePart)]
        items = [BLOCKS.write(part) for part in content]
        usual = usual_form(NOTES, content)
        entry = content_entry(items, plain_text(NOTES, content), notes.get("content"), usual)
        body = merged({**entry, **_with_id(message.id)}, without(notes, "content"))
        put_calls(body, calls)
        after = [part for part in parts if isinstance(part, ToolUsePart) and part not in content]
        ordered = [*content, *sorted(after, key=lambda part: _list_of(part) == INVALID)]
        if any(one is not other for one, other in zip(parts, ordered, strict=True)):
            self.warnings.add("parts-reordered", raw)
        if any(map(_becomes_text, calls)):
            self.warnings.add("input-becomes-text", raw)
        return body

    def _result(self, part: ToolResultPart, id: str | None, notes: Row) -> Row:
        entry = result_content(part, notes.get("content"), holds, BLOCKS.write)
        status = {} if part.is_error is None else {"status": STATUS_OF[part.is_error]}
        row = {**entry, "tool_call_id": part.tool_use_id, **status, **_with_id(id)}
        return merged(row, without(notes, "content"))


def _new(shape: str, role: Role, body: Row) -> Row:
    outer = usual_outer(shape, role, body)
    if kind_of(outer) == CHAT:
        body = {"role": role, **body}
    return close_row(shape, outer, body)


def _in_content(part: Part) -> bool:
    """Return whether the content includes a part: calls after it are only listed."""
    return not isinstance(part, ToolUsePart) or BLOCK in NOTES.of(part.metadata)


def _with_id(id: str | None) -> Row:
    return {} if id is None else {"id": id}


ALONE, BESIDE, SHAPE = "alone", "beside", "shape"
"""Notes of a conversation: that it was one message without a list, or in an object."""


class LangChain(JsonFormat):
    """What ``messages_to_dict`` or ``dumpd`` gives for messages, given back in the same shape.

    What core has no field for is stored by where it was: in the ``body`` of a message, or
    ``outer``, around it.
    """

    name = "langchain"
    about = "LangChain messages, of messages_to_dict or dumpd"
    suffixes = (".langchain.json", ".langchain.jsonl")
    kinds = (LANGCHAIN,)
    takes_lists = True
    lines_of_items = True

    def confidence_of(self, value: object) -> Confidence:
        """Return whether there are messages of LangChain; one alone is rather a line of several."""
        if detect_kind(value) != LANGCHAIN:
            return Confidence.NO
        return Confidence.LIKELY if rows_in(value, "messages") is not None else Confidence.POSSIBLE

    def read_one(self, value: Any) -> Loaded:
        rows = rows_in(value, "messages")
        notes: dict[str, Any] = {}
        fields: dict[str, Any] = {}
        if rows is None:
            rows, notes[ALONE] = [value], True
        elif isinstance(value, Mapping):
            notes[BESIDE], fields = {}, without(value, "messages")
        if not rows:
            raise wrong_type("messages", rows, "a list of LangChain messages")
        messages, shape, adapted = read_rows(rows)
        meta = NOTES.meta({SHAPE: shape, **notes}, fields)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def write(self, conversation: Conversation) -> Written:
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
        return Written(data, (*conversation_losses(conversation, *held), *adapted))


HOLDERS = ("values", "channel_values")
"""Where a snapshot of a state, and a checkpoint, have their messages."""


class LangGraph(ReadOnly, JsonFormat):
    """A state as servers and checkpointers give it; those of one thread are one conversation.

    What a later state lacks is hidden, what it has in addition is appended. Everything else is in
    the other fields.
    """

    name = "langgraph"
    about = "a LangGraph state with messages"
    kinds = ("a LangGraph state",)
    signs = (
        {"values": {"messages": list}},
        {"channel_values": {"messages": list}},
    )

    def read(self, source: Source) -> Iterator[Loaded]:
        layout, _ = self.layout(source.sample)
        threads = {_thread_of(one) for one in source.sample.data} if layout in EACH else {None}
        if len(threads) > 1 or None in threads:
            yield from super().read(source)
            return
        states: list[tuple[Mapping[str, Any], Loaded]] = []
        for place, value in source.records():
            try:
                states.append((value, self.read_one(value)))
            except Refused as refusal:
                source.leave_out(LEFT_OUT, place, without_values(refusal))
        if states:
            yield _timeline(states)

    def read_one(self, value: Any) -> Loaded:
        state = value if isinstance(value, Mapping) else {}
        holder = next((key for key in HOLDERS if isinstance(state.get(key), Mapping)), HOLDERS[0])
        inside = state.get(holder)
        rows = inside.get("messages") if isinstance(inside, Mapping) else None
        if not isinstance(inside, Mapping) or not isinstance(rows, list):
            raise wrong_type(f"{holder}.messages", rows, "a list of messages")
        fields = {**without(state, holder), holder: without(inside, "messages")}
        # A graph may be given chat messages, which stay as they are unless they are converted.
        if any(isinstance(row, Mapping) and "role" in row and "type" not in row for row in rows):
            messages, adapted = read_chat(rows, self.name)
        else:
            messages, _, adapted = read_rows(rows)
        meta = FormatMetadata(self.name).meta({}, fields)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)


EACH = (Layout.LINES, Layout.LIST)
FIELD = "states"
"""The field of what the states of a history say beside their messages."""


def _thread_of(state: object) -> str | None:
    """Return the thread that a state of a history is of."""
    match state:
        case {"config": {"configurable": {"thread_id": str(thread)}}}:
            return thread
        case {"checkpoint": {"thread_id": str(thread)}}:
            return thread
    return None


def _time_of(state: Mapping[str, Any]) -> int | None:
    return read_timestamp(state.get("created_at"))


def _timeline(states: list[tuple[Mapping[str, Any], Loaded]]) -> Loaded:
    """Return the conversation that states make in the order of time; else the newest is first."""
    is_timed = all(_time_of(state) is not None for state, _ in states)
    ordered = sorted(states, key=lambda one: _time_of(one[0]) or 0) if is_timed else states[::-1]
    first = ordered[0][1]
    said = [thaw(loaded.conversation.meta.get(FIELDS, {})) for _, loaded in ordered]
    meta = {**first.conversation.meta, FIELDS: {FIELD: said}}
    talk = Conversation(first.conversation.log, meta=meta)
    warnings = WarningCollector()
    for _, loaded in ordered:
        for warning in loaded.warnings:
            warnings.include(warning)
        _go_on(talk, list(loaded.conversation.log))
    return Loaded(talk, LangGraph.name, warnings.found(), Layout.ITEMS)


def _go_on(talk: Conversation, after: list[Message]) -> None:
    """Do what makes the visible messages those of the next state."""
    gone = [raw for raw, one in zip(talk.view, talk.visible, strict=True) if one not in after]
    if gone:
        talk.execute(Delete(indices=gone, description="removed from the state"))
    before = list(talk.visible)
    if after[: len(before)] == before:
        if len(after) > len(before):
            talk.execute(Append(messages=after[len(before) :]))
    elif before:
        talk.execute(Replace(indices=list(talk.view), messages=after))
