"""The help: what can be done here, all keys, and the legend of all signs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.calls.models.call import words_of
from ctxtui.commands.command import Command, Keys, bindings
from ctxtui.commands.dialogs import HELP
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.help.drawing import help_lines
from ctxtui.library.drawing.sessions import warning_lines
from ctxtui.text.icons import PASSED
from ctxtui.text.lines import Line, Piece
from ctxtui.widgets.base_screen import ModalBase
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.panes import TextPane


class HelpScreen(ModalBase[None]):
    """Shows keys and signs over the screen they belong to; first what can be done there."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(HELP)
    CSS_PATH = "help.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(self, commands: Sequence[Command], here: Keys) -> None:
        super().__init__()
        self._commands = commands
        self._here = here

    def compose(self) -> ComposeResult:
        yield TextPane(id="help")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.fill(self.query_one(TextPane))

    def fill(self, pane: TextPane) -> None:
        pane.border_title = "Help"
        pane.border_subtitle = "keys above, symbols below"
        pane.show(partial(help_lines, self._commands, self._here))


class WarningsScreen(HelpScreen):
    """Lists what was adapted or left out when the file of a session was read."""

    def __init__(self, warnings: Sequence[FormatWarning]) -> None:
        super().__init__((), ())
        self._words = words_of(warnings)

    def fill(self, pane: TextPane) -> None:
        pane.border_title = "Warnings of the import"
        pane.show(self._lines)

    def _lines(self, width: int) -> list[Line]:
        if not self._words:
            return [[PASSED.piece(), Piece("The whole file was read unchanged.", "muted")]]
        return warning_lines(self._words, width)
