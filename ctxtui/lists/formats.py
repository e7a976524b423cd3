"""The formats a conversation can be written in: name, ending, and what such a file holds."""

from __future__ import annotations

from ctxtui.core.formats import FORMATS, Format
from ctxtui.lists.choices import ChoiceSource
from ctxtui.render.text.lines import Line, Piece

WRITABLE: tuple[Format, ...] = tuple(known for known in FORMATS if known.writes)
NAME_CELLS = max(len(known.name) for known in WRITABLE) + 2
ENDING_CELLS = max(len(ending) for known in WRITABLE for ending in known.suffixes[:1]) + 2


class FormatSource(ChoiceSource):
    """A line for every format that can be written, the one that keeps everything first."""

    indent = 2 + NAME_CELLS + ENDING_CELLS

    def __len__(self) -> int:
        """Return how many there are."""
        return len(WRITABLE)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        names = f"  {'format':<{NAME_CELLS}}{'ending':<{ENDING_CELLS}}what the file holds"
        return [Piece(names, "faint")]

    def name(self, at: int) -> Line:
        """Return what a format is called, and how its files end."""
        known = WRITABLE[at]
        return [
            Piece(f"  {known.name:<{NAME_CELLS}}", "bright"),
            Piece(f"{''.join(known.suffixes[:1]):<{ENDING_CELLS}}", "muted"),
        ]

    def sentence(self, at: int) -> str:
        """Return what a file of the format holds."""
        return WRITABLE[at].about
