"""Where messages that went would stand among those that stayed, as runs and not one by one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from ctxtui.core.engine.views import View


class GoneRun(NamedTuple):
    """Messages that went, one after the other, behind so many of those that stayed."""

    behind: int
    start: int
    size: int


class GoneRows:
    """The lines of a projection with what went still in it; the cost follows the runs.

    Each message that went stands behind the last one before it that stayed.
    """

    def __init__(self, before: View, after: View, gone: View) -> None:
        self._after = after
        found = sorted(_runs(before, after, gone), key=lambda run: run.behind)
        self._groups = found
        self._sums = [0, *accumulate(run.size for run in found)]
        self._behind = [run.behind for run in found]
        self._starts = [run.behind + self._sums[at] for at, run in enumerate(found)]
        self._by_raw = sorted((run.start, at) for at, run in enumerate(found))

    def __len__(self) -> int:
        """Return how many messages went."""
        return self._sums[-1]

    def at(self, line: int) -> tuple[int | None, int]:
        """Return position and raw index of a line; no position for a message that went."""
        group = bisect_right(self._starts, line) - 1
        if group >= 0:
            run, within = self._groups[group], line - self._starts[group]
            if within < run.size:
                return None, run.start + within
        position = line - self._sums[group + 1]
        return position, self._after[position]

    def line(self, raw: int) -> int | None:
        """Return the line of a message that stayed or went."""
        position = self._after.position(raw)
        if position is not None:
            return position + self._sums[bisect_left(self._behind, position + 1)]
        place = bisect_right(self._by_raw, (raw, len(self._groups))) - 1
        if place < 0:
            return None
        start, group = self._by_raw[place]
        within = raw - start
        return self._starts[group] + within if within < self._groups[group].size else None


def _runs(before: View, after: View, gone: View) -> Iterator[GoneRun]:
    """Yield the runs that went, in the order they had; each knows what it stands behind."""
    spans = [(start, start + size) for start, size in gone.joined()]
    stops = [stop for _, stop in spans]
    last: int | None = None
    for start, size in before.runs() if spans else ():
        at, end = start, start + size
        span = bisect_right(stops, at)
        while at < end:
            low, high = spans[span] if span < len(spans) else (end, end)
            if at < low:
                last, at = min(low, end) - 1, min(low, end)
                continue
            position = None if last is None else after.position(last)
            stop = min(high, end)
            yield GoneRun(0 if position is None else position + 1, at, stop - at)
            at, span = stop, span + 1
