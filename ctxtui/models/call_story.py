"""The story of recorded calls: what explains each, and what broke its prompt cache.

What recording notes with a call is somebody's JSON: whatever has another shape is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from core.history.call import Call
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
        story_of(number, call)
        for number, call in enumerate(look.calls, start=1)
        if revisions[call.revision].batch == batch
    ]


def story_of(number: int, call: Call) -> CallStory:
    """Return the story of a call, the first one being number 1."""
    return CallStory(number, call, tuple(_explained(call)), _cause(call))


def _explained(call: Call) -> Iterator[Explained]:
    told = None if call.wire is None else call.wire.get("explained")
    for one in told if isinstance(told, list | tuple) else ():
        match one:
            case {"operation": str(name), "reason": str(reason), "certainty": str(certainty)}:
                yield Explained(name, reason, certainty)


def _cause(call: Call) -> str | None:
    cache: Any = None if call.wire is None else call.wire.get("cache")
    cause = cache.get("cause") if isinstance(cache, Mapping) else None
    return cause if isinstance(cause, str) else None
