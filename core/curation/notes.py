"""Notes that repeat a text: what a format keeps of how a message was written follows its changes.

A file may have written arguments in a way of its own; that text is kept in ``metadata`` to be given
back. Where a text of the message changed, the same text there would keep what was to go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.curation.json_strings import json_strings, with_strings
from core.messages.message import Message
from core.messages.parts import Part

SHORTEST = 8
"""Characters of a text that is taken for a copy; shorter ones may be any word."""


def following(message: Message, changes: Mapping[str, str]) -> Message:
    """Return a message whose notes say the new texts where they said the old ones."""
    metadata = message.metadata and _followed(message.metadata, changes)
    parts = message.content
    if not isinstance(parts, str):
        parts = tuple(
            part
            if part.metadata is None
            else replace(part, metadata=_followed(part.metadata, changes))
            for part in parts
        )
    if metadata == message.metadata and parts == message.content:
        return message
    return replace(message, content=parts, metadata=metadata)


def _part(part: Part, changes: Mapping[str, str]) -> Part:
    if part.metadata is None:
        return part
    return replace(part, metadata=_followed(part.metadata, changes))


def _followed(value: Any, changes: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _text(value, changes)
    if isinstance(value, Mapping):
        return {key: _followed(item, changes) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_followed(item, changes) for item in value]
    return value


def _text(text: str, changes: Mapping[str, str]) -> str:
    strings = json_strings(text)
    if strings:
        news = {
            number: changes.get(one.text) or _text(one.text, changes)
            for number, one in enumerate(strings)
            if not one.is_name
        }
        return with_strings(text, {n: new for n, new in news.items() if new != strings[n].text})
    for old, new in changes.items():
        if len(old) >= SHORTEST:
            text = text.replace(old, new)
    return text
