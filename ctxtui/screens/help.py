"""The help: what can be done here, all keys, and the legend of all signs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from ctxtui.commands import Command, Keys
from ctxtui.commands.dialogs import HELP
from ctxtui.render.help import help_lines
from ctxtui.screens.scene import Scene
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.text_pane import TextPane


class HelpScreen(Scene, ModalScreen[None]):
    """Shows keys and signs over the screen they belong to; first what can be done there."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in HELP]
    CSS_PATH = "help.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS

    def __init__(self, commands: Sequence[Command], here: Keys) -> None:
        super().__init__()
        self._commands = commands
        self._here = here

    def compose(self) -> ComposeResult:
        """Lay out one pane of text."""
        yield TextPane(id="help")
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the pane."""
        pane = self.query_one(TextPane)
        pane.border_title = "Help"
        pane.border_subtitle = "keys above, signs below"
        pane.show(partial(help_lines, self._commands, self._here))
