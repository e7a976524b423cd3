"""The formats a conversation can be written in: name, ending, and what such a file holds."""

from __future__ import annotations

from collections.abc import Sequence

from core.formats import FORMATS, Format
from ctxtui.lists.heights import Block
from ctxtui.lists.source import NumberedSource
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap

WRITABLE: tuple[Format, ...] = tuple(known for known in FORMATS if known.writes)
NAME_CELLS = max(len(known.name) for known in WRITABLE) + 2
ENDING_CELLS = max(len(ending) for known in WRITABLE for ending in known.suffixes[:1]) + 2
INDENT = 2 + NAME_CELLS + ENDING_CELLS


class FormatSource(NumberedSource):
    """A line for every format that can be written, the one that keeps everything first."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(WRITABLE)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        names = f"  {'format':<{NAME_CELLS}}{'ending':<{ENDING_CELLS}}what the file holds"
        return [Piece(names, "faint")]

    def line(self, at: int, width: int) -> Line:
        """Return one format."""
        known = WRITABLE[at]
        return [
            Piece(f"  {known.name:<{NAME_CELLS}}", "bright"),
            Piece(f"{''.join(known.suffixes[:1]):<{ENDING_CELLS}}", "muted"),
            Piece(self._told(at, width)[0]),
        ]

    def blocks(self, width: int) -> Sequence[Block]:
        """Return how many rows it takes to say what each holds."""
        return [Block(1, len(self._told(at, width))) for at in range(len(self))]

    def below(self, at: int, width: int) -> list[Line]:
        """Return the rest of what a file holds."""
        return [[Piece(" " * INDENT), Piece(row)] for row in self._told(at, width)[1:]]

    def _told(self, at: int, width: int) -> list[str]:
        return wrap(WRITABLE[at].about, max(10, width - INDENT - 1))
