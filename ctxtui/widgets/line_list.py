"""The list widget behind every list: draws only what is in sight, whatever the length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ctxtui.lists.source import Nothing, Source
from ctxtui.render.lines import Line, Piece
from ctxtui.widgets.inked import Inked


class LineList(Inked, ScrollView, can_focus=True):
    """A list with a cursor, selection, hover and a header that stays; one line for each item."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("ctrl+d", "half(1)", "Half a page down", show=False),
        Binding("ctrl+u", "half(-1)", "Half a page up", show=False),
        Binding("home,g", "edge(0)", "First", show=False),
        Binding("end,G", "edge(1)", "Last", show=False),
        Binding("enter", "open", "Open", show=False),
    ]

    cursor = reactive(0, repaint=False)
    hovered = reactive(-1, repaint=False)

    @dataclass
    class Moved(Message):
        """The cursor stands on another item."""

        list: LineList
        key: int

        @property
        def control(self) -> LineList:
            """Return the list, for handlers that name one."""
            return self.list

    @dataclass
    class Opened(Message):
        """An item was opened with enter or a double click."""

        list: LineList
        key: int

        @property
        def control(self) -> LineList:
            """Return the list, for handlers that name one."""
            return self.list

    def __init__(self, *, id: str, empty: str = "") -> None:
        super().__init__(id=id)
        self.source: Source = Nothing()
        self.empty = empty
        self.twin: int | None = None
        self.selected: set[int] = set()

    # What is shown

    def show(self, source: Source) -> None:
        """Show another source; the cursor stays on its item if that is still there."""
        key = self.key
        self.source = source
        found = None if key is None else source.find(key)
        self._resize()
        place = self.cursor if found is None else found
        self.set_reactive(LineList.cursor, max(0, min(place, len(source) - 1)))
        self._keep_in_sight()
        self.refresh()

    @property
    def key(self) -> int | None:
        """Return the key of the item under the cursor."""
        return self.source.key(self.cursor) if self.cursor < len(self.source) else None

    def go_to(self, key: int) -> bool:
        """Put the cursor on an item, if it is here; nobody is told."""
        at = self.source.find(key)
        if at is None:
            return False
        if at != self.cursor:
            old = self.cursor
            self.set_reactive(LineList.cursor, at)
            self._keep_in_sight()
            self._refresh_line(old)
            self._refresh_line(at)
        return True

    def mark_twin(self, key: int | None) -> None:
        """Tint the item that the cursor of another list stands on."""
        old, self.twin = self.twin, key
        for one in (old, key):
            at = None if one is None else self.source.find(one)
            if at is not None:
                self._refresh_line(at)

    # Moving

    def watch_cursor(self, old: int, new: int) -> None:
        """Repaint two lines and tell where the cursor stands."""
        self._keep_in_sight()
        self._refresh_line(old)
        self._refresh_line(new)
        if self.key is not None:
            self.post_message(self.Moved(self, self.key))

    def validate_cursor(self, value: int) -> int:
        """Keep the cursor within the list."""
        return max(0, min(value, len(self.source) - 1))

    def action_move(self, by: int) -> None:
        """Move the cursor by some lines."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by a page."""
        self.cursor += by * max(1, self._rows - 1)

    def action_half(self, by: int) -> None:
        """Move the cursor by half a page."""
        self.cursor += by * max(1, self._rows // 2)

    def action_edge(self, last: int) -> None:
        """Move the cursor to the first or the last line."""
        self.cursor = len(self.source) - 1 if last else 0

    def action_open(self) -> None:
        """Open the item under the cursor."""
        if self.key is not None:
            self.post_message(self.Opened(self, self.key))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is; a double click opens."""
        at = self._line_at(event.y)
        if at is not None:
            self.cursor = at
            if event.chain > 1:
                self.action_open()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow the mouse with a light tint."""
        at = self._line_at(event.y)
        self.hovered = -1 if at is None else at

    def on_leave(self) -> None:
        """Forget the mouse."""
        self.hovered = -1

    def watch_hovered(self, old: int, new: int) -> None:
        """Repaint the two lines concerned."""
        self._refresh_line(old)
        self._refresh_line(new)

    def on_resize(self) -> None:
        """Measure again."""
        self._resize()
        self._keep_in_sight()

    def on_focus(self) -> None:
        """Repaint the cursor line, whose mark depends on the focus, and tell where it stands."""
        self._refresh_line(self.cursor)
        if self.key is not None:
            self.post_message(self.Moved(self, self.key))

    def on_blur(self) -> None:
        """Repaint the cursor line, whose mark depends on the focus."""
        self._refresh_line(self.cursor)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        width = self.scrollable_content_region.width
        if self._header and y == 0:
            header = self.source.header(width - 1) or []
            return self.strip([Piece(" "), *header], "plain", width)
        at = self.scroll_offset.y + y - self._header
        if at < len(self.source):
            return self.strip(self._line(at, width), self._tint(at), width)
        if not len(self.source) and at == 0:
            return self.strip([Piece(" "), Piece(self.empty, "muted")], "plain", width)
        return self.strip([], "plain", width)

    def _line(self, at: int, width: int) -> Line:
        line = self.source.line(at, width - 1)
        if at == self.cursor:
            return [Piece("▌" if self.has_focus else "▏", "key"), *line]
        if self.twin is not None and self.source.key(at) == self.twin:
            return [Piece("▏", "key"), *line]
        return [Piece(" "), *line]

    def _tint(self, at: int) -> str:
        key = self.source.key(at)
        if at == self.cursor:
            return "cursor"
        if key == self.twin:
            return "twin"
        if key in self.selected:
            return "select"
        return self.source.tint(at) or ("hover" if at == self.hovered else "plain")

    # Places

    @property
    def _header(self) -> int:
        return 0 if self.source.header(10) is None else 1

    @property
    def _rows(self) -> int:
        """Return how many items are in sight."""
        return max(1, self.scrollable_content_region.height - self._header)

    def _resize(self) -> None:
        self.virtual_size = Size(0, max(1, len(self.source)) + self._header)

    def _line_at(self, y: int) -> int | None:
        at = y - self.gutter.top - self._header + self.scroll_offset.y
        shown = y - self.gutter.top >= self._header
        return at if shown and 0 <= at < len(self.source) else None

    def _keep_in_sight(self) -> None:
        top, rows = self.scroll_offset.y, self._rows
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + rows:
            self.scroll_to(y=self.cursor - rows + 1, animate=False, force=True)

    def _refresh_line(self, at: int) -> None:
        y = at - self.scroll_offset.y + self._header
        if self._header <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))
