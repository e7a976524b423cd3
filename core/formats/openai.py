"""OpenAI chat: a list of messages, or an object that has one beside tools and other things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import Refused, not_a
from ..messages.message import Message
from .base import Loaded, Sureness, Written
from .chat import read_chat, write_chat
from .chat.calls import LEGACY
from .each import OneEach
from .notes import Notes, without
from .objects import is_object
from .recognising import CHATS, recognise
from .roles import ROLES
from .tools import META_KEY, ToolShape, left_out
from .warnings import beside_messages

TOOLS = ToolShape("openai", outer="function", type="function")
NOTES = Notes("openai")


class OpenAI(OneEach):
    """What a chat completion request holds, or a line of a fine-tuning file.

    Keys beside ``messages`` are other fields, tools are kept in ``meta.tools``; ``meta.openai``
    tells that there was an object.
    """

    name = "openai"
    about = "OpenAI chat messages, an object with messages, or a fine-tuning file"
    suffixes = (".openai.json", ".openai.jsonl")
    kinds = (CHATS,)
    lines_of_items = True

    def sure_of(self, value: object) -> Sureness:
        """Tell whether there are messages with a role that chat knows, and no one else's parts."""
        rows = value.get("messages") if is_object(value) else value
        if not isinstance(rows, list):
            return Sureness.NO
        is_chat = any(
            is_object(row) and isinstance(row.get("role"), str) and row["role"] in ROLES
            for row in rows
        )
        is_empty = not rows and is_object(value)
        if not (is_chat or is_empty) or recognise(value) is not None:
            return Sureness.NO
        return Sureness.COULD_BE

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the messages."""
        rows = value.get("messages") if is_object(value) else value
        if not isinstance(rows, list):
            raise not_a("messages", rows, "a list of chat messages")
        meta: dict[str, Any] = {}
        if is_object(value):
            fields = without(value, "messages")
            if isinstance(value.get("tools"), list):
                meta[META_KEY] = TOOLS.read(fields.pop("tools"))
            meta |= NOTES.beside({}, fields)
        messages, adapted = read_chat(rows)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)

    def read_on(self, rows: Sequence[object]) -> tuple[Message, ...] | None:
        """Return the messages of further lines; None if one of them answers a call without an id.

        Which call that is, only the lines before it tell.
        """
        if any(map(_looks_back, rows)):
            return None
        try:
            return read_chat(rows)[0]
        except Refused:
            return None

    def write(self, conversation: Conversation) -> Written:
        """Return the visible messages, in an object if there is anything beside them."""
        rows, adapted = write_chat(zip(conversation.view, conversation.visible, strict=True))
        meta = conversation.meta
        tools, lost = TOOLS.write(meta.get(META_KEY))
        data: Any = rows
        if NOTES.is_in(meta) or tools:
            data = {"messages": rows, **without(NOTES.fields_of(meta), "messages")}
            if isinstance(meta.get(META_KEY), tuple):
                data["tools"] = tools
        held = () if data is rows else (*NOTES.held(meta), META_KEY)
        return Written(data, (*beside_messages(conversation, *held), *left_out(lost), *adapted))

    def among_several(self, data: Any) -> Any:
        """Return an object, as a line of a fine-tuning file is one."""
        return {"messages": data} if isinstance(data, list) else data


def _looks_back(row: object) -> bool:
    """Tell whether a message is about another one that only its place tells."""
    if not is_object(row):
        return True
    is_nameless = row.get("role") == "tool" and not isinstance(row.get("tool_call_id"), str)
    return is_nameless or row.get("role") == "function" or LEGACY in row
