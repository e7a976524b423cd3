"""The axis of calls, which plot and strips share: one column of dots for a call, more or fewer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ctxtui.core.policies import CallFigures
from ctxtui.render.text.dots import WIDE
from ctxtui.render.text.labels import placed, round_step
from ctxtui.render.text.lines import Line, Piece

LABEL_CELLS = 8
"""Cells between two numbers of the axis, at the least."""


class CallAxis:
    """Shares out a width among calls: a call has some columns of dots, or a column some calls."""

    def __init__(self, calls: int, cells: int) -> None:
        self.calls = calls
        self.cells = max(1, cells)
        self.columns = self.cells * WIDE

    def first_column(self, call: int) -> int:
        """Return the first column of a call, which counts from 1."""
        if self.calls > self.columns:
            return (call * self.columns - 1) // self.calls
        return (call - 1) * self.columns // self.calls

    def calls_of(self, column: int) -> range:
        """Return the calls of a column of dots."""
        if self.calls > self.columns:
            first, stop = (self.calls * at // self.columns for at in (column, column + 1))
            return range(first + 1, stop + 1)
        call = ((column + 1) * self.calls - 1) // self.columns + 1
        return range(call, call + 1)

    def cell(self, call: int) -> int:
        """Return the cell a call begins in."""
        return min(self.cells - 1, self.first_column(call) // WIDE)

    def calls_of_cell(self, cell: int) -> range:
        """Return the calls of a cell."""
        first, last = self.calls_of(WIDE * cell), self.calls_of(WIDE * cell + WIDE - 1)
        return range(first.start, last.stop)

    def found(
        self, calls: Sequence[CallFigures], is_so: Callable[[CallFigures], bool]
    ) -> list[bool]:
        """Tell of each column of dots whether something is so of any of its calls."""
        return [
            any(is_so(calls[call - 1]) for call in self.calls_of(column))
            for column in range(self.columns)
        ]

    def ticks(self) -> list[int]:
        """Return the calls whose numbers stand below the axis: the first, the last, round ones."""
        step = round_step(max(1, self.cells // LABEL_CELLS), self.calls)
        return [1, self.calls, *range(step, self.calls, step)]

    def rule(self) -> str:
        """Return the axis itself, with a tick at each number."""
        marks = {self.cell(call) for call in self.ticks()}
        return "".join("┬" if cell in marks else "─" for cell in range(self.cells))

    def numbers(self, cursor: int) -> Line:
        """Return the numbers below the axis; the one of the cursor goes before the others."""
        here = (self.cell(cursor), Piece(f" {cursor:,} ", "chip"))
        others = [(self.cell(call), Piece(f"{call:,}", "faint")) for call in self.ticks()]
        return placed([here, *others], self.cells)
