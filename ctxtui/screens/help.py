"""The help: every key by what it is for, in as many columns as fit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from ctxtui.commands import GROUPS, Command
from ctxtui.commands.dialogs import HELP
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.screens.scene import Scene
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.text_pane import TextPane

COLUMN_CELLS = 50
KEYS_CELLS = 11


class HelpScreen(Scene, ModalScreen[None]):
    """Shows all keys over the screen they belong to."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in HELP]
    CSS_PATH = "help.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__()
        self._commands = commands

    def compose(self) -> ComposeResult:
        """Lay out one pane of text."""
        yield TextPane(id="help")
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the pane."""
        pane = self.query_one(TextPane)
        pane.border_title = "Keys"
        pane.show(partial(help_lines, self._commands))


def help_lines(commands: Sequence[Command], width: int) -> list[Line]:
    """Return all commands by group, side by side where there is room."""
    count = max(1, min(3, width // COLUMN_CELLS))
    room = width // count
    grouped = [
        (title, [command for command in commands if command.group == group])
        for group, title in GROUPS.items()
    ]
    blocks = [
        [[Piece(title, "bright")], *map(_row, members)] for title, members in grouped if members
    ]
    columns: list[list[Line]] = [[] for _ in range(count)]
    for block in blocks:
        shortest = min(columns, key=len)
        shortest += [*([[]] if shortest else []), *block]
    rows = max(map(len, columns))
    return [
        [piece for column in columns for piece in _cell(column, at, room)] for at in range(rows)
    ]


def _row(command: Command) -> Line:
    keys = command.shown_keys()
    return [
        Piece(keys + " " * max(1, KEYS_CELLS - cell_len(keys)), "key"),
        Piece(command.about, "text"),
    ]


def _cell(column: list[Line], at: int, room: int) -> Line:
    line = column[at] if at < len(column) else []
    return [*fit_pieces(line, room - 2), Piece("  ")]
