"""What moved as a ribbon of the log in which nothing else has colour."""

from __future__ import annotations

from itertools import compress

from ctxtui.core.engine.diff import Diff
from ctxtui.core.engine.log import LogReader
from ctxtui.core.engine.views import View
from ctxtui.core.values.models import ROLES
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.render.text.ribbon import HIDDEN, SENT

WIDEST = 4


def moved_ribbon(log: LogReader, size: int, view: View, diff: Diff, room: int) -> Line:
    """Return a cell or more for each message: red and low went, tall and coloured came."""
    if not size or room < 1:
        return []
    cells = min(room, WIDEST * size)
    sent, gone = _mask(size, view), _mask(size, diff.hidden)
    came = _mask(size, diff.added, diff.shown, diff.moved)
    made = []
    for cell in range(cells):
        lo = size * cell // cells
        hi = max(lo + 1, size * (cell + 1) // cells)
        if 1 in came[lo:hi]:
            codes = bytes(compress(log.roles(lo, hi), came[lo:hi]))
            role = max(range(len(ROLES)), key=codes.count)
            made.append(Piece(SENT, ROLES[role]))
        elif 1 in gone[lo:hi]:
            made.append(Piece(HIDDEN, "error"))
        else:
            made.append(Piece(SENT if 1 in sent[lo:hi] else HIDDEN, "track"))
    return joined(made)


def _mask(size: int, *views: View) -> bytearray:
    mask = bytearray(size)
    for view in views:
        for start, length in view.runs():
            mask[start : start + length] = b"\1" * length
    return mask
