"""The orders that sessions can be put in: what each is called, and what comes first then."""

from __future__ import annotations

from ctxtui.lists.choices import ChoiceSource
from ctxtui.models.session_sorting import COLUMNS, Sort
from ctxtui.render.library.head import sort_words
from ctxtui.render.text.lines import Line, Piece

NAMES = tuple(COLUMNS)
NAME_CELLS = max(map(len, NAMES)) + 4


class SortSource(ChoiceSource):
    """A line for every column; the one in use shows which way."""

    indent = 2 + NAME_CELLS

    def __init__(self, sort: Sort) -> None:
        self._sort = sort

    def __len__(self) -> int:
        """Return how many there are."""
        return len(NAMES)

    def name(self, at: int) -> Line:
        """Return what a column is called, and for the one in use which way it goes."""
        name = NAMES[at]
        told = sort_words(self._sort)[0].text if name == self._sort.column else name
        return [Piece(f"  {told:<{NAME_CELLS}}", "bright")]

    def sentence(self, at: int) -> str:
        """Return what comes first."""
        return COLUMNS[NAMES[at]].about
