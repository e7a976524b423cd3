"""Reviewing: which sessions have a verdict, how far that is, and which one comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctxtui.core.curation.verdicts import Disagreement
from ctxtui.core.storage import Entry
from ctxtui.models.told import Told, warned

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


def told_disagreement(found: Sequence[Disagreement]) -> Told | None:
    """Return what is to be told of verdicts that those on identical sessions contradict."""
    if not found:
        return None
    (entry, others), *more = found
    back = ("u", "takes it back")
    if more:
        title = f"{len(found):,} are identical with sessions of another verdict"
        first = f"{others[0].title} {_verdict(others[0])}, {entry.title} {_verdict(entry)}."
        return warned(title, first, back)
    rest = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
    title = f"Two verdicts on the same: {others[0].title} {_verdict(others[0])}"
    return warned(title, f"{entry.title}, identical with it{rest}, {_verdict(entry)}.", back)


def _verdict(entry: Entry) -> str:
    return entry.status if entry.status == "needs work" else f"is {entry.status}"
