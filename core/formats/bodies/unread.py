"""Rows that can't be read as a message: kept as data, so that the request can be written again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import Refused
from ...messages.message import Message
from ...messages.parts import DataPart
from ...values.frozen import thaw
from ..json_text import dump_json, read_json
from ..notes import Notes
from ..roles import ROLES

NOTES = Notes("requests")


def kept(rows: list[Any]) -> Message:
    """Return a message that holds rows as they are."""
    try:
        return _message(rows, {"rows": rows})
    except Refused:
        return _message(rows, {"json": dump_json(rows)})  # Nested deeper than data may be.


def _message(rows: list[Any], data: dict[str, Any]) -> Message:
    first = rows[0] if rows else None
    role = first.get("role") if isinstance(first, Mapping) else None
    part = {"type": "data", "data": data, "metadata": {NOTES.key: {"unread": True}}}
    known = ROLES.get(role, "user") if isinstance(role, str) else "user"
    return Message.from_dict({"role": known, "content": [part]})


def rows_in(message: Message) -> list[Any] | None:
    """Return the rows that a message was kept for, or None for any other."""
    part = message.parts[0]
    if not isinstance(part, DataPart) or not NOTES.of(part.metadata).get("unread"):
        return None
    if "json" in part.data:
        rows: Any = read_json(part.data["json"])
        return rows if isinstance(rows, list) else None
    rows = thaw(part.data.get("rows"))
    return rows if isinstance(rows, list) else None
