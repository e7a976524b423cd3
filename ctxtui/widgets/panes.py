"""A few lines, drawn again when their width changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.commands.command import bindings
from ctxtui.commands.common import TEXT
from ctxtui.core.engine.text_search import TextFinder
from ctxtui.text.icons import highlighted
from ctxtui.text.lines import Line
from ctxtui.widgets.styled import Framed, Styled, set_content_size


class LineBox(Styled, Widget):
    """Shows one line for each of some functions from a width to a line."""

    @dataclass
    class Clicked(Message):
        """A line was clicked, so many cells from the left and lines from the top."""

        box: LineBox
        x: int
        y: int = 0

        @property
        def control(self) -> LineBox:
            return self.box

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lines: list[Callable[[int], Line]] = []

    def show(self, *lines: Callable[[int], Line]) -> None:
        self._lines = list(lines)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Clicked(self, event.x, event.y))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        line = self._lines[y](width) if y < len(self._lines) else []
        return self.strip(line, "plain", width)


# A pane of lines that scrolls and draws only what is in sight.


class TextPane(Framed, Styled, ScrollView, can_focus=True):
    """Shows the lines a function makes for a width; made again when the room changes.

    The width says where lines are wrapped, the height how tall what is drawn may be.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(TEXT)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._make: Callable[[int], Sequence[Line]] = lambda _: []
        self._lines: Sequence[Line] = []
        self._room = Size(0, 0)
        self.finder: TextFinder | None = None
        self.keeps_place = False
        """Whether what is shown next is the same, further on: then nothing is scrolled."""

    def show(self, make: Callable[[int], Sequence[Line]], *, top: bool = True) -> None:
        self._make = make
        self._room = Size(0, 0)
        self._layout()
        if top and not self.keeps_place:
            self.scroll_to(y=0, animate=False)

    def on_resize(self) -> None:
        self._layout()

    def on_show(self) -> None:
        self._layout()

    def _layout(self) -> None:
        room = self.scrollable_content_region.size
        if room.width and self.is_on_screen and room != self._room:
            self._room = room
            self._lines = self._make(room.width)
            set_content_size(self, max(1, len(self._lines)))
            self.refresh()

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        line = self._lines[at] if at < len(self._lines) else []
        return self.strip(
            highlighted(line, self.finder), "plain", self.scrollable_content_region.width
        )


# A pane that is drawn as a whole for the room it gets: a plot with a cursor of its screen's.

Draw = Callable[[int, int], Sequence[Line]]
"""Draws a picture for so many cells and rows."""


class Picture(Framed, Styled, Widget, can_focus=True):
    """Shows what a function draws; drawn again on request, or when its size changes."""

    @dataclass
    class PlaceClicked(Message):
        """A place in it was clicked, counted in cells from its top left."""

        picture: Picture
        x: int
        y: int

        @property
        def control(self) -> Picture:
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
        self._drawn = None
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is not None:
            self.post_message(self.PlaceClicked(self, place.x, place.y))

    def render_line(self, y: int) -> Strip:
        width, height = self.size
        if self._drawn is None:
            self._drawn = self._draw(width, height) if width and height else []
        line = self._drawn[y] if y < len(self._drawn) else []
        return self.strip(line, "plain", width)
