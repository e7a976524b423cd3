"""Choices to pick one from: what each is called, and in as many rows as it takes what it is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ctxtui.lists.heights import Block
from ctxtui.lists.source import NumberedSource
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap

LEAST_CELLS = 10
"""Cells that a sentence gets, however narrow the list is."""


class ChoiceSource(NumberedSource):
    """A list of names, each with a sentence behind it that wraps below itself."""

    indent: int
    """Cells before the sentence."""

    @abstractmethod
    def name(self, at: int) -> Line:
        """Return what stands before the sentence of a choice."""

    @abstractmethod
    def sentence(self, at: int) -> str:
        """Return what a choice is."""

    def line(self, at: int, width: int) -> Line:
        """Return one choice."""
        return [*self.name(at), Piece(self._told(at, width)[0])]

    def blocks(self, width: int) -> Sequence[Block]:
        """Return how many rows each takes."""
        return [Block(1, len(self._told(at, width))) for at in range(len(self))]

    def below(self, at: int, width: int) -> list[Line]:
        """Return the rest of a sentence."""
        return [[Piece(" " * self.indent), Piece(row)] for row in self._told(at, width)[1:]]

    def _told(self, at: int, width: int) -> list[str]:
        return wrap(self.sentence(at), max(LEAST_CELLS, width - self.indent - 1))
