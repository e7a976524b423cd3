"""The one interface of all kinds: events go in, an answer and how it ended come out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from ...requests.exchange import Outcome
from .events import Event, Note, server_events


class Assembler(ABC):
    """An answer that is being put together."""

    def __init__(self) -> None:
        self.answer: dict[str, Any] = {}
        self.is_over = False
        self.is_failed = False

    def events(self, content: bytes, note: Note) -> Iterator[Event]:
        """Yield the events of a stream; what is left out of it is noted."""
        return server_events(content, note)

    @abstractmethod
    def take(self, event: Event) -> None:
        """Take in one event; those that are unknown are passed over."""

    def end(self) -> None:
        """Finish what is still in pieces when there are no more events."""
        return

    @property
    def outcome(self) -> Outcome:
        """Return how it ended: by the protocol's own end, not by that of the connection."""
        if self.is_failed:
            return "failed"
        return "complete" if self.is_over else "cut"

    def fail(self, error: object) -> None:
        """Note that the provider gave up in the middle."""
        self.is_failed = True
        self.answer["error"] = error
