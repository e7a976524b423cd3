"""A pane that is drawn as a whole for the room it gets: a plot with a cursor of its screen's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.render.text.lines import Line
from ctxtui.widgets.framed import Framed
from ctxtui.widgets.inked import Inked

Draw = Callable[[int, int], Sequence[Line]]
"""Draws a picture for so many cells and rows."""


class Picture(Framed, Inked, Widget, can_focus=True):
    """Shows what a function draws; drawn again when it is told to, or when the room changes."""

    @dataclass
    class Clicked(Message):
        """A place in it was clicked, counted in cells from its top left."""

        picture: Picture
        x: int
        y: int

        @property
        def control(self) -> Picture:
            """Return the picture, for handlers that name one."""
            return self.picture

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._draw: Draw = lambda _width, _height: []
        self._drawn: Sequence[Line] | None = None

    def show(self, draw: Draw) -> None:
        """Show another picture, or the same one with its cursor elsewhere."""
        self._draw, self._drawn = draw, None
        self.refresh()

    def on_resize(self) -> None:
        """Draw it again for the room there is."""
        self._drawn = None
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Tell where it was clicked."""
        place = event.get_content_offset(self)
        if place is not None:
            self.post_message(self.Clicked(self, place.x, place.y))

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        width, height = self.size
        if self._drawn is None:
            self._drawn = self._draw(width, height) if width and height else []
        line = self._drawn[y] if y < len(self._drawn) else []
        return self.strip(line, "plain", width)
