"""A list above the screen, to pick one row from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.dialogs import PICKER
from ctxtui.text.line_source import LineSource
from ctxtui.widgets.base_screen import ModalBase
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList

T = TypeVar("T")


class Picker(ModalBase[T]):
    """Lets a row be picked; the result is the value of that row."""

    AUTO_FOCUS = "#picks"
    BINDINGS: ClassVar[list[BindingType]] = bindings(PICKER)
    title_text = ""
    subtitle_text = ""
    noun = "choice"
    """What a row is, and below what picking it does."""
    verb = "choose"

    def __init__(self, source: LineSource, values: Sequence[T], cursor: int = 0) -> None:
        super().__init__()
        self._source = source
        self._values = values
        self._cursor = cursor

    def compose(self) -> ComposeResult:
        yield LineList(id="picks")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.picks.border_title = self.title_text
        self.picks.border_subtitle = self.subtitle_text
        self.picks.show(self._source)
        self.picks.go_to(self._source.key(self._cursor))

    @property
    def picks(self) -> LineList:
        return self.query_one("#picks", LineList)

    def key_conditions(self) -> Conditions:
        return {"noun": self.noun, "verb": self.verb}

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        self.pick(event.key)

    def pick(self, at: int) -> None:
        self.dismiss(self._values[at])
