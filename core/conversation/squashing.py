"""Squashing: what a new conversation of the visible messages starts with."""

from __future__ import annotations

from core.conversation.readable import Readable
from core.history.journal import Create
from core.values.frozen import FrozenDict


def squashed(conversation: Readable, meta: FrozenDict) -> Create:
    """Return a beginning that names its origin; each message knows its old index."""
    view = conversation.view
    place = {raw: position for position, raw in enumerate(view)}
    marks = {
        label: [place[raw] for raw in found if raw in place]
        for label, found in conversation.marks.items()
    }
    origin = {
        "title": meta.get("title"),
        "messages": len(conversation.log),
        "revision": conversation.current.id,
        "batch": conversation.batch.id,
    }
    return Create(
        messages=[conversation.log[raw].noted(squashedFrom=raw) for raw in view],
        settings=conversation.settings,
        meta={**meta, "origin": origin},
        marks={label: found for label, found in marks.items() if found},
    )
