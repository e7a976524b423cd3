"""Rows of lists whose items take more than one: where an item begins, and what stands at a row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple


class Block(NamedTuple):
    """So many items one after the other that take so many rows each."""

    items: int
    rows: int


class Heights:
    """Translates between items and rows; costs follow the number of blocks, of which few are.

    Items behind the last block take one row.
    """

    def __init__(self, blocks: Sequence[Block] = ()) -> None:
        self._blocks = [block for block in blocks if block.items]
        self._items = [0, *accumulate(block.items for block in self._blocks)]
        self._rows = [0, *accumulate(block.items * block.rows for block in self._blocks)]

    def height(self, at: int) -> int:
        """Return how many rows an item takes."""
        place = bisect_right(self._items, at) - 1
        return self._blocks[place].rows if 0 <= place < len(self._blocks) else 1

    def row(self, at: int) -> int:
        """Return the first row of an item."""
        place = max(0, bisect_right(self._items, at) - 1)
        return self._rows[place] + (at - self._items[place]) * self.height(at)

    def item(self, row: int) -> tuple[int, int]:
        """Return the item at a row, and which of its rows that is."""
        place = max(0, bisect_right(self._rows, row) - 1)
        high = self._blocks[place].rows if place < len(self._blocks) else 1
        at, within = divmod(row - self._rows[place], high)
        return self._items[place] + at, within
