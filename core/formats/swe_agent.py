"""Thinking of chat messages: what libraries put beside the content becomes parts of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message, TextPart, ThinkingPart
from ..errors import wrong_type
from ..values.frozen import freeze_object
from .base import JsonFormat, Loaded, ReadOnly
from .detection import SWE_AGENT
from .format_metadata import FormatMetadata, without
from .openai import read_chat
from .warnings import WarningCollector


def with_thinking(message: Message, own: FormatMetadata, key: str) -> Message:
    """Return a message with the thinking blocks that are noted under a key as its first parts.

    If one of them is of another kind, all of them stay in the notes.
    """
    notes = own.of(message.metadata)
    blocks = notes.get(key)
    if not isinstance(blocks, list) or not blocks:
        return message
    parts = [_part(block) for block in blocks]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return message
    others = message.parts if message.parts != (TextPart(""),) else ()
    metadata = {**(message.metadata or {}), own.key: without(notes, key)}
    frozen = freeze_object(
        metadata if metadata[own.key] else without(metadata, own.key), "metadata"
    )
    return replace(message, content=(*found, *others), metadata=frozen or None)


def _part(block: Any) -> ThinkingPart | None:
    match block:
        case {"type": "thinking", "thinking": str(text), **more} if _is_plain(more):
            return ThinkingPart(text, block.get("signature"))
    return None


def _is_plain(more: Mapping[Any, Any]) -> bool:
    """Tell whether there is nothing beside the text but a signature."""
    signature = more.get("signature")
    return set(more) <= {"signature"} and (signature is None or isinstance(signature, str))


NOTES = FormatMetadata("swe-agent")
THINKING = "thinking_blocks"


class SweAgent(ReadOnly, JsonFormat):
    """The history of a ``.traj`` file; its info and what else it holds are other fields."""

    name = "swe-agent"
    about = "a SWE-agent trajectory"
    kinds = (SWE_AGENT,)

    def read_one(self, value: Any) -> Loaded:
        """Return a conversation whose batch 0 holds the history."""
        rows = value.get("history") if isinstance(value, Mapping) else None
        if not isinstance(rows, list):
            raise wrong_type("history", rows, "a list of messages")
        messages, adapted = read_chat(list(map(_chat_row, rows)), self.name, (THINKING,))
        messages = tuple(with_thinking(one, NOTES, THINKING) for one in messages)
        warnings = WarningCollector()
        steps = value.get("trajectory")
        if steps and isinstance(steps, list):
            warnings.count("steps-left-out", len(steps))
        meta = NOTES.meta({}, without(value, "history", "trajectory"))
        talk = Conversation(messages, meta=meta)
        return Loaded(talk, self.name, (*warnings.found(), *adapted))


def _chat_row(row: Any) -> object:
    """Return a message that names the call it answers as chat does."""
    match row:
        case {"role": "tool", "tool_call_ids": [str(id), *more]} if "tool_call_id" not in row:
            rest = {"tool_call_ids": more} if more else {}
            return {**without(row, "tool_call_ids"), **rest, "tool_call_id": id}
    return row
