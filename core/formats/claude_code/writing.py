"""Writes conversations as lines: as they were, tree and all, or the visible messages as a chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ...conversation.conversation import Conversation
from ...messages.message import Message
from ...queries.fields import LINES, WEB_LINES
from ..blocks import left_out_of, write_blocks, write_content
from ..moments import write_moment
from ..transcripts import Placed, Row, is_line, others_of
from ..warnings import WarningCollector
from .growing import NOTES
from .lines import TITLES

NO_SYSTEM = "system-left-out"
TITLE_TYPES = tuple(type for type, _ in TITLES)


def all_lines(conversation: Conversation) -> list[Placed]:
    """Return every line that was read, and those of visible messages that were added since."""
    placed = _others_of(conversation)
    for message in conversation.log:
        placed += noted_lines(message)
    at, uuid = (0, 0), None
    for raw, message in zip(conversation.view, conversation.visible, strict=True):
        own = noted_lines(message)
        if own:
            at, uuid = own[-1][0], _uuid_of(own[-1][1])
        else:
            at = (at[0], at[1] + 1)
            row = new_line(message, raw, uuid)
            placed.append((at, row))
            uuid = row["uuid"]
    return sorted(placed, key=lambda one: one[0])


def chain(conversation: Conversation, warnings: WarningCollector) -> list[Row]:
    """Return the visible messages, each after the other, and the lines that name them all."""
    rows = [row for _, row in _others_of(conversation) if row.get("type") in TITLE_TYPES]
    before: str | None = None
    used: set[object] = set()
    is_first = True
    for raw, message in zip(conversation.view, conversation.visible, strict=True):
        left_out_of(message, raw, warnings)
        if message.role == "system":
            warnings.add(NO_SYSTEM, raw)
            continue
        for _, row in noted_lines(message) or [((0, 0), new_line(message, raw, before))]:
            if row.get("uuid") in used:
                row["uuid"] = _made_uuid(raw, message)
            used.add(row.get("uuid"))
            if "uuid" in row:
                row["parentUuid"] = before
                before = _uuid_of(row)
            if not is_first:
                row.pop("isCompactSummary", None)
            rows.append(row)
        is_first = False
    return rows


def _others_of(conversation: Conversation) -> list[Placed]:
    """Return the lines that are no messages; a web export has them under a name of its own."""
    is_web = isinstance(NOTES.of(conversation.meta).get("web"), Mapping)
    return others_of(NOTES, conversation, WEB_LINES if is_web else LINES)


def noted_lines(message: Message) -> list[Placed]:
    """Return the lines that a message was read from, with what it says now."""
    notes = NOTES.of(message.metadata)
    found = notes.get("lines")
    entries = [
        one
        for one in (found if isinstance(found, list) else ())
        if isinstance(one, Mapping) and is_line(one.get("at"), one.get("line"))
    ]
    if len(entries) == 1:
        return [_line(entries[0], write_content(message, notes.get("content")))]
    counts = [one.get("parts") for one in entries]
    if not all(isinstance(count, int) for count in counts) or sum(counts) != len(message.parts):  # type: ignore[arg-type]
        return [_line(entries[0], write_content(message, None))] if entries else []
    placed, start = [], 0
    for one in entries:
        blocks = write_blocks(message.parts[start : start + one["parts"]])
        placed.append(_line(one, {"content": blocks}))
        start += one["parts"]
    return placed


def _line(entry: Mapping[str, Any], content: Row) -> Placed:
    row = entry["line"]
    body = row.get("message")
    body = body if isinstance(body, Mapping) else {}
    return (entry["at"], 0), {**row, "message": {**body, **content}}


def new_line(message: Message, raw: int, before: str | None) -> Row:
    """Return the line of a message that comes from elsewhere."""
    role = "assistant" if message.role == "assistant" else "user"
    row: Row = {
        "parentUuid": before,
        "isSidechain": False,
        "type": role,
        "message": {"role": role, **write_content(message, None)},
        "uuid": message.id or _made_uuid(raw, message),
    }
    if message.timestamp is not None:
        row["timestamp"] = write_moment(message.timestamp)
    return row


def _made_uuid(raw: int, message: Message) -> str:
    """Return an id that is the same whenever the same message is written."""
    return str(uuid5(NAMESPACE_URL, f"ctxtui:{raw}:{message.role}:{message.text!a}"))


def _uuid_of(row: Row) -> str | None:
    found = row.get("uuid")
    return found if isinstance(found, str) else None
