"""The ribbon above the panes: the log as it is, and while stepping as it was above that."""

from __future__ import annotations

from core.views.view import View
from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis, with_cursor


class LogRibbon:
    """The log of a look on lines of one width; cells are kept, since only the cursor moves often.

    The present has one line. While an earlier batch is looked at it is the lower one of two, so
    that one sees what has gone since, and what was not there yet; red is what that batch hid.
    """

    def __init__(self, look: Look, width: int) -> None:
        self._width = width
        now = look.conversation.batch.number
        names = ["raw"] if look.is_live else [f"then {look.batch.number}", f"now {now}"]
        self._lead = max(map(len, names)) + 2
        whole = len(look.conversation.log)
        self._last = f" {whole - 1} " if whole else " "
        self.axis = RibbonAxis(whole, width - self._lead - len(self._last))
        hid = None if look.change is None else look.change.hidden
        self._cells = [self._drawn(look, look.view, look.log_size, hid)]
        if not look.is_live:
            self._cells.append(self._drawn(look, look.now.view, whole, None))
        kinds = ("muted",) if look.is_live else ("bright", "muted")
        self._leads = [
            Piece(f" {_spread(name, self._lead - 2)} ", kind)
            for name, kind in zip(names, kinds, strict=True)
        ]

    def _drawn(self, look: Look, view: View, size: int, hid: View | None) -> Line:
        drawn = Ribbon(look.conversation.log, look.figures, view, size=size, went=hid)
        return drawn.cells(self.axis)

    def line(self, at: int, cursor: int | None) -> Line:
        """Return one of the lines, with the place of a message on it."""
        shown = with_cursor(self._cells[at], self.axis, cursor)
        return fit_pieces([self._leads[at], *shown, Piece(self._last, "faint")], self._width)

    def raw(self, x: int) -> int | None:
        """Return the message at a cell of the line."""
        return self.axis.raw(x - self._lead)


def _spread(name: str, width: int) -> str:
    """Return a name in so many cells, with its number at their end."""
    word, _, number = name.partition(" ")
    return f"{word}{number.rjust(width - len(word))}"
