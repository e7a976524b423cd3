"""The chooser of an export: which format the file is to have."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.commands.dialogs import PICKER
from ctxtui.core.formats import FORMATS, Format
from ctxtui.library.drawing.sessions import sort_words
from ctxtui.library.models.library import COLUMNS, Sort
from ctxtui.text.lines import Line, Piece
from ctxtui.text.options import ChoiceSource
from ctxtui.widgets.base_screen import ModalBase
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList

# The formats a conversation can be written in: name, ending, and what such a file holds.

WRITABLE: tuple[Format, ...] = tuple(known for known in FORMATS if known.writes)
FORMATS_NAME_CELLS = max(len(known.name) for known in WRITABLE) + 2
ENDING_CELLS = max(len(ending) for known in WRITABLE for ending in known.suffixes[:1]) + 2


class FormatSource(ChoiceSource):
    """A line for every format that can be written, the one that keeps everything first."""

    indent = 2 + FORMATS_NAME_CELLS + ENDING_CELLS

    def __len__(self) -> int:
        """Return how many there are."""
        return len(WRITABLE)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        names = f"  {'format':<{FORMATS_NAME_CELLS}}{'ending':<{ENDING_CELLS}}what the file holds"
        return [Piece(names, "faint")]

    def name(self, at: int) -> Line:
        """Return what a format is called, and how its files end."""
        known = WRITABLE[at]
        return [
            Piece(f"  {known.name:<{FORMATS_NAME_CELLS}}", "bright"),
            Piece(f"{''.join(known.suffixes[:1]):<{ENDING_CELLS}}", "muted"),
        ]

    def sentence(self, at: int) -> str:
        """Return what a file of the format holds."""
        return WRITABLE[at].about


class FormatsScreen(ModalBase[Format | None]):
    """Lets a format be chosen; its result is the format."""

    AUTO_FOCUS = "#formats"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in PICKER]
    CSS_PATH = "../forms/form.tcss"

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        yield LineList(id="formats")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Fill the list."""
        lines = self.query_one(LineList)
        lines.border_title = "Export as"
        lines.border_subtitle = "native keeps the history; the others what is visible"
        lines.show(FormatSource())

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        self.dismiss(WRITABLE[event.key])


# The orders that sessions can be put in: what each is called, and what comes first then.

NAMES = tuple(COLUMNS)
SORTING_NAME_CELLS = max(map(len, NAMES)) + 4


class SortSource(ChoiceSource):
    """A line for every column; the one in use shows which way."""

    indent = 2 + SORTING_NAME_CELLS

    def __init__(self, sort: Sort) -> None:
        self._sort = sort

    def __len__(self) -> int:
        """Return how many there are."""
        return len(NAMES)

    def name(self, at: int) -> Line:
        """Return what a column is called, and for the one in use which way it goes."""
        name = NAMES[at]
        told = sort_words(self._sort)[0].text if name == self._sort.column else name
        return [Piece(f"  {told:<{SORTING_NAME_CELLS}}", "bright")]

    def sentence(self, at: int) -> str:
        """Return what comes first."""
        return COLUMNS[NAMES[at]].about


# The chooser of an order: what sessions are sorted by.


class SortPicker(ModalBase[str | None]):
    """Lets a column be chosen; its result is the column, which may be the one in use."""

    AUTO_FOCUS = "#orders"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in PICKER]
    CSS_PATH = "../forms/form.tcss"

    def __init__(self, sort: Sort) -> None:
        super().__init__()
        self._sort = sort

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        yield LineList(id="orders")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Fill the list, with the cursor on the order in use."""
        lines = self.query_one(LineList)
        lines.border_title = "Sort by"
        lines.border_subtitle = "the same again turns it round"
        lines.show(SortSource(self._sort))
        lines.go_to(list(COLUMNS).index(self._sort.column))

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        self.dismiss(list(COLUMNS)[event.key])
