"""Writes core messages as items, and tells what those can't hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...messages.message import Message
from ...messages.parts import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ...values.frozen import FrozenDict, thaw
from ...values.roles import Role
from ..blocks.turns import EMPTY, is_blank
from ..chat.calls import GIVEN_NOT, GIVEN_VALUE, arguments_text, parsed
from ..chat.content import ABSENT, LIST, NULL, TEXT
from ..notes import merged, without
from ..roles import core_role
from ..warnings import WarningCollector
from .shapes import (
    CALLS,
    CONTENT_TYPES,
    FUNCTION,
    NAMED,
    NOTES,
    OUTPUT,
    thought,
    usual_text,
)

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
