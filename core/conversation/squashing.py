"""Squashing: what a new conversation of the visible messages starts with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import Refused
from ..history.journal import Create
from ..messages.message import Message
from ..values.frozen import FrozenDict
from .readable import Readable


def squashed(
    conversation: Readable,
    meta: FrozenDict,
    only: Iterable[int] | None = None,
    instead: Mapping[int, Message] | None = None,
) -> Create:
    """Return a beginning that names its origin; each message knows its old index.

    ``only`` names the visible messages that are taken, by their raw indices; else all of them are.
    ``instead`` has messages that are taken in place of some.
    """
    raws = list(conversation.view) if only is None else _in_order(conversation, only)
    news = instead or {}
    place = {raw: position for position, raw in enumerate(raws)}
    marks = {
        label: [place[raw] for raw in found if raw in place]
        for label, found in conversation.marks.items()
    }
    origin: dict[str, Any] = {
        "title": meta.get("title"),
        "messages": len(conversation.log),
        "revision": conversation.current.id,
        "batch": conversation.batch.id,
    }
    if instead is not None:
        origin["cleaned"] = True  # Formats' notes about removed text were dropped.
    return Create(
        messages=[(news.get(raw) or conversation.log[raw]).noted(squashedFrom=raw) for raw in raws],
        settings=conversation.settings,
        meta={**meta, "origin": origin},
        marks={label: found for label, found in marks.items() if found},
    )


def _in_order(conversation: Readable, only: Iterable[int]) -> list[int]:
    """Return some visible messages in the order they are sent; refuse one that is hidden."""
    wanted = set(only)
    found = [raw for raw in conversation.view if raw in wanted]
    if len(found) < len(wanted):
        hidden = min(wanted.difference(found))
        raise Refused(
            f"message {hidden} is not visible, so it can't be kept",
            field="only",
            value=hidden,
            legal="visible messages",
        )
    return found
