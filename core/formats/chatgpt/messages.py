"""Messages of ChatGPT's export, to and from those of core: authors, calls, results and times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import not_a
from ...messages.message import Message
from ...messages.parts import (
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ...values.frozen import thaw
from ..chat.calls import parsed
from ..json_text import same_json
from ..moments import read_moment
from ..notes import inner, merged, without
from ..objects import is_object
from ..roles import ROLES, core_role
from ..warnings import WarningCollector, as_role
from .contents import (
    DATA,
    NOTES,
    WITHIN,
    is_item,
    read_content,
    usual_content,
    write_content,
)

Row = dict[str, Any]
EVERYBODY = "all"
ID = "tool_call_id"
"""The key of a message's metadata that names a call where the tree does not tell it."""
USUAL: Row = {"status": "finished_successfully", "weight": 1.0, "metadata": {}}
"""What a message has beside what it says, where nothing was noted."""


def is_call(row: Mapping[str, Any]) -> bool:
    """Tell whether a message goes to a tool: what an assistant says to somebody by name."""
    recipient = row.get("recipient")
    author = row.get("author")
    role = author.get("role") if is_object(author) else None
    is_named = isinstance(recipient, str) and recipient not in ("", EVERYBODY)
    return is_named and role == "assistant" and _call_text(read_content(row)[0]) is not None


def own_id(row: Mapping[str, Any]) -> str | None:
    """Return the id of a call that a message itself says it makes or answers."""
    id = inner(row, "metadata").get(ID)
    return id if isinstance(id, str) else None


def read_message(
    row: Mapping[str, Any],
    key: str,
    call: str | None,
    node: Row,
    place: int,
    warnings: WarningCollector,
) -> Message:
    """Return the message of the node ``key``, which makes or, as a tool's, answers ``call``."""
    author = row.get("author")
    if not is_object(author) or not isinstance(author.get("role"), str):
        raise not_a("author", author, f"an object with a role: {', '.join(ROLES)}")
    role = core_role(author["role"])
    if author["role"] not in ROLES:
        warnings.add("role-read-as", place, as_role(author["role"], role))
    parts, noted = read_content(row)
    if noted[WITHIN] == DATA:
        warnings.add("content-kept-as-data", place)
    notes = {**without(row, "id", "content"), "author": dict(author), "content": noted}
    content: Any = parts or [{"type": "text", "text": ""}]
    text = _call_text(parts)
    if is_call(row) and text is not None:
        given = _input(text)
        if _text_of(given) != text:
            notes["content"] = {**noted, "call": text}
        use = {"id": call or key, "name": row["recipient"], "input": given}
        content = [{"type": "tool_use", "tool_use": use}]
    elif role == "tool" and call is not None and all(p["type"] != "thinking" for p in parts):
        said = text if text is not None else parts
        content = [{"type": "tool_result", "tool_result": {"tool_use_id": call, "content": said}}]
    beside: Row = {"id": row["id"]} if isinstance(row.get("id"), str) else {}
    if "id" in row and not beside:
        notes["id"] = row["id"]
    moment = read_moment(row.get("create_time"))
    if moment is not None:
        beside["timestamp"] = moment
    kept = NOTES.kept({"node": node, "message": notes})
    return Message.from_dict({"role": role, "content": content, **beside, **kept})


def write_message(
    message: Message, raw: int, warnings: WarningCollector
) -> list[tuple[Row, str | None]]:
    """Return the messages for one of core, the first with what was noted.

    Each comes with the id of the call that it makes or answers; ids of their own come from nodes.
    """
    _tell_left_out(message, raw, warnings)
    noted = inner(NOTES.of(message.metadata), "message")
    whole = _whole(message.parts, inner(noted, "content"))
    pieces = [whole] if whole is not None else list(_pieces(message.parts)) or [_NOTHING]
    if len(pieces) > 1:
        warnings.add("message-split", raw)
    rows = []
    for number, (role, recipient, content, call) in enumerate(pieces):
        notes = noted if number == 0 else {}
        author = merged({"role": role or message.role}, {"name": None, "metadata": {}})
        said = inner(notes, "author")
        if said and core_role(str(said.get("role"))) == author["role"]:
            author = said
        row = {"author": author, **content, **_time(message, notes)}
        recipient = recipient or (None if notes else EVERYBODY)
        if recipient is not None:
            row["recipient"] = recipient
        elif notes.get("recipient") not in (None, EVERYBODY) and message.calls:
            row["recipient"] = EVERYBODY
        rest = without(notes, "author", "content", "create_time")
        rows.append((merged(row, rest if notes else USUAL), call))
    return rows


