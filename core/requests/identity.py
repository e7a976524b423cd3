"""Identity: by which keys a message that was written anew is known again.

The first key has the tool ids; the second, *loose*, leaves them out; the third, *masked*, also
hides what changes by itself: times, ids and numbers. None of them looks at cache markers, message
ids, thinking, keys without a value, or at how a text, arguments and JSON results were written. The
prompt cache is not that generous: what it sees is the ``strict`` digest of ``asked``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from ..messages.message import Message
from ..messages.parts import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from .digests import MARKER, digest, dumped

BILLING = re.compile(r"^x-anthropic-billing-header:[^\n]*\n?", re.MULTILINE)
"""The line that a coding agent puts in front of its prompt, and that differs in every request."""
HIDDEN_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
"""Types of data that are thinking, too."""
MADE = "made_id"
LEGACY = "function_call"
FUNCTION = "function"
MASKS = (
    re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE),
    re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{12,}\b", re.IGNORECASE),
    re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"),
    re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?\b", re.IGNORECASE),
    re.compile(r"\d+(?:[.,]\d+)*"),
)
"""Uuids, long hexadecimal numbers, dates, times, and whatever else is a number."""
SPACES = re.compile(r"\s+")


def key_of(message: Message) -> bytes:
    """Return the first key: equal for the same message of the same calls."""
    return _hashed(message, shapes_of(message))


def loose_key(message: Message) -> bytes:
    """Return the second key, which leaves out the ids that calls and results go by."""
    return _hashed(message, [_shape(part, message, ids=False) for part in _counting(message)])


def masked_key(message: Message) -> bytes:
    """Return the third key, which hides what changes by itself, and how spaces are put."""
    shapes = [_shape(part, message, ids=False) for part in _counting(message)]
    return _hashed(message, _masked(shapes))


def shapes_of(message: Message) -> list[Any]:
    """Return what a message is made of, however it was written: a text is a text."""
    return [_shape(part, message, ids=True) for part in _counting(message)]


def has_thoughts(message: Message) -> bool:
    """Tell whether a message holds thinking, readable or not."""
    return any(_is_thought(part) for part in message.parts)


def mask(text: str) -> str:
    """Return a text without times, ids and numbers, and with single spaces."""
    for pattern in MASKS:
        text = pattern.sub("#", text)
    return SPACES.sub(" ", text).strip()


def tool_ids(message: Message) -> frozenset[str]:
    """Return the ids of calls and results that a provider gave; those made here tell nothing."""
    return frozenset(id for part in message.parts if (id := _id(part, message)) is not None)


def has_made_ids(message: Message) -> bool:
    """Tell whether calls or results of a message came without an id."""
    linked = (part for part in message.parts if isinstance(part, ToolUsePart | ToolResultPart))
    return any(is_made(part, message) for part in linked)


def is_made(part: Part, message: Message) -> bool:
    """Tell whether the id of a call or result was made while reading, since it had none."""
    if any(MADE in note or note.get("type") == LEGACY for note in _notes(part.metadata)):
        return True
    is_result = isinstance(part, ToolResultPart)
    return is_result and any(note.get("role") == FUNCTION for note in _notes(message.metadata))


def _hashed(message: Message, shapes: list[Any]) -> bytes:
    name = None
    if message.role != "tool":
        names = (note.get("name") for note in _notes(message.metadata))
        name = next((name for name in names if isinstance(name, str) and name), None)
    return digest(dumped([message.role, name, shapes], in_order=False))


def _notes(metadata: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """Yield what formats have noted of a message or a part."""
    return (note for note in (metadata or {}).values() if isinstance(note, Mapping))


def _counting(message: Message) -> list[Part]:
    """Return the parts that count: no empty text, and no thinking unless there is nothing else."""
    full = [part for part in message.parts if not _is_empty(part, message)]
    said = [part for part in full if not _is_thought(part)]
    return said or full


def _is_empty(part: Part, message: Message) -> bool:
    if not isinstance(part, TextPart):
        return False
    return not (BILLING.sub("", part.text) if message.role == "system" else part.text)


def _is_thought(part: Part) -> bool:
    if isinstance(part, DataPart):
        return part.data.get("type") in HIDDEN_THOUGHTS
    return isinstance(part, ThinkingPart)


def _id(part: Part, message: Message) -> str | None:
    match part:
        case ToolUsePart(id=id) | ToolResultPart(tool_use_id=id) if not is_made(part, message):
            return id
    return None


def _shape(part: Part, message: Message, *, ids: bool) -> Any:
    """Return what a part is, however it was written."""
    id = _id(part, message) if ids else None
    match part:
        case TextPart(text):
            return BILLING.sub("", text) if message.role == "system" else text
        case ToolUsePart(name=name, input=given):
            return ["call", id, name, given]
        case ToolResultPart(content=str(text), is_error=failed):
            return ["result", id, _valued(text), failed or False]
        case ToolResultPart(content=tuple(inside), is_error=failed):
            return ["result", id, _inside(inside, message), failed or False]
        case ImagePart(url):
            return ["image", url]
        case ThinkingPart(text):
            return ["thinking", text]
        case DataPart(data):
            return ["data", _without_nulls(data)]


def _inside(parts: tuple[Part, ...], message: Message) -> Any:
    """Return what is in a result: one text is the same as a list of it."""
    if len(parts) == 1 and isinstance(parts[0], TextPart):
        return _valued(parts[0].text)
    return [_shape(part, message, ids=False) for part in parts]


def _valued(text: str) -> Any:
    """Return the value of a text that is JSON, in which keys have no order; or the text."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return ["json", orjson.loads(text)]
    except (orjson.JSONDecodeError, RecursionError):
        return text


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {key: _without_nulls(item) for key, item in value.items() if key != MARKER}
        return {key: item for key, item in kept.items() if item not in (None, [], {}, "")}
    if isinstance(value, list | tuple):
        return [_without_nulls(item) for item in value]
    return value


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return value if value is None or isinstance(value, bool) else "#"
