"""A few lines that are drawn anew for whatever width they get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.render.text.lines import Line
from ctxtui.widgets.inked import Inked


class LineBox(Inked, Widget):
    """Shows one line for each of some functions from a width to a line."""

    @dataclass
    class Clicked(Message):
        """A line was clicked, so many cells from the left and lines from the top."""

        box: LineBox
        x: int
        y: int = 0

        @property
        def control(self) -> LineBox:
            """Return the line, for handlers that name one."""
            return self.box

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lines: list[Callable[[int], Line]] = []

    def show(self, *lines: Callable[[int], Line]) -> None:
        """Show other lines."""
        self._lines = list(lines)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Tell where it was clicked."""
        self.post_message(self.Clicked(self, event.x, event.y))

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        width = self.size.width
        line = self._lines[y](width) if y < len(self._lines) else []
        return self.strip(line, "plain", width)
