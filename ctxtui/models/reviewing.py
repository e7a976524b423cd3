"""Reviewing: which sessions have a verdict, how far that is, and which one comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.storage import Entry

VERDICTS = ("accepted", "rejected", "needs work")
"""The statuses that are a verdict; all others are still to be reviewed."""


def is_open(entry: Entry) -> bool:
    """Tell whether a session waits for a verdict; one that can't be read does not."""
    return entry.status not in VERDICTS and entry.problem is None


class Progress(NamedTuple):
    """How many of some sessions have which verdict."""

    whole: int
    accepted: int
    rejected: int
    needs_work: int

    @property
    def reviewed(self) -> int:
        """Return how many have a verdict."""
        return self.accepted + self.rejected + self.needs_work

    @property
    def to_go(self) -> int:
        """Return how many have none yet."""
        return self.whole - self.reviewed


def progress_of(entries: Iterable[Entry]) -> Progress:
    """Return how far the review of some sessions is; what can't be read is not counted."""
    counted = Counter(entry.status for entry in entries if entry.problem is None)
    return Progress(counted.total(), *(counted[verdict] for verdict in VERDICTS))


def next_open(is_open: Sequence[bool], after: int) -> int | None:
    """Return the next place that is open, from the top again behind the end; None if none is."""
    size = len(is_open)
    places = ((after + step) % size for step in range(1, size + 1))
    return next((at for at in places if is_open[at]), None)
