"""Who keeps what: every message that is sent now as a cell, in the same place for every recipe."""

from __future__ import annotations

from itertools import compress

from ctxtui.core.values.models import ROLES
from ctxtui.core.what_if import DROPPED, NEW, Outcome
from ctxtui.models.trials import Ground
from ctxtui.render.text.labels import bucket_of
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.render.text.ribbon import HEIGHTS, HIDDEN, SENT

STAND_IN = "▃"
WIDEST = 8
_STAYS = bytes(code != DROPPED for code in range(256))


class Axis:
    """Cells for the messages that are sent now: several for each, one, or one for many."""

    def __init__(self, ground: Ground, room: int) -> None:
        self.ground = ground
        self.whole = len(ground.view)
        self.cells = min(max(1, room), self.whole)
        self.wide = max(1, min(WIDEST, room // max(1, self.whole)))

    def ribbon(self, outcome: Outcome) -> Line:
        """Return what a recipe keeps: tall in the colour of its role, low where a message goes."""
        stays = outcome.fates.translate(_STAYS)
        cells = [self._cell(outcome.fates, stays, cell) for cell in range(self.cells)]
        return joined([Piece(text * self.wide, kind) for text, kind in cells])

    def stars(self) -> Line:
        """Return a star above each marked message, or above a cell with one."""
        found = {bucket_of(place, self.whole, self.cells) for place in self.ground.marked}
        marks = ("★" if cell in found else " " for cell in range(self.cells))
        return [Piece("".join(mark.ljust(self.wide) for mark in marks), "mark")]

    def _cell(self, fates: bytes, stays: bytes, cell: int) -> Piece:
        lo, hi = self.whole * cell // self.cells, self.whole * (cell + 1) // self.cells
        kept = stays.count(1, lo, hi)
        if not kept:
            return Piece(HIDDEN, "faint")
        if fates.count(NEW, lo, hi) == kept:
            return Piece(STAND_IN, "bright")
        codes = self.ground.roles[lo:hi]
        if hi - lo == 1:
            return Piece(SENT, ROLES[codes[0]])
        masked = bytes(compress(codes, stays[lo:hi]))
        role = max(range(len(ROLES)), key=masked.count)
        height = HEIGHTS[min(len(HEIGHTS) - 1, kept * len(HEIGHTS) // (hi - lo))]
        return Piece(height, ROLES[role])
