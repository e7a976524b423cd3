"""The raw log as an axis: what was sent, what changed and what is sent, cell under cell."""

from __future__ import annotations

from collections.abc import Iterable

from ctxtui.core.engine.log import LogReader, role_table
from ctxtui.core.engine.views import View
from ctxtui.render.text.indices import run_text
from ctxtui.render.text.labels import bucket_of, placed, round_step
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.render.text.ribbon import HIDDEN, SENT, Ribbon, RibbonAxis, Weights

WIDEST = 4
APART = 8
MANY = 24
"""More runs than this have no brackets: they would be a fence."""
NEITHER = "·"
SIGNS = {1: Piece("−", "error"), 2: Piece("+", "ok"), 3: Piece("±", "warn"), 4: Piece("~", "warn")}


class IndexAxis:
    """Cells for the raw indices from 0 on: several for each, one for each, or one for many."""

    def __init__(self, log: LogReader, weights: Weights, room: int) -> None:
        self.log = log
        self._weights = weights
        self.whole = len(log)
        self.cells = min(max(1, room), self.whole)
        self.wide = max(1, min(WIDEST, room // max(1, self.whole)))
        self.width = self.cells * self.wide

    def bounds(self, cell: int) -> tuple[int, int]:
        """Return the raw indices of a cell, from and up to."""
        return self.whole * cell // self.cells, self.whole * (cell + 1) // self.cells

    def at(self, raw: int) -> int:
        """Return where the cells of a raw index begin."""
        return bucket_of(raw, self.whole, self.cells) * self.wide

    def numbers(self) -> Line:
        """Return round indices above their cells, and the last one."""
        if not self.whole:
            return []
        step = round_step(self.width // APART, self.whole)
        last = self.whole - 1
        marks = [0, last, *range(step, last, step)]
        middle = self.wide // 2
        return placed(
            [(self.at(raw) + middle, Piece(str(raw), "faint")) for raw in marks], self.width
        )

    def ribbon(self, view: View, size: int) -> Line:
        """Return the log at a time: tall where it was sent."""
        shown = Ribbon(self.log, self._weights, view, size=size)
        return self._line(shown.cells(RibbonAxis(self.whole, self.cells)))

    def change(self, *masks: bytearray) -> Line:
        """Return a sign wherever something left, came, did both, or changed places.

        The masks say, in this order, of each raw index whether it did.
        """
        made = []
        for cell in range(self.cells):
            lo, hi = self.bounds(cell)
            left, came, went = (mask.find(1, lo, hi) >= 0 for mask in masks)
            made.append(SIGNS.get(left + 2 * came or 4 * went, Piece(" ")))
        return self._line(made)

    def role(self, role: str, shown: bytearray, size: int) -> Line:
        """Return where the messages of a role are: tall where they are sent, low where hidden."""
        mine = self.log.roles(0, size).translate(role_table((role,)))
        both = int.from_bytes(mine, "little") & int.from_bytes(shown[:size], "little")
        sent = both.to_bytes(size, "little")
        made = []
        for cell in range(self.cells):
            lo, hi = self.bounds(cell)
            if sent.find(1, lo, hi) >= 0:
                made.append(Piece(SENT, role))
            elif mine.find(1, lo, hi) >= 0:
                made.append(Piece(HIDDEN, "faint"))
            else:
                made.append(Piece(NEITHER, "track"))
        return self._line(made)

    def brackets(self, view: View) -> list[Line]:
        """Return brackets under the runs of a view and their names, where there are few."""
        if not 0 < view.run_count <= MANY:
            return []
        cells = [Piece(" ")] * self.width
        names = []
        for start, length in view.joined():
            first, last = self.at(start), self.at(start + length - 1) + self.wide - 1
            line = "╵" if first == last else f"└{'─' * (last - first - 1)}┘"
            cells[first : last + 1] = [Piece(mark, "muted") for mark in line]
            name = run_text(start, start + length - 1)
            names.append((length, (first + last) // 2, Piece(name, "bright")))
        names.sort(key=lambda name: -name[0])
        return [joined(cells), placed([(middle, piece) for _, middle, piece in names], self.width)]

    def _line(self, cells: Iterable[Piece]) -> Line:
        return joined([Piece(text * self.wide, kind) for text, kind in cells])
