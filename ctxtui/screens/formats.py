"""The chooser of an export: which format the file is to have."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from ctxtui.commands.dialogs import PICKER
from ctxtui.core.formats import Format
from ctxtui.lists.formats import WRITABLE, FormatSource
from ctxtui.screens.scene import Scene
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_list import LineList


class FormatsScreen(Scene, ModalScreen[Format | None]):
    """Lets a format be chosen; its result is the format."""

    AUTO_FOCUS = "#formats"
    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in PICKER]
    CSS_PATH = "form.tcss"
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        yield LineList(id="formats")
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the list."""
        lines = self.query_one(LineList)
        lines.border_title = "Export as"
        lines.border_subtitle = "native keeps the history; the others what is visible"
        lines.show(FormatSource())

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        self.dismiss(WRITABLE[event.key])
