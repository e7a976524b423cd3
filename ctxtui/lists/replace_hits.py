"""The hits of a dry run as a list: the name of a session, then its hits, two rows each."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.lists.heights import Block
from ctxtui.lists.source import NumberedSource
from ctxtui.models.replacing import Choosing, Place, Touched
from ctxtui.render.replace.hits import heading, place_lines
from ctxtui.render.text.bars import bar
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.severity import PASSED
from ctxtui.symbols import visible

BAR = 5
BESIDE = BAR + 11
"""Cells of a row of sessions that are no title: the sign, a bar and a number."""


class HitSource(NumberedSource):
    """Every hit, below the name of its session."""

    def __init__(self, choosing: Choosing) -> None:
        self._choosing = choosing
        self.items: list[Touched | Place] = []
        self.starts: dict[str, int] = {}
        for touched in choosing.run.touched:
            self.starts[touched.entry.id] = len(self.items)
            self.items += [touched, *touched.places]

    def __len__(self) -> int:
        """Return how many names and hits there are."""
        return len(self.items)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return that a name takes one row and a hit two."""
        return [
            block
            for touched in self._choosing.run.touched
            for block in (Block(1, 1), Block(len(touched.places), 2))
        ]

    def line(self, at: int, width: int) -> Line:
        """Return a name, or a hit as it is."""
        item = self.items[at]
        if isinstance(item, Place):
            return self._lines(item, width)[0]
        count = len(self._choosing.chosen(item))
        return heading(item.entry.title, count, bool(count), width)

    def below(self, at: int, width: int) -> list[Line]:
        """Return a hit as it would be."""
        item = self.items[at]
        return [self._lines(item, width)[1]] if isinstance(item, Place) else []

    def _lines(self, place: Place, width: int) -> tuple[Line, Line]:
        return place_lines(place, width, is_chosen=self._choosing.is_chosen(place))


class TouchedSource(NumberedSource):
    """The sessions in which something was found, with how much of it."""

    def __init__(self, choosing: Choosing) -> None:
        self._choosing = choosing
        self.touched = choosing.run.touched
        self._most = max((len(touched.places) for touched in self.touched), default=1)

    def __len__(self) -> int:
        """Return how many sessions there are."""
        return len(self.touched)

    def line(self, at: int, width: int) -> Line:
        """Return a session with a bar of its hits."""
        touched = self.touched[at]
        count = len(self._choosing.chosen(touched))
        room = max(1, width - BESIDE)
        name = fit(visible(touched.entry.title, room), room)
        return [
            Piece(f" {PASSED.glyph} " if count else "   ", "key"),
            Piece(name, "text" if count else "faint"),
            Piece(" "),
            Piece(f"{bar(count, self._most, BAR):<{BAR}}", "bright"),
            Piece(f"{count:>6,}", "bright" if count else "faint"),
        ]
