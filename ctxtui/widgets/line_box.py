"""A few lines that are drawn anew for whatever width they get."""

from __future__ import annotations

from collections.abc import Callable

from textual.strip import Strip
from textual.widget import Widget

from ctxtui.render.lines import Line
from ctxtui.widgets.inked import Inked


class LineBox(Inked, Widget):
    """Shows one line for each of some functions from a width to a line."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lines: list[Callable[[int], Line]] = []

    def show(self, *lines: Callable[[int], Line]) -> None:
        """Show other lines."""
        self._lines = list(lines)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        width = self.size.width
        line = self._lines[y](width) if y < len(self._lines) else []
        return self.strip(line, "plain", width)
