"""Where the pointer was: the batch number after each record, as a curve over all of them.

Going to a batch and back is a bump one sees; it is dotted where a branch was left. What has been
played is bright, what is to come is faint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ctxtui.render.text.lines import Line, Piece, joined

LEAST_CELLS = 3
WIDEST_CELLS = 24
"""Cells for each record: fewer, and several share one; more, and the curve would be all plain."""
NODE, LEFT, HERE = "○", "◌", "●"
BAR, CURSOR = "━", "┃"


class Travelled(Protocol):
    """What is drawn: the batch numbers after each record, and which of them were left."""

    @property
    def numbers(self) -> Sequence[int]:
        """Return the batch number after each record."""
        ...

    def is_left(self, place: int) -> bool:
        """Tell whether the state after a record is not on the way to now."""
        ...


class Column(NamedTuple):
    """One column of the curve: the record it stands for, the number there, and the sign on it."""

    place: int
    number: int
    is_left: bool
    is_node: bool


class Curve:
    """The curve for a width: worked out once, then drawn for every record that is played."""

    def __init__(self, travelled: Travelled, room: int) -> None:
        numbers = travelled.numbers
        self.count = len(numbers)
        self.peak = max(numbers, default=0)
        self.label = len(str(self.peak)) + 2
        self.room = max(1, room - self.label - 1)
        self.step = min(WIDEST_CELLS, self.room // max(1, self.count))
        if self.step >= LEAST_CELLS:
            self.columns = list(self._spread(travelled))
        else:
            self.columns = list(self._bucketed(travelled))

    def _spread(self, travelled: Travelled) -> list[Column]:
        """Return some columns for each record, its sign in the middle."""
        made = []
        for place, number in enumerate(travelled.numbers):
            left = travelled.is_left(place)
            for cell in range(self.step):
                made.append(Column(place, number, left, cell == self.step // 2))
        return made

    def _bucketed(self, travelled: Travelled) -> list[Column]:
        """Return a column for several records: of their numbers the one that is farthest away."""
        cells, numbers = min(self.room, self.count), travelled.numbers
        made, before = [], 0
        for cell in range(cells):
            lo, hi = self.count * cell // cells, self.count * (cell + 1) // cells
            low, high = min(numbers[lo:hi]), max(numbers[lo:hi])
            before = high if abs(high - before) >= abs(low - before) else low
            if cell == cells - 1:
                before = numbers[hi - 1]
            made.append(Column(hi - 1, before, travelled.is_left(hi - 1), False))
        return made

    def at(self, place: int) -> int:
        """Return the column that stands for a record."""
        if not self.columns:
            return 0
        if self.step >= LEAST_CELLS:
            return place * self.step + self.step // 2
        cells = len(self.columns)
        return ((place + 1) * cells - 1) // self.count

    def place_at(self, x: int) -> int | None:
        """Return the record at a cell of the line."""
        column = x - self.label
        return self.columns[column].place if 0 <= column < len(self.columns) else None

    def lines(self, place: int, height: int) -> list[Line]:
        """Return the curve in so many rows, with a record as the one that is shown."""
        height = max(1, min(height, self.peak + 1))
        grid = [[Piece(" ")] * len(self.columns) for _ in range(height)]
        here, old = self.at(place), None
        for x, column in enumerate(self.columns):
            row = self._row(column.number, height)
            kind = "bright" if x <= here else "faint"
            self._draw(grid, x, (row, row if old is None else old), column, kind)
            old = row
        if self.columns:
            row = self._row(self.columns[here].number, height)
            grid[row][here] = Piece(HERE, "key")
        return [[*self._label(row, height), *joined(cells)] for row, cells in enumerate(grid)]

    def _draw(
        self,
        grid: list[list[Piece]],
        x: int,
        rows: tuple[int, int],
        column: Column,
        kind: str,
    ) -> None:
        row, old = rows
        flat, tall = ("╌", "┆") if column.is_left else ("─", "│")
        if row == old:
            sign = (LEFT if column.is_left else NODE) if column.is_node else flat
            grid[row][x] = Piece(sign, kind)
            return
        up = row < old
        for between in range(min(row, old) + 1, max(row, old)):
            grid[between][x] = Piece(tall, kind)
        grid[old][x] = Piece("╯" if up else "╮", kind)
        grid[row][x] = Piece("╭" if up else "╰", kind)

    def _row(self, number: int, height: int) -> int:
        """Return the row of a number, from the top."""
        if height > self.peak:
            return height - 1 - number
        return height - 1 - (number * (height - 1) + self.peak // 2) // max(1, self.peak)

    def _label(self, row: int, height: int) -> Line:
        shown = {height - 1: 0, 0: self.peak}
        if height > self.peak:
            shown = {height - 1 - number: number for number in range(self.peak + 1)}
        text = f"{shown[row]}" if row in shown else ""
        return [Piece(f"{text:>{self.label - 1}} ", "faint")]

    def bar(self, place: int) -> Line:
        """Return how far it has been played."""
        here, width = self.at(place), len(self.columns)
        return [
            Piece(" " * self.label),
            Piece(BAR * here, "key"),
            Piece(CURSOR, "key"),
            Piece(BAR * (width - here - 1), "track"),
        ]

    def names(self, titles: Sequence[str], title: str, place: int) -> Line:
        """Return the names of the records below them; where they don't fit, of the one shown."""
        longest = max(map(len, titles), default=0)
        if self.step > longest and len(titles) == self.count:
            line = [Piece(" " * self.label)]
            for at, name in enumerate(titles):
                kind = "chip" if at == place else "muted" if at < place else "faint"
                edge = (self.step - len(name)) // 2
                rest = self.step - len(name) - edge
                outer, inner = (edge - 1, 1) if at == place and edge and rest else (edge, 0)
                shown = f"{' ' * inner}{name}{' ' * inner}"
                line += [Piece(" " * outer), Piece(shown, kind), Piece(" " * (rest - inner))]
            return line
        chip = f" {title} "
        start = max(0, min(self.at(place) - len(chip) // 2, self.room - len(chip)))
        return [Piece(" " * (self.label + start)), Piece(chip, "chip")]
