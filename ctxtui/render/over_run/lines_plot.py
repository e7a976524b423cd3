"""Tokens per call as lines of dots, with the limit and the letters of the policies."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.policies import PolicyFigures
from ctxtui.render.over_run.axis import CallAxis
from ctxtui.render.over_run.runs import DrawnRun, in_front_first
from ctxtui.render.text.dots import HIGH, Dots
from ctxtui.render.text.labels import round_step
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.render.text.numbers import tokens

ROWS_A_NUMBER = 3
FAR = 2
"""Rows between two numbers of the scale, and how often the peak a limit may be to be drawn."""
LIMIT = "┈"
CURSOR = "│"
NAME = " limit "
FAR_ABOVE = " the limit is far above "
START = 3
"""What stands on the line of the limit, and in which cell; the cursor lets it move on."""


class LinesPlot:
    """The lines of all policies for a size: worked out once, then drawn with any cursor."""

    def __init__(
        self, runs: Sequence[DrawnRun], axis: CallAxis, rows: int, limit: int | None
    ) -> None:
        self.axis, self.rows, self.limit = axis, max(1, rows), limit
        peak = max([run.figures.peak for run in runs], default=0)
        self._has_limit = limit is not None and 0 < limit <= max(1, FAR * peak)
        self.top = max(peak, limit or 0 if self._has_limit else 0, 1)
        self._dots = Dots(axis.cells, self.rows)
        for run in in_front_first(runs):
            self._draw(run.figures, run.kind)
        self._letters = self._placed(runs)
        self._numbers = self._scale()

    def _y(self, value: int) -> int:
        """Return the row of dots of a number of tokens, from the top."""
        whole = self.rows * HIGH - 1
        return whole - min(whole, round(whole * value / self.top))

    def _draw(self, figures: PolicyFigures, kind: str) -> None:
        """Draw steps joined by what lies between them; a column of many calls is all of them."""
        calls, before = figures.per_call, None
        for column in range(self.axis.columns):
            values = [calls[call - 1].tokens for call in self.axis.calls_of(column)]
            ends = [self._y(max(values)), self._y(min(values))]
            if before is not None:
                ends.append(before + (ends[0] > before) - (ends[1] < before))
            self._dots.down(column, min(ends), max(ends), kind)
            before = self._y(values[-1])

    def _placed(self, runs: Sequence[DrawnRun]) -> dict[int, Piece]:
        """Return the letters behind the ends of the lines, each in a row of its own if it can."""
        found: dict[int, Piece] = {}
        for run in in_front_first(runs):
            if not run.figures.per_call:
                continue
            ideal = self._y(run.figures.per_call[-1].tokens) // HIGH
            free = [row for row in range(self.rows) if row not in found]
            if free:
                row = min(free, key=lambda row: (abs(row - ideal), row))
                found[row] = Piece(run.letter, run.letter_kind)
        return found

    def _scale(self) -> dict[int, Piece]:
        """Return the numbers before the plot by row; the limit's own goes before a round one."""
        step = round_step(max(1, self.rows // ROWS_A_NUMBER), self.top)
        found = {
            self._y(value) // HIGH: Piece(tokens(value), "faint")
            for value in range(step, self.top + 1, step)
        }
        if self._has_limit and self.limit is not None:
            row = self._y(self.limit) // HIGH
            found = {at: piece for at, piece in found.items() if abs(at - row) > 1}
            found[row] = Piece(tokens(self.limit), "warn")
        elif self.limit is not None:
            found[0] = Piece(tokens(self.limit), "faint")
        return found

    def lines(self, cursor: int, lead: int) -> list[Line]:
        """Return the rows with a cursor on a call; the numbers take so many cells before them."""
        here = self.axis.cell(cursor)
        return [self._line(row, here, lead) for row in range(self.rows)]

    def _line(self, row: int, here: int, lead: int) -> Line:
        number = self._numbers.get(row, Piece(""))
        is_limit = self._has_limit and number.kind == "warn"
        blank = Piece(LIMIT, "warn") if is_limit else Piece(" ")
        cells = [self._dots.cell(column, row) or blank for column in range(self.axis.cells)]
        told = NAME if is_limit else ""
        if number.text and row == 0 and self.limit is not None and not self._has_limit:
            told = FAR_ABOVE
        start = here + 2 if START <= here + 1 <= START + len(told) + 1 else START
        cells[start : start + len(told)] = [Piece(char, number.kind) for char in told]
        del cells[self.axis.cells :]
        cells[here] = Piece(CURSOR, "key")
        letter = self._letters.get(row, Piece(" "))
        before = Piece(f"{number.text:>{lead - 1}} ", number.kind)
        return [before, *joined(cells), Piece(" "), letter]
