"""Pickers of the library and the inspector: the format of an export, the order of sessions."""

from __future__ import annotations

from ctxtui.core.formats import FORMATS, Format
from ctxtui.library.drawing.sessions import sort_words
from ctxtui.library.models.library import COLUMNS, Sort
from ctxtui.text.lines import Line, Piece
from ctxtui.text.options import ChoiceSource
from ctxtui.widgets.picker import Picker

WRITABLE: tuple[Format, ...] = tuple(known for known in FORMATS if known.writes)
NAMES = tuple(COLUMNS)


class FormatPicker(Picker[Format]):
    """Lets the format of an export be picked, the one that keeps everything first."""

    title_text = "Export as"
    subtitle_text = "native keeps the history; the others what is visible"
    noun = "format"

    def __init__(self) -> None:
        endings = [next(iter(known.suffixes), "") for known in WRITABLE]
        name_cells = max(len(known.name) for known in WRITABLE) + 2
        ending_cells = max(map(len, endings)) + 2
        rows: list[tuple[Line, str]] = [
            (
                [
                    Piece(f"  {known.name:<{name_cells}}", "bright"),
                    Piece(f"{ending:<{ending_cells}}", "muted"),
                ],
                known.about,
            )
            for known, ending in zip(WRITABLE, endings, strict=True)
        ]
        header = f"  {'format':<{name_cells}}{'ending':<{ending_cells}}what the file holds"
        super().__init__(ChoiceSource(rows, header), WRITABLE)


class SortPicker(Picker[str]):
    """Lets a column be picked to sort by, which may be the one in use: that shows which way."""

    title_text = "Sort by"
    subtitle_text = "the same again reverses it"
    noun, verb = "column", "sort by it"

    def __init__(self, sort: Sort) -> None:
        cells = max(map(len, NAMES)) + 4
        words = {sort.column: sort_words(sort)[0].text}
        rows: list[tuple[Line, str]] = [
            ([Piece(f"  {words.get(name, name):<{cells}}", "bright")], column.about)
            for name, column in COLUMNS.items()
        ]
        super().__init__(ChoiceSource(rows), NAMES, NAMES.index(sort.column))
