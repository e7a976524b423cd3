"""The sessions that are being written: two rows for each, and a blank one between them."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.lists.heights import Block
from ctxtui.lists.source import LineSource
from ctxtui.models.watching import Lane
from ctxtui.render.text.lines import Line
from ctxtui.render.watch.rows import first_row, head_row, second_row

ROWS = 3


class LaneSource(LineSource):
    """Sessions in the order given, as they were at a moment."""

    def __init__(self, lanes: Sequence[Lane], now: int) -> None:
        self._lanes = lanes
        self._now = now
        self._places = {lane.key: at for at, lane in enumerate(lanes)}

    def __len__(self) -> int:
        """Return how many sessions there are."""
        return len(self._lanes)

    def key(self, at: int) -> int:
        """Return the session's number, which stays when others come."""
        return self._lanes[at].key

    def find(self, key: int) -> int | None:
        """Return the line of a session."""
        return self._places.get(key)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return head_row(width)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return that each takes three rows, the last of them blank."""
        return [Block(len(self), ROWS)]

    def line(self, at: int, width: int) -> Line:
        """Return who it is."""
        return first_row(self._lanes[at], self._now, width)

    def below(self, at: int, width: int) -> list[Line]:
        """Return how full it is."""
        return [second_row(self._lanes[at], width)]
