"""Thinking of chat messages: what libraries put beside the content becomes parts of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..messages.message import Message
from ..messages.parts import TextPart, ThinkingPart
from ..values.frozen import freeze_object
from .notes import Notes, without


def with_thinking(message: Message, own: Notes, key: str) -> Message:
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
