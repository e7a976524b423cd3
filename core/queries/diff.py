"""The difference between two views: what went, what came, what moved."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import ClassVar

from ..values.plain import Plain, Readers
from ..views.lists import read_view
from ..views.spans import Span, spans_of, subtract
from ..views.view import EMPTY, View


@dataclass(frozen=True, slots=True)
class Diff(Plain):
    """What it takes to get from one view to another, as raw indices in ascending order."""

    READERS: ClassVar[Readers] = dict.fromkeys(("hidden", "added", "shown", "moved"), read_view)

    hidden: View
    added: View
    shown: View
    moved: View

    def __bool__(self) -> bool:
        """Tell whether there is any difference."""
        return any(map(len, (self.hidden, self.added, self.shown, self.moved)))

    def __str__(self) -> str:
        """Return the difference as runs: ``hidden 0-4, 7; added 120``."""
        kinds = ("hidden", "added", "shown", "moved")
        said = [f"{kind} {view}" for kind in kinds if len(view := getattr(self, kind))]
        return "; ".join(said) or "no difference"


def diff_views(before: View, after: View, log_size: int) -> Diff:
    """Compare two views; ``log_size`` is how long the log was when the first was made.

    The work follows the number of runs, except where messages changed places.
    """
    if before.chunks == after.chunks:
        return Diff(EMPTY, EMPTY, EMPTY, EMPTY)
    old, new = spans_of(before.runs()), spans_of(after.runs())
    gone, come = subtract(old, new), subtract(new, old)
    older = subtract(come, [(log_size, 1 << 62)])
    newer = subtract(come, older)
    stayed = before.cut(gone)[0] if gone else before
    common = after.cut(come)[0] if come else after
    return Diff(_view(gone), _view(newer), _view(older), _moved(stayed, common))


def _view(spans: list[Span]) -> View:
    return View.of_runs([(start, stop - start) for start, stop in spans])


def _moved(before: View, after: View) -> View:
    """Return the messages outside a longest common order of two views of the same messages."""
    if before == after:
        return EMPTY
    rank = {raw: position for position, raw in enumerate(before)}
    order = [rank[raw] for raw in after]
    # Patience sorting: tails[k] ends the best rising sequence of length k + 1 so far.
    tails: list[int] = []
    places: list[int] = []
    for position in order:
        place = bisect_left(tails, position)
        tails[place : place + 1] = [position]
        places.append(place)
    moved = []
    wanted = len(tails) - 1
    for raw, place in zip(reversed(list(after)), reversed(places), strict=True):
        if place == wanted:
            wanted -= 1
        else:
            moved.append(raw)
    return View.of(sorted(moved))
