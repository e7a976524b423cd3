"""All operations: what each does in one sentence, and whether it opens a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from core.operations import ALL
from ctxtui.commands import KEYS_OF_OPERATIONS
from ctxtui.commands.dialogs import OPERATIONS
from ctxtui.lists.heights import Block
from ctxtui.lists.source import NumberedSource
from ctxtui.palette import sentence
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap
from ctxtui.screens.scene import Scene
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.line_list import LineList

JSON = "JSON"
INDENT = 27
"""Cells before what an operation does."""


class OperationSource(NumberedSource):
    """A line for every operation, and one for a list of them as JSON."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(ALL) + 1

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return [Piece("  key  operation    batch  what it does", "faint")]

    def line(self, at: int, width: int) -> Line:
        """Return one operation."""
        title, key, batch, _ = self._facts(at)
        return [
            Piece(f"  {key:<4} ", "key"),
            Piece(f"{title:<13}", "bright"),
            Piece(f"{batch:<7}", "muted"),
            Piece(self._told(at, width)[0]),
        ]

    def blocks(self, width: int) -> Sequence[Block]:
        """Return how many rows it takes to say what each does."""
        return [Block(1, len(self._told(at, width))) for at in range(len(self))]

    def below(self, at: int, width: int) -> list[Line]:
        """Return the rest of what an operation does."""
        return [[Piece(" " * INDENT), Piece(row)] for row in self._told(at, width)[1:]]

    def _told(self, at: int, width: int) -> list[str]:
        return wrap(self._facts(at)[3], max(10, width - INDENT - 1))

    def _facts(self, at: int) -> tuple[str, str, str, str]:
        """Return the name of an operation, its key, whether it opens a batch, and what it does."""
        if at == len(ALL):
            return JSON, "", "", "Paste or load a list of operations; all of it is done or nothing."
        operation = ALL[at]
        key = KEYS_OF_OPERATIONS.get(operation.title, "")
        batch = "opens" if operation.opens_batch else ""
        return operation.title, key, batch, sentence(operation)


class OperationsScreen(Scene, ModalScreen[str | None]):
    """Lets an operation be chosen; its result is the operation's name."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in OPERATIONS]
    CSS_PATH = "form.tcss"
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        yield LineList(id="operations")
        yield KeyLine()

    def on_mount(self) -> None:
        """Fill the list."""
        lines = self.query_one(LineList)
        lines.border_title = "All operations"
        lines.border_subtitle = "u undoes any of them"
        lines.show(OperationSource())
        lines.focus()

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        self.dismiss(JSON if event.key == len(ALL) else ALL[event.key].title)

    def action_leave(self) -> None:
        """Close the list without choosing."""
        self.dismiss(None)