Piece = tuple[str | None, str | None, Row, str | None]
"""A role unless it is the message's, to whom unless noted, the content entry, and which call."""


_NOTHING: Piece = (None, None, usual_content([]), None)
"""What becomes of a message of which nothing can be held: its place is kept."""


def _whole(parts: Sequence[Part], noted: Row) -> Piece | None:
    """Return a message as the one it was, if it still fits."""
    within = without(noted, "call")
    match parts:
        case [ToolUsePart() as call]:
            text = _text_of(thaw(call.input))
            before = noted.get("call")
            if isinstance(before, str) and same_json(_input(before), thaw(call.input)):
                text = before
            content = write_content([TextPart(text)], within)
            return None if content is None else ("assistant", call.name, content, call.id)
        case [ToolResultPart() as result]:
            content = write_content(_said(result), within)
            return None if content is None else ("tool", None, content, result.tool_use_id)
    content = write_content(parts, within)
    return None if content is None else (None, None, content, None)


def _pieces(parts: Sequence[Part]) -> Iterator[Piece]:
    """Yield what parts from elsewhere are in an export: one thing in each message."""
    said: list[Part] = []
    for part in parts:
        if said and (isinstance(part, ThinkingPart) != isinstance(said[0], ThinkingPart)):
            yield None, None, usual_content(said), None
            said = []
        if isinstance(part, ThinkingPart) or is_item(part):
            said.append(part)
            continue
        if said:
            yield None, None, usual_content(said), None
            said = []
        if isinstance(part, ToolUsePart):
            text = {"text": _text_of(thaw(part.input))}
            code = {"content_type": "code", "language": "unknown", **text}
            yield "assistant", part.name, {"content": code}, part.id
        elif isinstance(part, ToolResultPart):
            held = [one for one in _said(part) if is_item(one)]
            yield "tool", None, usual_content(held), part.tool_use_id
    if said:
        yield None, None, usual_content(said), None


def _said(result: ToolResultPart) -> Sequence[Part]:
    content = result.content
    return (TextPart(content),) if isinstance(content, str) else content


def _time(message: Message, notes: Row) -> Row:
    """Return the time as it was written, as long as it is the message's."""
    given = notes.get("create_time")
    if notes and read_moment(given) == message.timestamp:
        return {"create_time": given} if "create_time" in notes else {}
    return {"create_time": None if message.timestamp is None else message.timestamp / 1_000}


def _call_text(parts: Sequence[Row]) -> str | None:
    match parts:
        case [{"type": "text", "text": str(text)}]:
            return text
    return None


def _input(text: str) -> Any:
    """Return what a tool is given: an object of JSON, or the text as the one thing in it."""
    value = parsed(text)[1]
    return value if isinstance(value, dict) else {"text": text}


def _text_of(given: object) -> str:
    match given:
        case {"text": str(text)} if _input(text) == given:
            return text
        case str():
            return given
    return json.dumps(given, ensure_ascii=False)


def _tell_left_out(message: Message, raw: int, warnings: WarningCollector) -> None:
    """Note everything about a message that no message of this format will hold."""
    if NOTES.has_others(message.metadata):
        warnings.add("metadata-left-out", raw)
    for part in message.parts:
        for code, name in _lost(message, part):
            warnings.add(code, raw, *([name] if name else []))


def _lost(message: Message, part: Part) -> Iterator[tuple[str, str]]:
    """Yield a code and a name, or none, for all of a part that is left out or changed."""
    if NOTES.has_others(part.metadata):
        yield "metadata-left-out", ""
    match part:
        case ToolUsePart():
            if message.role != "assistant":
                yield "call-becomes-assistant", ""
            if not same_json(_input(_text_of(thaw(part.input))), thaw(part.input)):
                yield "input-becomes-text", ""
            if part.name in ("", EVERYBODY):
                yield "call-becomes-text", ""
        case ToolResultPart():
            if message.role != "tool":
                yield "result-becomes-tool", ""
            if part.is_error:
                yield "error-flag-left-out", ""
            for inside in _said(part):
                yield from _lost(message, inside)
        case ThinkingPart():
            if part.signature is not None:
                yield "signature-left-out", ""
        case _ if not is_item(part):
            yield "part-left-out", part.type
