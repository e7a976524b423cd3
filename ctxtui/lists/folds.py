"""Expanded lines of a list: which are open, and where every other line stands because of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from ctxtui.lists.heights import Block, Heights
from ctxtui.render.text.lines import Line


class Folds:
    """Translates between the lines of a list and rows of the screen.

    A closed line takes one row, or as many as its source says. Costs follow the number of open
    lines, not the length of the list.
    """

    def __init__(self) -> None:
        self.open: dict[int, Sequence[Line]] = {}
        self._heights = Heights()
        self._lines: list[int] = []
        self._rows: list[int] = []

    def place(self, find: Callable[[int], int | None], blocks: Sequence[Block] = ()) -> None:
        """Find the open lines again by their keys; one that is gone takes no row."""
        self._heights = Heights(blocks)
        found = ((find(key), len(extra)) for key, extra in self.open.items())
        known = sorted((at, rows) for at, rows in found if at is not None)
        self._lines = [at for at, _ in known]
        self._rows = [0, *accumulate(rows for _, rows in known)]

    @property
    def extra(self) -> int:
        """Return how many rows the open lines take beyond their own."""
        return self._rows[-1] if self._rows else 0

    def row(self, at: int) -> int:
        """Return the first row of a line."""
        row = self._heights.row(at)
        return row if not self._lines else row + self._rows[bisect_left(self._lines, at)]

    def own_height(self, at: int) -> int:
        """Return how many rows a line takes while it is closed."""
        return self._heights.height(at)

    def height(self, at: int) -> int:
        """Return how many rows a line takes."""
        place = bisect_left(self._lines, at)
        own = self._heights.height(at)
        if place < len(self._lines) and self._lines[place] == at:
            return own + self._rows[place + 1] - self._rows[place]
        return own

    def top_for(self, at: int, top: int, rows: int) -> int:
        """Return the row to scroll to so that a line is among the rows in sight.

        A line nearby comes in at the edge; one from far away has some lines before it in sight.
        """
        first = self.row(at)
        last = min(first + self.height(at), first + rows) - 1
        if top <= first and last < top + rows:
            return top
        if first < top - rows or last >= top + 2 * rows:
            return max(0, first - rows // 3)
        return first if first < top else last - rows + 1

    def line(self, row: int) -> tuple[int, int]:
        """Return the line at a row, and which of its rows that is."""
        if not self._lines:
            return self._heights.item(row)
        starts = range(len(self._lines))
        place = bisect_right(starts, row, key=self._start)
        if place == 0:
            return self._heights.item(row)
        first = self._lines[place - 1]
        within = row - self._start(place - 1)
        if within < self.height(first):
            return first, within
        return self._heights.item(row - self._rows[place])

    def _start(self, place: int) -> int:
        """Return the first row of an open line."""
        return self._heights.row(self._lines[place]) + self._rows[place]
