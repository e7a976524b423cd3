"""Notes: what ``metadata.openai`` keeps of a chat message beside its core message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.values.frozen import FrozenDict, thaw

KEY = "openai"


def without(data: Mapping[str, Any], *known: str) -> dict[str, Any]:
    """Return the keys of an object that have no place of their own."""
    return {key: value for key, value in data.items() if key not in known}


def kept(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata entry for some notes, or nothing where there are none."""
    return {"metadata": {KEY: dict(notes)}} if notes else {}


def notes_of(metadata: FrozenDict | None) -> dict[str, Any]:
    """Return the notes of a message or part as plain data."""
    found = metadata and metadata.get(KEY)
    return thaw(found) if isinstance(found, Mapping) else {}


def is_from_chat(metadata: FrozenDict | None) -> bool:
    """Tell whether something was read from chat, even if there was nothing to note."""
    return metadata is not None and isinstance(metadata.get(KEY), Mapping)


def has_others(metadata: FrozenDict | None) -> bool:
    """Tell whether there is metadata that chat has no place for."""
    return metadata is not None and len(metadata) > is_from_chat(metadata)


def inner(notes: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the notes about an object within the object."""
    found = notes.get(key)
    return dict(found) if isinstance(found, Mapping) else {}


def merged(row: Mapping[str, Any], notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chat object with the keys that were only noted; what it has itself counts."""
    return {**row, **without(notes, *row)}
