"""OpenAI chat: a list of messages, or an object that has one beside tools and other things."""

from __future__ import annotations

from collections.abc import Mapping

from core.conversation.conversation import Conversation
from core.errors import not_a
from core.formats.base import Loaded, Written
from core.formats.chat import ROLES, read_chat, write_chat
from core.formats.recognising import recognise
from core.formats.remarks import beside_messages
from core.values.frozen import thaw


class OpenAI:
    """What a chat completion request holds, or a line of a fine-tuning file.

    Keys beside ``messages`` are kept in ``meta.openai``, which also tells that there was an object.
    """

    name = "openai"
    shape = "chat messages, or an object with messages"

    def detects(self, data: object) -> bool:
        """Tell whether there are messages with a role that chat knows, and no one else's parts."""
        rows = data.get("messages") if isinstance(data, Mapping) else data
        if not isinstance(rows, list):
            return False
        is_chat = any(
            isinstance(row, Mapping) and isinstance(row.get("role"), str) and row["role"] in ROLES
            for row in rows
        )
        is_empty = not rows and isinstance(data, Mapping)
        return (is_chat or is_empty) and recognise(data) is None

    def read(self, data: object) -> Loaded:
        """Return a conversation whose batch 0 holds the messages."""
        rows = data.get("messages") if isinstance(data, Mapping) else data
        if not isinstance(rows, list):
            raise not_a("messages", rows, "a list of chat messages")
        meta = {}
        if isinstance(data, Mapping):
            meta["openai"] = {key: value for key, value in data.items() if key != "messages"}
        messages, problems = read_chat(rows)
        return Loaded(Conversation(messages, meta=meta), self.name, problems)

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages, in an object if there is anything beside them."""
        rows, problems = write_chat(zip(conversation.view, conversation.visible, strict=True))
        extras = conversation.meta.get("openai")
        held = isinstance(extras, Mapping)
        data = {"messages": rows, **_beside(thaw(extras))} if held else rows
        lost = beside_messages(conversation, *(("openai",) if held else ()))
        return Written(data, (*lost, *problems))


def _beside(extras: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in extras.items() if key != "messages"}
