"""Borders that say something at both ends: what a pane is, how much it holds, what to press."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from ctxtui.text.icons import plain_signs
from ctxtui.text.lines import Line, Piece

if TYPE_CHECKING:
    from textual.widget import Widget

    Base = Widget
else:
    Base = object

ENDS = 6
"""Cells of an edge that are no title: at each end a corner, a line and a space."""
STYLES = {
    "muted": "not bold $muted",
    "faint": "not bold $faint",
    "text": "not bold $foreground",
    "bright": "bold $bright",
    "key": "bold $focus",
    "error": "bold $error",
    "warn": "bold $warning",
    "track": "not bold $line",
    "focus": "not bold $focus",
    "chip": "bold $hlink on $hl",
}
"""Kinds of pieces as a border draws them; Textual looks the colours up when it does."""


class Framed(Base):
    """A pane with a title at the left of its border, words at the right, and words below.

    Textual has one title for each edge, so line characters fill what is between; they are drawn
    again when the width or the focus changes.
    """

    _framed_title = ""
    _framed_about: Sequence[Piece] = ()
    _framed_foot: Callable[[], Line] = list

    def frame(self, title: str, about: Line, foot: Callable[[], Line] = list) -> None:
        """Say something else in the border: what it is, how much of it, and at the bottom.

        What stands at the bottom is asked for whenever it is drawn: it may tell what is in sight.
        """
        self._framed_title, self._framed_about, self._framed_foot = title, about, foot
        self.add_class("-framed")
        self.draw_frame()

    def draw_frame(self) -> None:
        """Draw the border for the width, the focus and the signs there are by now."""
        if self._framed_title:
            # Without corners Textual leaves no space around a title.
            space = [] if self.styles.border_left[0] else [Piece(" ")]
            room = self.outer_size.width - ENDS
            self.border_title = self._content([*space, *self._top(room), *space])
            foot = _fitting(self._framed_foot(), room)
            self.border_subtitle = self._content([*space, *foot, *space] if foot else [])

    def on_resize(self) -> None:
        """Fill the border again."""
        self.draw_frame()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Let the bar know where this is, also one that is shown only later."""
        super().watch_scroll_y(old_value, new_value)
        self.vertical_scrollbar.position = new_value

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Make a chip of the title, or a plain one of it."""
        super().watch_has_focus(_has_focus)
        self.draw_frame()

    def _top(self, room: int) -> Line:
        number, _, name = self._framed_title.partition(" ")
        title = [Piece(f" {self._framed_title} ", "bright")]
        if number.isdigit():
            title = [Piece(f" {number} ", "muted"), Piece(f"{name} ", "bright")]
        if self.has_focus:
            title = [Piece(f" {self._framed_title} ", "chip")]
        used = cell_len(self._framed_title) + 2
        about = _fitting(self._framed_about, room - used - len(" ─ "))
        size = sum(cell_len(piece.text) for piece in about)
        if not about:
            return title
        line = "━" if self.has_focus else "─"
        fill = Piece(line * (room - used - size - 1), "focus" if self.has_focus else "track")
        return [*title, fill, Piece(" "), *about]

    def _content(self, line: Line) -> Content:
        is_ascii = self.app.has_class("-ascii")
        pieces = ((plain_signs(text) if is_ascii else text, kind) for text, kind in line)
        return Content.assemble(*((text, STYLES[kind]) for text, kind in pieces))


def _fitting(pieces: Sequence[Piece], room: int) -> Line:
    """Return as many of the pieces as fit, the last ones first: the figure, then its words."""
    shown: Line = []
    for piece in reversed(pieces):
        room -= cell_len(piece.text)
        if room < 0:
            break
        shown.insert(0, piece)
    return shown
