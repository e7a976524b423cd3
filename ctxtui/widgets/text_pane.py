"""A pane of lines that scrolls and draws only what is in sight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ctxtui.commands import TEXT
from ctxtui.core.engine.text_search import Finder
from ctxtui.render.text.hits import lit
from ctxtui.render.text.lines import Line
from ctxtui.widgets.framed import Framed
from ctxtui.widgets.inked import Inked


class TextPane(Framed, Inked, ScrollView, can_focus=True):
    """Shows the lines a function makes for a width; made again when the room changes.

    The width says where lines are wrapped, the height how tall what is drawn may be.
    """

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in TEXT]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._make: Callable[[int], Sequence[Line]] = lambda _: []
        self._lines: Sequence[Line] = []
        self._room = Size(0, 0)
        self.finder: Finder | None = None
        self.keeps_place = False
        """Whether what is shown next is the same, further on: then nothing is scrolled."""

    def show(self, make: Callable[[int], Sequence[Line]], *, top: bool = True) -> None:
        """Show other lines, from the top."""
        self._make = make
        self._room = Size(0, 0)
        self._layout()
        if top and not self.keeps_place:
            self.scroll_to(y=0, animate=False)

    def on_resize(self) -> None:
        """Make the lines again where there is more or less room."""
        self._layout()

    def on_show(self) -> None:
        """Lay out what was given while nobody could see it."""
        self._layout()

    def _layout(self) -> None:
        room = self.scrollable_content_region.size
        if room.width and self.is_on_screen and room != self._room:
            self._room = room
            self._lines = self._make(room.width)
            self.virtual_size = Size(0, max(1, len(self._lines)))
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        at = y + self.scroll_offset.y
        line = self._lines[at] if at < len(self._lines) else []
        return self.strip(lit(line, self.finder), "plain", self.scrollable_content_region.width)
