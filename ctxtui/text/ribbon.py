"""The ribbon: the raw log as one line, tall where a message is sent, in the colour of its role.

It always fills the width it gets. A message has several cells with a hair of room between them,
or one; where there are more messages than cells, a cell is a bucket of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from ctxtui.core.engine.log import LogReader
from ctxtui.core.engine.views import Run, View, spans_of
from ctxtui.core.values.models import ROLES
from ctxtui.text.lines import Line, Piece, joined

SENT = "▆"
HIDDEN = "▁"
GONE = "▂"
"""What went: a little higher than what was hidden before, for those who see no colours."""
ABSENT = "·"
CURSOR = "┃"
HEIGHTS = "▃▄▅▆"
"""A bucket by the share of it that is sent."""
ROOMY = 3
"""Cells of a message from which on one of them is left empty between it and the next."""


class Weights(Protocol):
    """What a ribbon is coloured by: running sums of the tokens of each role over the log."""

    def within(self, starts: list[int], stops: list[int], /) -> tuple[int, ...]:
        """Return the tokens of each role in some stretches of the log, each from and up to."""


class RibbonAxis:
    """The cells of each message of a log on a line."""

    def __init__(self, whole: int, width: int) -> None:
        self.whole = max(0, whole)
        self.width = max(0, width) if whole else 0
        self.gap = 1 if self.whole and self.width // self.whole >= ROOMY else 0

    def stretch(self, raw: int) -> tuple[int, int]:
        """Return the cells of a message, from and up to; in a bucket they are one that is shared.

        The gap behind a message is not part of them; behind the last one there is none.
        """
        if self.whole > self.width:
            at = ((raw + 1) * self.width - 1) // self.whole
            return at, at + 1
        room = self.width + self.gap
        return room * raw // self.whole, room * (raw + 1) // self.whole - self.gap

    def bucket(self, cell: int) -> tuple[int, int]:
        """Return the messages of a cell, from and up to; a gap belongs to the one before it."""
        if self.whole > self.width:
            return self.whole * cell // self.width, self.whole * (cell + 1) // self.width
        raw = ((cell + 1) * self.whole - 1) // (self.width + self.gap)
        return raw, raw + 1

    def place(self, raw: int) -> int:
        first, stop = self.stretch(raw)
        return (first + stop - 1) // 2

    def raw(self, cell: int) -> int | None:
        return self.bucket(cell)[0] if 0 <= cell < self.width else None


class _Stretches:
    """Raw indices as sorted stretches, to be asked for those within a bucket."""

    def __init__(self, runs: Iterable[Run]) -> None:
        spans = spans_of(runs)
        self.starts = [start for start, _ in spans]
        self.stops = [stop for _, stop in spans]

    def within(self, lo: int, hi: int) -> tuple[list[int], list[int]]:
        """Return what lies within a bucket, as where each stretch begins and ends."""
        first, last = bisect_right(self.stops, lo), bisect_left(self.starts, hi)
        starts, stops = self.starts[first:last], self.stops[first:last]
        if starts:
            starts[0], stops[-1] = max(lo, starts[0]), min(hi, stops[-1])
        return starts, stops


class Part(NamedTuple):
    """What a bucket has of something: how many messages, and where they are."""

    messages: int
    starts: list[int]
    stops: list[int]


class Ribbon:
    """A log at one time, in cells: what is sent, and on demand what went and what came.

    ``size`` is how long the log was: what the axis has behind that is not there yet. ``went`` is
    drawn low and red. With ``came`` only what came has the colour of its role, and what was there
    all along is grey: so one sees what moved.
    """

    def __init__(
        self,
        log: LogReader,
        weights: Weights,
        view: View,
        *,
        size: int | None = None,
        went: View | None = None,
        came: View | None = None,
    ) -> None:
        self._log = log
        self._weights = weights
        self._size = len(log) if size is None else size
        self._sent = _Stretches(view.runs())
        self._went = _Stretches(() if went is None else went.runs())
        self._came = None if came is None else _Stretches(came.runs())

    def cells(self, axis: RibbonAxis) -> Line:
        """Return a piece for every cell of an axis; its cost follows cells and runs."""
        if axis.whole > axis.width:
            return [self._cell(*axis.bucket(cell)) for cell in range(axis.width)]
        cells = [Piece(" ")] * axis.width
        for raw in range(axis.whole):
            first, stop = axis.stretch(raw)
            piece = self._cell(raw, raw + 1)
            # One dot for each message to come: a row of them would look like more.
            stop = first + 1 if piece.text == ABSENT else stop
            cells[first:stop] = [piece] * (stop - first)
        return cells

    def line(self, axis: RibbonAxis) -> Line:
        return joined(self.cells(axis))

    def _cell(self, lo: int, hi: int) -> Piece:
        if lo >= self._size:
            return Piece(ABSENT, "faint")
        sent, went = _part(self._sent, lo, hi), _part(self._went, lo, hi)
        height = _height(sent.messages, min(hi, self._size) - lo)
        came = sent if self._came is None else _part(self._came, lo, hi)
        if went.messages and (self._came is None or went.messages > came.messages):
            return Piece(height if sent.messages else GONE, "error")
        if came.messages and sent.messages:
            return Piece(height, self._role(came))
        return Piece(height, "track" if sent.messages else "faint")

    def _role(self, part: Part) -> str:
        """Return the role that holds most tokens there; where there are none, the first one."""
        if part.messages == 1:
            first = part.starts[0]
            return ROLES[self._log.roles(first, first + 1)[0]]
        held = self._weights.within(part.starts, part.stops)
        if not any(held):
            return ROLES[self._log.roles(part.starts[0], part.starts[0] + 1)[0]]
        return ROLES[max(range(len(ROLES)), key=held.__getitem__)]


def _part(stretches: _Stretches, lo: int, hi: int) -> Part:
    starts, stops = stretches.within(lo, hi)
    return Part(sum(stops) - sum(starts), starts, stops)


def _height(sent: int, whole: int) -> str:
    """Return a block as high as the share that is sent; a message alone is all or nothing."""
    if not sent:
        return HIDDEN
    return HEIGHTS[min(len(HEIGHTS) - 1, sent * len(HEIGHTS) // whole)]


def with_cursor(cells: Line, axis: RibbonAxis, cursor: int | None) -> Line:
    """Return the cells of a ribbon put together, with the place of a message on it."""
    if cursor is None or not cells or not 0 <= cursor < axis.whole:
        return joined(cells)
    at = axis.place(cursor)
    return joined([*cells[:at], Piece(CURSOR, "chip"), *cells[at + 1 :]])
