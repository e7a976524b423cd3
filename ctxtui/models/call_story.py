"""The story of recorded calls: what explains each, and what broke its prompt cache.

What recording notes with a call is somebody's JSON: whatever has another shape is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ctxtui.core.engine.calls import Call
from ctxtui.models.look import Look


class Explained(NamedTuple):
    """An operation that leads to what a call sent, why, and how sure that is."""

    operation: str
    reason: str
    certainty: str


class CallStory(NamedTuple):
    """A call by its number on the path from 1, what explains it, and why its cache broke."""

    number: int
    call: Call
    explained: tuple[Explained, ...]
    cause: str | None


def stories_in(look: Look) -> list[CallStory]:
    """Return the calls of the batch that is looked at, in the order they were made."""
    revisions, batch = look.state.revisions, look.batch.id
    return [
        CallStory(number, call, explained_by(call), cause_of(call))
        for number, call in enumerate(look.calls, start=1)
        if revisions[call.revision].batch == batch
    ]


def explained_by(call: Call) -> tuple[Explained, ...]:
    """Return what the recorder says a call is explained by, if anybody had to find out."""
    told = None if call.wire is None else call.wire.get("explained")
    return tuple(_explained(told)) if isinstance(told, list | tuple) else ()


def _explained(told: Iterable[Any]) -> Iterator[Explained]:
    for one in told:
        match one:
            case {"operation": str(name), "reason": str(reason), "certainty": str(certainty)}:
                yield Explained(name, reason, certainty)


def cause_of(call: Call) -> str | None:
    """Return why the cache broke, as the recorder says."""
    cache: Any = None if call.wire is None else call.wire.get("cache")
    cause = cache.get("cause") if isinstance(cache, Mapping) else None
    return cause if isinstance(cause, str) else None
