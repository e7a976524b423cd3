"""The operation a form stands for, as JSON, with the value that was changed last lit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.strip import Strip
from textual.widget import Widget

from ctxtui.render.outcome.operation import operation_lines
from ctxtui.render.text.lines import Line, Piece
from ctxtui.widgets.inked import Inked

INDENT = 1


class OperationBox(Inked, Widget):
    """A heading, and a few lines of JSON on sunk paper; as tall as they are."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._asked: Mapping[str, Any] = {}
        self._changed = ""
        self._lines: list[Line] = []

    def show(self, asked: Mapping[str, Any], changed: str) -> None:
        """Show another operation."""
        self._asked, self._changed = asked, changed
        self._lay_out()

    def on_resize(self) -> None:
        """Wrap again."""
        self._lay_out()

    def _lay_out(self) -> None:
        room = (self.size.width or 40) - 2 * INDENT
        self._lines = operation_lines(self._asked, self._changed, room)
        self.styles.height = 1 + len(self._lines)
        self.refresh()

    @property
    def lines(self) -> int:
        """Return how many lines it takes."""
        return 1 + len(self._lines)

    @property
    def text(self) -> str:
        """Return what is shown, for whoever can't see colours."""
        return "\n".join("".join(piece.text for piece in line) for line in self._lines)

    def render_line(self, y: int) -> Strip:
        """Return the heading or a line of JSON."""
        width = self.size.width
        if y == 0:
            return self.strip([Piece("As an operation", "muted")], "plain", width)
        line = self._lines[y - 1] if y <= len(self._lines) else []
        return self.strip([Piece(" " * INDENT), *line], "opened", width)
