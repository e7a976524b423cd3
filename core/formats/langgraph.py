"""LangGraph states: the messages that a graph had at a checkpoint, in any shape of LangChain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import not_a
from .base import Loaded, ReadOnly
from .chat import read_chat
from .each import OneEach
from .langchain.reading import read_rows
from .notes import Notes, without
from .recognising import LANGGRAPH

HOLDERS = ("values", "channel_values")
"""Where a snapshot of a state, and a checkpoint, have their messages."""


class LangGraph(ReadOnly, OneEach):
    """A state as servers and checkpointers give it; of a history, each is a conversation.

    Everything else is in the other fields.
    """

    name = "langgraph"
    about = "a LangGraph state with messages"
    kinds = (LANGGRAPH,)

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the messages of the state."""
        state = value if isinstance(value, Mapping) else {}
        holder = next((key for key in HOLDERS if isinstance(state.get(key), Mapping)), HOLDERS[0])
        inside = state.get(holder)
        rows = inside.get("messages") if isinstance(inside, Mapping) else None
        if not isinstance(inside, Mapping) or not isinstance(rows, list):
            raise not_a(f"{holder}.messages", rows, "a list of messages")
        beside = {**without(state, holder), holder: without(inside, "messages")}
        # A graph may be given chat messages, which stay as they are where nobody converts them.
        if any(isinstance(row, Mapping) and "role" in row and "type" not in row for row in rows):
            messages, adapted = read_chat(rows, self.name)
        else:
            messages, _, adapted = read_rows(rows)
        meta = Notes(self.name).beside({}, beside)
        return Loaded(Conversation(messages, meta=meta), self.name, adapted)
