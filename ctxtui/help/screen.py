"""The help: what can be done here, all keys, and the legend of all signs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.calls.models.call import words_of
from ctxtui.commands.command import Command, Conditions, Keys, bindings
from ctxtui.commands.dialogs import HELP
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.help.drawing import help_lines
from ctxtui.library.drawing.sessions import warning_lines
from ctxtui.text.icons import PASSED
from ctxtui.text.lines import Line, Piece
from ctxtui.text.numbers import time_of_day
from ctxtui.text.toast import Notice, toast_lines
from ctxtui.widgets.base_screen import ModalBase
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.panes import TextPane
from ctxtui.widgets.prompt import Prompt, Typing

TIME_CELLS = len("12:00:00  ")


class HelpScreen(ModalBase[None]):
    """Shows keys and signs over the screen they belong to; first what can be done there."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(HELP)
    CSS_PATH = "help.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(self, commands: Sequence[Command], here: Keys) -> None:
        super().__init__()
        self._commands = commands
        self._here = here
        self._sought = ""

    def compose(self) -> ComposeResult:
        yield TextPane(id="help")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.fill(self.query_one(TextPane))

    def fill(self, pane: TextPane) -> None:
        pane.border_title = "Help"
        pane.border_subtitle = "keys above, symbols below"
        pane.show(partial(help_lines, self._commands, self._here, sought=self._sought))

    def key_conditions(self) -> Conditions:
        return {"searchable": bool(self._commands), "sought": self._sought}

    def action_search(self) -> None:
        """Show only what has some words, while these are typed."""
        if self._commands:
            typing = Typing(changed=self._search, left=partial(self._search, ""))
            ask = self.query_one(Prompt).ask
            ask("search", "a word or a key", self._search, verb="show", typing=typing)

    def _search(self, text: str) -> None:
        self._sought = text
        self.fill(self.query_one(TextPane))
        self.refresh_bindings()

    def action_leave(self) -> None:
        if self._sought:
            self._search("")
        else:
            self.dismiss()


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


class NoticesScreen(HelpScreen):
    """Lists what toasts have said, the newest first."""

    def __init__(self, notices: Iterable[Notice]) -> None:
        super().__init__((), ())
        self._notices = list(notices)

    def fill(self, pane: TextPane) -> None:
        pane.border_title = "Past notices"
        pane.show(self._lines)

    def _lines(self, width: int) -> list[Line]:
        if not self._notices:
            return [[Piece("Nothing was said yet.", "muted")]]
        lines: list[Line] = []
        for time, toast in reversed(self._notices):
            head, *rest = toast_lines(toast, width - TIME_CELLS)
            lines.append([Piece(f"{time_of_day(time)}  ", "faint"), *head])
            lines += [[Piece(" " * TIME_CELLS), *row] for row in rest]
        return lines
