"""The ribbon above the panes: the log as it is, and while stepping as it was above that."""

from __future__ import annotations

from ctxtui.core.engine.views import View
from ctxtui.models.figures import figures_of
from ctxtui.models.look import Look
from ctxtui.render.narrow import narrow_ends
from ctxtui.render.text.choosing import size_of
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis, with_cursor


class LogRibbon:
    """The log of a look on lines of one width; cells are kept, since only the cursor moves often.

    The present has one line. While an earlier batch is looked at it is the lower one of two, so
    that one sees what has gone since, and what was not there yet; red is what that batch hid. On a
    small screen counts stand before it, and the gauge behind.
    """

    def __init__(self, look: Look, width: int, *, is_narrow: bool = False) -> None:
        self._width = width
        self._whole = len(look.conversation.log)
        ends = self._narrow(look) if is_narrow else self._wide(look)
        leads, tails = zip(*ends, strict=True)
        self._lead = max(map(size_of, leads))
        self._tails: list[Line] = list(tails)
        self._leads: list[Line] = list(leads)
        self.axis = RibbonAxis(self._whole, width - self._lead - max(map(size_of, tails)))
        hid = None if look.change is None else look.change.hidden
        self._cells = [self._drawn(look, look.view, look.log_size, hid)]
        if not look.is_live:
            self._cells.append(self._drawn(look, look.now.view, self._whole, None))

    @property
    def height(self) -> int:
        """Return how many lines there are."""
        return len(self._cells)

    def _wide(self, look: Look) -> list[tuple[Line, Line]]:
        last: Line = [Piece(f" {self._whole - 1:,} " if self._whole else " ", "faint")]
        if look.is_live:
            return [([Piece(" raw ", "muted")], last)]
        return [(lead, last) for lead in _times(look)]

    def _narrow(self, look: Look) -> list[tuple[Line, Line]]:
        lead, tail = narrow_ends(look, self._width)
        if look.is_live:
            return [(lead, tail)]
        then, now = _times(look)
        present = [
            Piece(f" {tokens(len(look.now.view))}", "muted"),
            Piece(f" of {tokens(self._whole)} ", "muted"),
        ]
        return [([*then, *lead], tail), ([*now, *present], [])]

    def _drawn(self, look: Look, view: View, size: int, hid: View | None) -> Line:
        conversation = look.conversation
        weights = figures_of(conversation, conversation.moment)
        drawn = Ribbon(conversation.log, weights, view, size=size, went=hid)
        return drawn.cells(self.axis)

    def line(self, at: int, cursor: int | None) -> Line:
        """Return one of the lines, with the place of a message on it."""
        lead = fit_pieces(self._leads[at], self._lead)
        shown = with_cursor(self._cells[at], self.axis, cursor)
        return fit_pieces([*lead, *shown, *self._tails[at]], self._width)

    def raw(self, x: int) -> int | None:
        """Return the message at a cell of the line."""
        return self.axis.raw(x - self._lead)


def _times(look: Look) -> tuple[Line, Line]:
    """Return what stands before the two ribbons: which batch, the numbers below each other."""
    then, now = str(look.batch.number), str(look.conversation.batch.number)
    digits = max(len(then), len(now))
    return (
        [Piece(f" then {then:>{digits}} ", "bright")],
        [Piece(f" now  {now:>{digits}} ", "muted")],
    )
