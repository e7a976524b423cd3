"""Tool calls of LangChain messages, which may stand there up to three times.

``tool_calls`` has them, ``invalid_tool_calls`` those whose arguments are broken. The content may
have blocks of the provider for the same calls, and ``additional_kwargs`` what OpenAI sent. Copies
that say the same become one part, which notes where else it stood; others stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...errors import Refused, not_a
from ...messages.parts import ToolUsePart, read_part
from ...values.frozen import FrozenDict, thaw
from ..chat.calls import read_calls as read_chat_calls
from ..chat.calls import write_call as write_chat_call
from ..notes import Notes, inner, merged, without
from ..warnings import WarningCollector
from .blocks import NOTES

OPENAI = Notes("openai")
CALLS, INVALID, EXTRAS = "tool_calls", "invalid_tool_calls", "additional_kwargs"
BLOCKS = {"tool_use": "input", "tool_call": "args"}
"""Blocks for calls, and where these have the arguments."""
USUAL_TYPES = {CALLS: "tool_call", INVALID: "invalid_tool_call"}
LIST, BLOCK, RAW, MADE_ID = "list", "block", "raw", "made_id"
OURS = (LIST, BLOCK, RAW, MADE_ID)
"""Notes of a call: the list it stood in, its block, what OpenAI sent, and that it had no id."""
ABSENT = {"given": "absent"}
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
        read = [_read(row, name, f"call_{message}_{len(found) + i}") for i, row in enumerate(rows)]
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


def _read(row: object, name: str, made: str) -> Call | None:
    """Return a call, or None where it lacks a name or arguments."""
    if not isinstance(row, Mapping) or "args" not in row or not isinstance(row.get("name"), str):
        return None
    if any(key in row for key in OURS) or (
        name == INVALID and not isinstance(row["args"], str | None)
    ):
        return None
    notes = without(row, "name", "args", "id", "type")
    if row.get("type", ABSENT) != USUAL_TYPES[name]:
        notes["type"] = row.get("type", ABSENT)
    id = row.get("id")
    if id is None:
        id, notes[MADE_ID] = made, (None if "id" in row else ABSENT)
    elif not isinstance(id, str):
        return None
    if name == INVALID or not isinstance(row["args"], Mapping):
        notes = {LIST: name, **notes}
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
    if _same(given_back, rows):
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
    return _same(use, call["tool_use"]) and MADE_ID not in _notes(call)


def _said(call: Call) -> str:
    return _json_of(call["tool_use"])


def _same(one: object, other: object) -> bool:
    """Tell whether two values are the same JSON, where 1 and true are not."""
    return _json_of(one) == _json_of(other)


def _json_of(value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except (ValueError, RecursionError):
        raise not_a("args", value, "a JSON value that can be kept") from None


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
    is_listed = NOTES.of(part.metadata).get(LIST) == CALLS
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
    notes = without(NOTES.of(part.metadata), LIST, BLOCK, RAW)
    if part.id.startswith("call_") and MADE_ID in notes:
        id: dict[str, Any] = {} if notes[MADE_ID] == ABSENT else {"id": None}
    else:
        id = {"id": part.id}
    name, args = _list_of(part), thaw(part.input)
    type = notes.get("type", USUAL_TYPES[name])
    if NOTES.of(part.metadata).get(LIST) == INVALID and name == CALLS:
        notes, type = without(notes, "error"), USUAL_TYPES[CALLS]
    typed = {} if type == ABSENT else {"type": type}
    if becomes_text(part):
        args = _json_of(args)
    row = {"name": part.name, "args": args, **id, **typed}
    return merged(row, without(notes, "type", MADE_ID))


def _write_raw(part: ToolUsePart) -> dict[str, Any]:
    raw = FrozenDict({OPENAI.key: NOTES.of(part.metadata).get(RAW, {})})
    return write_chat_call(OPENAI, replace(part, metadata=raw))
