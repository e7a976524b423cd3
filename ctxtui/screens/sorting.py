"""The chooser of an order: what sessions are sorted by."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from ctxtui.commands.dialogs import PICKER
from ctxtui.lists.sorting import SortSource
from ctxtui.models.session_sorting import COLUMNS, Sort
from ctxtui.screens.scene import Scene
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_list import LineList


class SortPicker(Scene, ModalScreen[str | None]):
    """Lets a column be chosen; its result is the column, which may be the one in use."""

    AUTO_FOCUS = "#orders"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in PICKER]
    CSS_PATH = "form.tcss"
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS

    def __init__(self, sort: Sort) -> None:
        super().__init__()
        self._sort = sort

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        yield LineList(id="orders")
        yield KeyLine()

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
