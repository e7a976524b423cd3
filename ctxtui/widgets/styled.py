"""Widgets of lines: what draws pieces of text in colour, with borders that say something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ctxtui.text.icons import to_ascii
from ctxtui.text.lines import ON, Line, Piece, fit, fit_pieces, line_width

if TYPE_CHECKING:
    from textual.widget import Widget

    Base = Widget
else:
    Base = object

KINDS = (
    *("system", "user", "assistant", "tool"),
    *("text", "bright", "muted", "faint", "dim", "struck", "key", "error", "warn", "ok"),
    *("mark", "mark-2", "mark-3", "mark-4", "bar", "track"),
    *("chip", "pill", "picked", "note", "notice", "hit"),
    *("syntax", "syntax-name"),
    *("heading", "strong", "emphasis", "code", "quote", "link"),
)
"""What a piece of text can be drawn as."""
OPAQUE = ("chip", "pill", "picked", "hit")
"""Kinds that have a background of their own."""
TINTS = (
    *("cursor", "twin", "select", "added", "hidden", "finding", "warning", "hover", "opened"),
    "plain",
)
"""The backgrounds of lines."""
LOUDER = {"faint": "muted"}
LIT = ("cursor", "twin", "select", "hover")
"""Hidden text is drawn as muted on the rows that are lit, where faint would be hard to read."""
STYLE_CLASSES = {*(f"style--{kind}" for kind in KINDS), *(f"background--{tint}" for tint in TINTS)}
"""Component classes of a screen: styled once there, used by every widget on it."""


class Styled(Base):
    """A widget that draws lines of pieces; the colours are those of its screen."""

    _styles_of_kinds: dict[tuple[str, str], Style] | None = None

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles_of_kinds = None

    def strip(self, line: Line, tint: str, width: int) -> Strip:
        pieces = fit_pieces(line, width)
        if self.app.has_class("-ascii"):
            pieces = [Piece(to_ascii(text), kind) for text, kind in pieces]
        return Strip(
            [Segment(text, self._style(kind, tint)) for text, kind in pieces if text], width
        )

    def _style(self, kind: str, tint: str) -> Style:
        if self._styles_of_kinds is None:
            self._styles_of_kinds = {}
        found = self._styles_of_kinds.get((kind, tint))
        if found is None:
            found = self._styles_of_kinds[kind, tint] = self._mixed(kind, tint)
        return found

    def _mixed(self, kind: str, tint: str) -> Style:
        kind, on, own = kind.partition(ON)
        tint = own if on else tint
        kind = LOUDER.get(kind, kind) if tint in LIT else kind
        style = self.screen.get_visual_style(f"style--{kind}").rich_style
        if kind in OPAQUE:
            return style
        is_plain = tint == "plain"
        name = f"background--{tint}"
        behind = self.visual_style if is_plain else self.screen.get_visual_style(name)
        return style + Style(bgcolor=behind.rich_style.bgcolor)


def set_content_size(view: ScrollView, rows: int) -> None:
    """Set how many rows a view scrolls through; the screen is laid out only if it must be."""
    size = Size(0, rows)
    if size == view.virtual_size:
        return
    if view.styles.auto_dimensions or not view.size:
        view.virtual_size = size
    else:
        view.set_reactive(ScrollView.virtual_size, size)
        view._scroll_update(size)


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

    FRAMED = "-framed"
    """The class of a pane that has a title; one that has it from the start is styled only once."""
    _framed_title = ""
    _framed_about: Sequence[Piece] = ()
    _framed_foot: Callable[[], Line] = list
    _least_title: int | None = None
    _framed_width = -1

    def frame(
        self,
        title: str,
        about: Line,
        foot: Callable[[], Line] = list,
        *,
        least_title: int | None = None,
    ) -> None:
        """Say something else in the border: what it is, how much of it, and at the bottom.

        What is at the bottom is asked for whenever it is drawn: it may say what is in sight.
        A title gives way to the words at the right, down to ``least_title`` cells.
        """
        self._framed_title, self._framed_about, self._framed_foot = title, about, foot
        self._least_title = least_title
        self.add_class(self.FRAMED)
        self.draw_frame()

    def draw_frame(self) -> None:
        """Draw the border for the width, the focus and the signs there are by now."""
        self._framed_width = self.outer_size.width
        if self._framed_title:
            # Without corners Textual leaves no space around a title.
            space = [] if self.styles.border_left[0] else [Piece(" ")]
            room = self.outer_size.width - ENDS
            self.border_title = self._content([*space, *self._top(room), *space])
            foot = _fitting(self._framed_foot(), room)
            self.border_subtitle = self._content([*space, *foot, *space] if foot else [])

    def on_resize(self) -> None:
        self.draw_frame()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw some lines; a pane that is new may have been laid out without being told so."""
        if self._framed_width != self.outer_size.width:
            self._framed_width = self.outer_size.width
            self.post_message(events.Resize(self.size, self.virtual_size))
        return super().render_lines(crop)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.vertical_scrollbar.position = new_value

    def watch_has_focus(self, _has_focus: bool) -> None:
        super().watch_has_focus(_has_focus)
        self.draw_frame()

    def _top(self, room: int) -> Line:
        text = self._framed_title
        if self._least_title is not None:
            left = room - line_width([*self._framed_about]) - len("  ") - len(" ─ ")
            text = fit(text, max(self._least_title, left)).rstrip()
        number, _, name = text.partition(" ")
        title = [Piece(f" {text} ", "bright")]
        if number.isdigit():
            title = [Piece(f" {number} ", "muted"), Piece(f"{name} ", "bright")]
        if self.has_focus:
            title = [Piece(f" {text} ", "chip")]
        used = line_width([Piece(text)]) + 2
        about = _fitting(self._framed_about, room - used - len(" ─ "))
        size = line_width(about)
        if not about:
            return title
        line = "━" if self.has_focus else "─"
        fill = Piece(line * (room - used - size - 1), "focus" if self.has_focus else "track")
        return [*title, fill, Piece(" "), *about]

    def _content(self, line: Line) -> Content:
        is_ascii = self.app.has_class("-ascii")
        pieces = ((to_ascii(text) if is_ascii else text, kind) for text, kind in line)
        return Content.assemble(*((text, STYLES[kind]) for text, kind in pieces))


def _fitting(pieces: Sequence[Piece], room: int) -> Line:
    """Return as many of the pieces as fit, the last ones first: the figure, then its words."""
    shown: Line = []
    for piece in reversed(pieces):
        room -= line_width([piece])
        if room < 0:
            break
        shown.insert(0, piece)
    return shown
