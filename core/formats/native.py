"""The native format: a conversation with all its history, or a plain list of its messages."""

from __future__ import annotations

from collections.abc import Mapping

from core.conversation.conversation import Conversation
from core.conversation.native import FORMAT
from core.errors import Refused, not_a
from core.formats.base import Loaded, Written
from core.messages.message import METADATA_HINT, read_messages


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
        try:
            return Loaded(Conversation.from_dict(data), self.name)
        except Refused as refusal:
            raise refusal.hinting(METADATA_HINT) from None

    def write(self, conversation: Conversation) -> Written:
        """Return all of a conversation; there is nothing it can't hold."""
        return Written(conversation.to_dict())
