"""Notes: what a format's own key in ``metadata`` keeps of its data beside the core message.

What core has no place for stays there under its own name, so that the same format gives back equal
data. A key that core does have a place for may be noted too: it then says in which form it came,
and counts only as long as that fits what the message holds now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine.meta_fields import FIELDS, other_fields
from ..values.frozen import FrozenDict, thaw


class Notes:
    """The notes of one format, under its name."""

    def __init__(self, key: str) -> None:
        self.key = key

    def kept(self, notes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the metadata entry for some notes, or nothing where there are none."""
        return {"metadata": {self.key: dict(notes)}} if notes else {}

    def beside(self, layout: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the meta of a conversation: how its file was laid out, and its other fields."""
        return {self.key: dict(layout), **({FIELDS: dict(fields)} if fields else {})}

    def fields_of(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Return the other fields of a conversation if it was read from this format."""
        is_own = isinstance(meta.get(self.key), Mapping)
        return {key: thaw(value) for key, value in other_fields(meta).items()} if is_own else {}

    def held(self, meta: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the keys of meta that this format gives back, beside its tools."""
        return (self.key, FIELDS) if isinstance(meta.get(self.key), Mapping) else ()

    def of(self, metadata: FrozenDict | None) -> dict[str, Any]:
        """Return the notes of a message, a part or a conversation (its meta) as plain data."""
        found = metadata and metadata.get(self.key)
        return thaw(found) if isinstance(found, Mapping) else {}

    def is_in(self, metadata: FrozenDict | None) -> bool:
        """Tell whether something was read from this format, even if there was nothing to note."""
        return metadata is not None and isinstance(metadata.get(self.key), Mapping)

    def has_others(self, metadata: FrozenDict | None) -> bool:
        """Tell whether there is metadata that this format has no place for."""
        return metadata is not None and len(metadata) > self.is_in(metadata)


def without(data: Mapping[str, Any], *known: str) -> dict[str, Any]:
    """Return the keys of an object that have no place of their own."""
    return {key: value for key, value in data.items() if key not in known}


def inner(notes: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the notes about an object within the object."""
    found = notes.get(key)
    return dict(found) if isinstance(found, Mapping) else {}


def merged(row: Mapping[str, Any], notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the keys that were only noted; what it has itself counts."""
    return {**row, **without(notes, *row)}
