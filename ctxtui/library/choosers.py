"""Pickers of the library and the inspector: the format of an export, the order of sessions."""

from __future__ import annotations

from ctxtui.core.formats import FORMATS, Format
from ctxtui.library.drawing.sessions import sort_words
from ctxtui.library.models.library import COLUMNS, Sort
from ctxtui.text.lines import Line, Piece
from ctxtui.text.options import ChoiceSource
from ctxtui.widgets.picker import Picker

WRITABLE: tuple[Format, ...] = tuple(known for known in FORMATS if known.writes)
FORMAT_CELLS = max(len(known.name) for known in WRITABLE) + 2
ENDING_CELLS = max(len(ending) for known in WRITABLE for ending in known.suffixes[:1]) + 2


class FormatSource(ChoiceSource):
    """A line for every format that can be written, the one that keeps everything first."""

    indent = 2 + FORMAT_CELLS + ENDING_CELLS

    def __len__(self) -> int:
        return len(WRITABLE)

    def header(self, width: int) -> Line | None:
        names = f"  {'format':<{FORMAT_CELLS}}{'ending':<{ENDING_CELLS}}what the file holds"
        return [Piece(names, "faint")]

    def name(self, at: int) -> Line:
        known = WRITABLE[at]
        return [
            Piece(f"  {known.name:<{FORMAT_CELLS}}", "bright"),
            Piece(f"{''.join(known.suffixes[:1]):<{ENDING_CELLS}}", "muted"),
        ]

    def sentence(self, at: int) -> str:
        return WRITABLE[at].about


class FormatPicker(Picker[Format]):
    """Lets the format of an export be picked."""

    title_text = "Export as"
    subtitle_text = "native keeps the history; the others what is visible"
    noun = "format"

    def __init__(self) -> None:
        super().__init__(FormatSource(), WRITABLE)


NAMES = tuple(COLUMNS)
COLUMN_CELLS = max(map(len, NAMES)) + 4


class SortSource(ChoiceSource):
    """A line for every column; the one in use shows which way."""

    indent = 2 + COLUMN_CELLS

    def __init__(self, sort: Sort) -> None:
        self._sort = sort

    def __len__(self) -> int:
        return len(NAMES)

    def name(self, at: int) -> Line:
        name = NAMES[at]
        told = sort_words(self._sort)[0].text if name == self._sort.column else name
        return [Piece(f"  {told:<{COLUMN_CELLS}}", "bright")]

    def sentence(self, at: int) -> str:
        return COLUMNS[NAMES[at]].about


class SortPicker(Picker[str]):
    """Lets a column be picked to sort by, which may be the one in use."""

    title_text = "Sort by"
    subtitle_text = "the same again turns it round"
    noun, verb = "column", "sort by it"

    def __init__(self, sort: Sort) -> None:
        super().__init__(SortSource(sort), NAMES, NAMES.index(sort.column))
