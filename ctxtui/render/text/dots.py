"""Dots: eight in a cell, so that a plot is twice as wide and four times as high as its cells."""

from __future__ import annotations

from ctxtui.render.text.lines import Piece

WIDE, HIGH = 2, 4
"""Dots of a cell, across and down."""
EMPTY = 0x2800
BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bit of each dot in its character, by column and row."""


class Dots:
    """A field of cells; each belongs to whoever put the first dot into it, in one ink."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(0, width), max(0, height)
        self._bits = [[0] * self.width for _ in range(self.height)]
        self._kinds = [[""] * self.width for _ in range(self.height)]

    def put(self, x: int, y: int, kind: str) -> None:
        """Put a dot, counted from the top left, unless the cell is another's."""
        column, row = x // WIDE, y // HIGH
        if not (0 <= column < self.width and 0 <= row < self.height):
            return
        owner = self._kinds[row][column]
        if owner in ("", kind):
            self._kinds[row][column] = kind
            self._bits[row][column] |= BITS[x % WIDE][y % HIGH]

    def down(self, x: int, first: int, last: int, kind: str) -> None:
        """Put dots below each other, both ends included, in whichever order they are given."""
        for y in range(min(first, last), max(first, last) + 1):
            self.put(x, y, kind)

    def cell(self, column: int, row: int) -> Piece | None:
        """Return a cell, or None where there is no dot in it."""
        bits = self._bits[row][column]
        return Piece(chr(EMPTY + bits), self._kinds[row][column]) if bits else None
