"""Long texts: lines that are cut, and made safe, only when somebody looks at them."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import overload

from ctxtui.render.text.lines import Line, Piece
from ctxtui.symbols import visible

LONG = 100_000
"""Characters from which a text is not worth breaking between words."""


class Lines(Sequence[Line]):
    """Lines that are made when they are asked for, one by one."""

    @abstractmethod
    def line(self, at: int) -> Line:
        """Return one line."""

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Line]: ...
    def __getitem__(self, at: int | slice) -> Line | Sequence[Line]:
        """Return a line, or some of them."""
        places = range(len(self))
        return (
            [self.line(i) for i in places[at]] if isinstance(at, slice) else self.line(places[at])
        )


class LongText(Lines):
    """A text as lines of a width, cut anywhere; measuring it costs a step for each of its lines."""

    def __init__(self, text: str, width: int, kind: str = "text") -> None:
        self._rows = text.split("\n")
        # Every character takes two cells at most, so half as many always fit.
        self._step = width if text.isascii() else max(1, width // 2)
        self._kind = kind
        counts = (max(1, -(-len(row) // self._step)) for row in self._rows)
        self._starts = [0, *accumulate(counts)]

    def __len__(self) -> int:
        """Return how many lines there are."""
        return self._starts[-1]

    def line(self, at: int) -> Line:
        """Return one line."""
        row = bisect_right(self._starts, at) - 1
        start = (at - self._starts[row]) * self._step
        return [Piece(visible(self._rows[row][start : start + self._step]), self._kind)]


class Joined(Lines):
    """Several sequences of lines one after the other, without copying any."""

    def __init__(self, parts: Iterable[Sequence[Line]]) -> None:
        self._parts = [part for part in parts if len(part)]
        self._starts = [0, *accumulate(map(len, self._parts))]

    def __len__(self) -> int:
        """Return how many lines there are."""
        return self._starts[-1]

    def line(self, at: int) -> Line:
        """Return one line."""
        part = bisect_right(self._starts, at) - 1
        return self._parts[part][at - self._starts[part]]
