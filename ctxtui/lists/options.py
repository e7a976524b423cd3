"""Options as rows, in groups with a name above each."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.lists.heights import Block
from ctxtui.lists.source import NumberedSource
from ctxtui.models.option import Option
from ctxtui.render.options import option_row
from ctxtui.render.text.lines import Line, Piece


class OptionSource(NumberedSource):
    """A row for each option; the last of a group has the name of the next one below it."""

    def __init__(self, options: Sequence[Option]) -> None:
        self.options = options

    def __len__(self) -> int:
        """Return how many options there are."""
        return len(self.options)

    def header(self, width: int) -> Line | None:
        """Return the name of the first group."""
        group = self.options[0].group if self.options else ""
        return [Piece(f" {group}", "muted")] if group else None

    def line(self, at: int, width: int) -> Line:
        """Return one option."""
        return option_row(self.options[at], width)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return how many rows each takes: three where another group follows."""
        return [Block(1, 3 if self._next_group(at) else 1) for at in range(len(self))]

    def below(self, at: int, width: int) -> list[Line]:
        """Return a blank row, and the name of the group that follows."""
        group = self._next_group(at)
        return [[], [Piece(f" {group}", "muted")]] if group else []

    def stands_between(self, at: int) -> bool:
        """Tell that the name of a group belongs to what comes below it."""
        return True

    def _next_group(self, at: int) -> str:
        later = self.options[at + 1].group if at + 1 < len(self.options) else ""
        return later if later != self.options[at].group else ""
