"""The native format: a conversation with all its history, or a plain list of its messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversation.conversation import Conversation
from ..conversation.native import FORMAT
from ..engine.messages import METADATA_HINT, read_messages
from ..errors import Refused, wrong_type
from .base import Confidence, JsonFormat, Loaded, Written


class Native(JsonFormat):
    """Everything there is: log, tree, journal, marks, settings, undo and redo."""

    name = "native"
    about = "a saved ctxtui conversation, or a list of messages"
    suffixes = (".json", ".jsonl")

    def confidence_of(self, value: object) -> Confidence:
        if isinstance(value, Mapping):
            return Confidence.CERTAIN if value.get("format") == FORMAT else Confidence.NO
        if not isinstance(value, list):
            return Confidence.NO
        try:
            read_messages(value)
        except Refused:
            return Confidence.NO
        return Confidence.LIKELY

    def read_one(self, value: Any) -> Loaded:
        """Return the conversation, exactly as it was; or a new one of a list of messages."""
        if isinstance(value, list):
            return Loaded(Conversation(read_messages(value)), self.name)
        if not isinstance(value, Mapping):
            raise wrong_type("conversation", value, self.about)
        try:
            return Loaded(Conversation.from_dict(value), self.name)
        except Refused as refusal:
            raise refusal.with_hint(METADATA_HINT) from None

    def write(self, conversation: Conversation) -> Written:
        return Written(conversation.to_dict())
