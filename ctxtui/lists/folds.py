"""Expanded lines of a list: which are open, and where every other line stands because of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate

from ctxtui.render.text.lines import Line


class Folds:
    """Translates between the lines of a list and rows of the screen; closed lines take one row.

    Costs follow the number of open lines, not the length of the list.
    """

    def __init__(self) -> None:
        self.open: dict[int, list[Line]] = {}
        self._lines: list[int] = []
        self._rows: list[int] = []

    def place(self, find: Callable[[int], int | None]) -> None:
        """Find the open lines again by their keys; one that is gone takes no row."""
        found = ((find(key), len(extra)) for key, extra in self.open.items())
        known = sorted((at, rows) for at, rows in found if at is not None)
        self._lines = [at for at, _ in known]
        self._rows = [0, *accumulate(rows for _, rows in known)]

    @property
    def extra(self) -> int:
        """Return how many rows the open lines take beyond one each."""
        return self._rows[-1] if self._rows else 0

    def row(self, at: int) -> int:
        """Return the first row of a line."""
        return at if not self._lines else at + self._rows[bisect_left(self._lines, at)]

    def height(self, at: int) -> int:
        """Return how many rows a line takes."""
        place = bisect_left(self._lines, at)
        if place < len(self._lines) and self._lines[place] == at:
            return 1 + self._rows[place + 1] - self._rows[place]
        return 1

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
            return row, 0
        starts = range(len(self._lines))
        place = bisect_right(starts, row, key=lambda i: self._lines[i] + self._rows[i])
        if place == 0:
            return row, 0
        first = self._lines[place - 1]
        within = row - first - self._rows[place - 1]
        if within <= self._rows[place] - self._rows[place - 1]:
            return first, within
        return row - self._rows[place], 0
