"""SWE-agent: the history of a trajectory, as chat messages with blocks of thinking."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message, TextPart, ThinkingPart
from ..values.frozen import freeze_object
from .base import JsonFormat, Loaded, ReadOnly, split_rows
from .format_metadata import FormatMetadata, without
from .openai import read_chat
from .warnings import WarningCollector

NOTES = FormatMetadata("swe-agent")
THINKING = "thinking_blocks"


def with_thinking(message: Message) -> Message:
    """Return a message with its blocks of thinking as its first parts, if they are nothing else."""
    notes = NOTES.of(message.metadata)
    blocks = notes.get(THINKING)
    if not isinstance(blocks, list) or not blocks:
        return message
    found = [part for block in blocks if (part := _thought(block)) is not None]
    if len(found) < len(blocks):
        return message
    others = message.parts if message.parts != (TextPart(""),) else ()
    metadata = without(message.metadata or {}, NOTES.key)
    if rest := without(notes, THINKING):
        metadata[NOTES.key] = rest
    return replace(
        message, content=(*found, *others), metadata=freeze_object(metadata, "metadata") or None
    )


def _thought(block: Any) -> ThinkingPart | None:
    match block:
        case {"type": "thinking", "thinking": str(text), **more} if set(more) <= {"signature"}:
            signature = more.get("signature")
            return ThinkingPart(text, signature) if isinstance(signature, str | None) else None
    return None


class SweAgent(ReadOnly, JsonFormat):
    """The history of a ``.traj`` file; its info and what else it holds are other fields."""

    name = "swe-agent"
    about = "a SWE-agent trajectory"
    kinds = ("a SWE-agent trajectory",)
    signs = ({"history": list, "trajectory": list},)

    def read_one(self, value: Any) -> Loaded:
        rows, fields = split_rows(value, "history", "a list of messages")
        messages, adapted = read_chat(list(map(_chat_row, rows)), self.name, (THINKING,))
        messages = tuple(map(with_thinking, messages))
        warnings = WarningCollector()
        steps = fields.pop("trajectory", None)
        if steps and isinstance(steps, list):
            warnings.count("steps-left-out", len(steps))
        talk = Conversation(messages, meta=NOTES.meta({}, fields))
        return Loaded(talk, self.name, (*warnings.found(), *adapted))


def _chat_row(row: Any) -> object:
    """Return a message that names the call it answers as chat does."""
    match row:
        case {"role": "tool", "tool_call_ids": [str(id), *more]} if "tool_call_id" not in row:
            rest = {"tool_call_ids": more} if more else {}
            return {**without(row, "tool_call_ids"), **rest, "tool_call_id": id}
    return row
