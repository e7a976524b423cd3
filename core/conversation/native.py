"""The native file: a conversation with all its history, each message written once.

``messages`` is the raw log. ``journal`` holds the records; where an operation brought messages, it
has ``{"raw": [[start, length], …]}`` in their place. Reading does everything again, and what comes
out must be that log: messages an operation makes by itself are checked in this way too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import Refused, key_name, not_a, shown
from ..history.journal import Record
from ..messages.message import Message, read_messages
from .readable import Readable
from .references import Bodies, Origins

FORMAT = "ctxtui"
VERSION = 1
KEYS = ("format", "version", "messages", "journal")


def write_native(conversation: Readable, journal: Sequence[Record]) -> dict[str, Any]:
    """Return all of a conversation as JSON-ready data."""
    origins = Origins(conversation)
    return {
        "format": FORMAT,
        "version": VERSION,
        "messages": [message.to_dict() for message in conversation.log],
        "journal": [origins.written(record) for record in journal],
    }


def read_native(data: object) -> tuple[tuple[Message, ...], list[Any]]:
    """Return the messages and the journal of a file; replaying it must lead to these messages."""
    if not isinstance(data, Mapping):
        raise not_a("conversation", data, "a saved ctxtui conversation")
    _known_version(data)
    for key in data:
        if key not in KEYS:
            legal = ", ".join(KEYS)
            raise Refused(f"{shown(key)} is not one of {legal}", field=key_name(key), legal=legal)
    for key in ("messages", "journal"):
        if not isinstance(data.get(key), list):
            raise not_a(key, data.get(key), "a list")
    messages = read_messages(data["messages"])
    bodies = Bodies(messages)
    journal = [bodies.put_into(record, f"journal[{i}]") for i, record in enumerate(data["journal"])]
    return messages, journal


def _known_version(data: Mapping[str, Any]) -> None:
    """Refuse other files, and those of a later version."""
    if data.get("format") != FORMAT:
        raise not_a("format", data.get("format"), repr(FORMAT))
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise not_a("version", version, f"a version of the file format (1…{VERSION})")
    if version > VERSION:
        raise Refused(
            f"version {shown(version)} of the file format is newer than {VERSION}, the newest "
            "that can be read here; update ctxtui to open it",
            field="version",
            value=version,
            legal=f"1…{VERSION}",
        )
