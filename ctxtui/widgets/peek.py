"""The start of the message under the cursor, where the message pane has no room."""

from __future__ import annotations

from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.models.look import Look
from ctxtui.render.message.peek import peek_lines
from ctxtui.render.text.lines import Line
from ctxtui.widgets.inked import Inked


class Peek(Inked, Widget):
    """Shows who speaks, what is wrong, and as many lines of the message as there is room for."""

    def __init__(self) -> None:
        super().__init__(id="peek")
        self._shown: tuple[Look, int] | None = None
        self._lines: list[Line] = []
        self._made_for: Size | None = None

    def show_message(self, look: Look, raw: int | None) -> None:
        """Show the start of a message."""
        known = raw is not None and raw < look.log_size
        self._shown = (look, raw) if known and raw is not None else None
        self._made_for = None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one line; all of them are made for the first one."""
        if self._made_for != self.size:
            self._made_for, self._lines = self.size, self._made()
        line = self._lines[y] if y < len(self._lines) else []
        return self.strip(line, "plain", self.size.width)

    def _made(self) -> list[Line]:
        return [] if self._shown is None else peek_lines(*self._shown, *self.size)
