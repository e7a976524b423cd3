"""The native format: a conversation with all its history, each message written once.

``messages`` is the raw log. ``journal`` holds the records; where an operation brought messages, it
has ``{"raw": [[start, length], …]}`` in their place. Reading does everything again, and what comes
out must be that log: messages an operation makes by itself are checked in this way too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.conversation import Conversation
from core.errors import Refused, not_a, shown
from core.formats.base import Loaded, Written
from core.messages import read_messages
from core.references import Bodies, Origins, same_log

FORMAT, VERSION = "ctxtui", 1
KEYS = ("format", "version", "messages", "journal")


class Native:
    """Everything there is: log, tree, journal, marks, settings, undo and redo."""

    name = "native"
    shape = "a saved ctxtui conversation, or a list of messages"

    def detects(self, data: object) -> bool:
        """Tell whether this is a saved conversation, or a list of valid messages."""
        if isinstance(data, Mapping):
            return data.get("format") == FORMAT
        if not isinstance(data, list):
            return False
        try:
            read_messages(data)
        except Refused:
            return False
        return True

    def read(self, data: object) -> Loaded:
        """Return the conversation, exactly as it was; or a new one of a list of messages."""
        if isinstance(data, list):
            return Loaded(Conversation(read_messages(data)), self.name)
        if not isinstance(data, Mapping):
            raise not_a("conversation", data, self.shape)
        return Loaded(_read(data), self.name)

    def write(self, conversation: Conversation) -> Written:
        """Return all of a conversation; there is nothing it can't hold."""
        origins = Origins(conversation)
        return Written(
            {
                "format": FORMAT,
                "version": VERSION,
                "messages": [message.to_dict() for message in conversation.log],
                "journal": [origins.written(record) for record in conversation.journal],
            }
        )


def _read(data: Mapping[str, Any]) -> Conversation:
    """Return the conversation a file tells of."""
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
    for key in data:
        if key not in KEYS:
            legal = ", ".join(KEYS)
            raise Refused(f"{shown(key)} is not one of {legal}", field=str(key), legal=legal)
    for key in ("messages", "journal"):
        if not isinstance(data.get(key), list):
            raise not_a(key, data.get(key), "a list")
    messages = read_messages(data["messages"])
    bodies = Bodies(messages)
    journal = [bodies.put_into(record, f"journal[{i}]") for i, record in enumerate(data["journal"])]
    conversation = Conversation.replay(journal)
    same_log(messages, conversation.log)
    return conversation
