"""SWE-agent trajectories: what was said to and by the model, beside the steps that were taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import not_a
from .base import Loaded, ReadOnly
from .chat import read_chat
from .each import OneEach
from .notes import Notes, without
from .recognising import SWE_AGENT
from .thinking import with_thinking
from .warnings import WarningCollector

NOTES = Notes("swe-agent")
THINKING = "thinking_blocks"


class SweAgent(ReadOnly, OneEach):
    """The history of a ``.traj`` file; its info and what else it holds are other fields."""

    name = "swe-agent"
    about = "a SWE-agent trajectory"
    kinds = (SWE_AGENT,)

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the history."""
        rows = value.get("history") if isinstance(value, Mapping) else None
        if not isinstance(rows, list):
            raise not_a("history", rows, "a list of messages")
        messages, adapted = read_chat(list(map(_chat_row, rows)), self.name, (THINKING,))
        messages = tuple(with_thinking(one, NOTES, THINKING) for one in messages)
        warnings = WarningCollector()
        steps = value.get("trajectory")
        if steps and isinstance(steps, list):
            warnings.count("steps-left-out", len(steps))
        meta = NOTES.beside({}, without(value, "history", "trajectory"))
        talk = Conversation(messages, meta=meta)
        return Loaded(talk, self.name, (*warnings.found(), *adapted))


def _chat_row(row: Any) -> object:
    """Return a message that names the call it answers as chat does."""
    match row:
        case {"role": "tool", "tool_call_ids": [str(id), *more]} if "tool_call_id" not in row:
            rest = {"tool_call_ids": more} if more else {}
            return {**without(row, "tool_call_ids"), **rest, "tool_call_id": id}
    return row
