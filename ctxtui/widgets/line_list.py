"""The list widget behind every list: draws only what is in sight, whatever the length."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, TypeAlias

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ctxtui.commands.command import bindings
from ctxtui.commands.common import LISTS
from ctxtui.text.line_source import Folds, LineSource, Nothing
from ctxtui.text.lines import Line, Piece
from ctxtui.type_ahead import key_repeats
from ctxtui.widgets.styled import Framed, Styled, set_content_size

# The messages of a list.


@dataclass
class ListEvent(Message):
    """Something about an item of a list."""

    list: LineList
    key: int

    @property
    def control(self) -> LineList:
        return self.list


class Moved(ListEvent):
    """The cursor is on another item."""


class ItemOpened(ListEvent):
    """An item was opened with enter or a double click."""


class Picked(ListEvent):
    """An item was picked: with ctrl and the mouse."""


class PickedTo(ListEvent):
    """All items up to one were picked: with shift and the mouse."""


@dataclass
class HeadClicked(Message):
    """The names of the columns were clicked, so many cells from the left of a line."""

    list: LineList
    x: int

    @property
    def control(self) -> LineList:
        return self.list


# What a click on a line of a list does.

DOUBLE = 2


def click_line(lines: LineList, at: int, event: events.Click) -> None:
    """Pick a line with a held key; else go there, and with a second click or button open it."""
    if event.ctrl or event.shift:
        picked = PickedTo if event.shift else Picked
        lines.post_message(picked(lines, lines.source.key(at)))
        return
    lines.cursor = at
    if event.button != 1:
        lines.action_fold(lines.key not in lines.folds.open)
    elif event.chain == DOUBLE:
        lines.action_open()


FLASH_SECONDS, MOST_FLASHED = 0.4, 200
"""Seconds for which what has just come is tinted, and how much of it at the most."""


class LineList(Framed, Styled, ScrollView, can_focus=True):
    """A list with a cursor, selection, hover, lines that open, and a header that stays."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(LISTS)

    REPEATABLE = frozenset({"j", "k", "down", "up"})
    """Keys of which several that wait are one move."""

    cursor = reactive(0, repaint=False)
    hovered = reactive(-1, repaint=False)

    Moved: TypeAlias = Moved
    Opened: TypeAlias = ItemOpened
    Picked: TypeAlias = Picked
    PickedTo: TypeAlias = PickedTo
    HeadClicked: TypeAlias = HeadClicked

    def __init__(self, *, id: str, empty: str = "", is_quiet: bool = False) -> None:
        super().__init__(id=id)
        self._is_quiet = is_quiet
        self.source: LineSource = Nothing()
        self.empty = empty
        self.twin: int | None = None
        self.selected: set[int] = set()
        self.range_from: int | None = None
        """Where a range began that is about to be selected."""
        self.folds = Folds()
        self._fresh: set[int] = set()
        self._heads: list[Line] = []

    # What is shown

    def show(self, source: LineSource, *, opened: Iterable[int] | None = None) -> None:
        """Show another source; the cursor stays on its item if that is still there.

        ``opened`` are the keys of the lines that are open from now on; else they stay as they are.
        """
        key = self.key
        self.source = source
        if opened is not None:
            self.folds.open = {one: [] for one in opened}
        found = None if key is None else source.find(key)
        self._refold()
        place = self.cursor if found is None else found
        self.set_reactive(LineList.cursor, source.stop(place, 1))
        self._keep_in_sight()
        self.refresh()

    @property
    def key(self) -> int | None:
        return self.source.key(self.cursor) if self.cursor < len(self.source) else None

    def go_to(self, key: int, row: int | None = None) -> bool:
        """Put the cursor on an item, if it is here, and that on a row of the screen if it can be.

        No message is posted.
        """
        at = self.source.find(key)
        if at is None:
            return False
        old = self.cursor
        self.set_reactive(LineList.cursor, at)
        if row is not None:
            self.scroll_to(y=max(0, self.folds.row(at) - row), animate=False, force=True)
        self._keep_in_sight()
        self._refresh_line(old)
        self._refresh_line(at)
        return True

    @property
    def cursor_row(self) -> int:
        return self.folds.row(self.cursor) - self.scroll_offset.y

    def mark_twin(self, key: int | None) -> None:
        old, self.twin = self.twin, key
        for one in (old, key):
            at = None if one is None else self.source.find(one)
            if at is not None:
                self._refresh_line(at)

    def flash(self, keys: Iterable[int]) -> None:
        self._fresh = set(islice(keys, MOST_FLASHED))
        if self._fresh:
            self.refresh()
            self.set_timer(FLASH_SECONDS, self._calm)

    def _calm(self) -> None:
        self._fresh = set()
        self.refresh()

    # Moving

    def watch_cursor(self, old: int, new: int) -> None:
        self._keep_in_sight()
        self._refresh_line(old)
        self._refresh_line(new)
        if self.range_from is not None:
            self.refresh()
        if self.key is not None:
            self.post_message(self.Moved(self, self.key))

    def validate_cursor(self, value: int) -> int:
        return self.source.stop(value, 1 if value > self.cursor else -1)

    def action_move(self, by: int) -> None:
        """Move the cursor by some lines, as often as the key was pressed meanwhile."""
        self.cursor += by * key_repeats(self)

    def action_page(self, by: int) -> None:
        self._move_rows(by * max(1, self._rows - 1))

    def action_half(self, by: int) -> None:
        self._move_rows(by * max(1, self._rows // 2))

    def _move_rows(self, by: int) -> None:
        """Move the cursor by some rows, and by a line at the least."""
        way = 1 if by > 0 else -1
        row = max(0, self.folds.row(self.cursor) + by)
        far = self.folds.line(row)[0] - self.cursor
        self.cursor += way * max(1, way * far)

    def action_edge(self, last: int) -> None:
        self.cursor = len(self.source) - 1 if last else 0

    def action_open(self) -> None:
        if self.key is not None:
            self.post_message(self.Opened(self, self.key))

    def action_fold(self, is_open: bool) -> None:
        key = self.key
        if key is None or is_open == (key in self.folds.open):
            return
        if is_open:
            self.folds.open[key] = []
        else:
            del self.folds.open[key]
        self._refold()
        self._keep_in_sight()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse is; a double click opens, the other button expands."""
        at = self._line_at(event.y)
        place = event.get_content_offset(self)
        if at is not None:
            click_line(self, at, event)
        elif place is not None and place.y < len(self._heads):
            self.post_message(HeadClicked(self, place.x - 1))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        at = self._line_at(event.y)
        self.hovered = -1 if at is None else at
        place = event.get_content_offset(self)
        self.tooltip = None if place is None else self._about_place(place.x, place.y)

    def _about_place(self, x: int, y: int) -> Content | None:
        """Return what the column head or the symbol at a place means."""
        from ctxtui.help.drawing import about_place  # Only once the mouse is used.

        is_head = y < self.header_rows
        row = self.scroll_offset.y + y - self.header_rows
        at, within = self.folds.line(row) if not is_head else (0, 0)
        if is_head:
            line: Line = [Piece(" "), *self._heads[y]]
        elif at < len(self.source) and within < self.folds.own_height(at):
            line = self._line(at, within, self.scrollable_content_region.width)
        else:
            return None
        about = about_place(line, x, is_head=is_head)
        return Content(about) if about else None

    def on_leave(self) -> None:
        self.hovered = -1

    def watch_hovered(self, old: int, new: int) -> None:
        self._refresh_line(old)
        self._refresh_line(new)

    def on_resize(self) -> None:
        self._measure()

    def on_show(self) -> None:
        """Draw again: what changed while the list was out of sight was drawn nowhere."""
        self._measure()

    def watch_show_vertical_scrollbar(self) -> None:
        self._measure()

    def _measure(self) -> None:
        self._refold()
        self._keep_in_sight()
        self.refresh()

    def on_focus(self) -> None:
        """Repaint the cursor line, whose mark depends on the focus, and post where it is."""
        self._refresh_line(self.cursor)
        if self.key is not None:
            self.post_message(self.Moved(self, self.key))

    def on_blur(self) -> None:
        self._refresh_line(self.cursor)

    # Drawing

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if y < self.header_rows:
            return self.strip([Piece(" "), *self._heads[y]], "plain", width)
        row = self.scroll_offset.y + y - self.header_rows
        at, within = self.folds.line(row)
        if at < len(self.source):
            top = self.folds.line(self.scroll_offset.y)[0]
            self.source.top, self.source.cursor = top, self._cursor_shown
            own = self.folds.own_height(at)
            if within >= own:
                below = self.folds.open[self.source.key(at)][within - own]
                return self.strip([Piece(" "), *below], "opened", width)
            line = self._line(at, within, width)
            # An empty row is the space between two lines, which no tint fills.
            is_own = bool(line) and not (within and self.source.stands_between(at))
            return self.strip(line, self._tint(at) if is_own else "plain", width)
        if not len(self.source) and row == 0:
            return self.strip([Piece(" "), Piece(self.empty, "muted")], "plain", width)
        return self.strip([], "plain", width)

    def _line(self, at: int, within: int, width: int) -> Line:
        """Return one of the rows of a line, behind the mark of the cursor."""
        if within:
            below = self.source.below(at, width - 1)
            line = below[within - 1] if within <= len(below) else []
            if not line or self.source.stands_between(at):
                return [Piece(" "), *line] if line else []
        else:
            line = self.source.line(at, width - 1)
        if at == self._cursor_shown:
            return [Piece("▌" if self.has_focus else "▏", "key"), *line]
        if self.twin is not None and self.source.key(at) == self.twin:
            return [Piece("▏", "key"), *line]
        return [Piece(" "), *line]

    @property
    def _cursor_shown(self) -> int:
        """Return the line with the cursor; a quiet list shows none while another has the focus."""
        return self.cursor if self.has_focus or not self._is_quiet else -1

    def _tint(self, at: int) -> str:
        key = self.source.key(at)
        if at == self._cursor_shown:
            return "cursor"
        if key == self.twin:
            return "twin"
        if key in self.selected or self._is_between(at):
            return "select"
        if key in self._fresh:
            return "added"
        return self.source.tint(at) or ("hover" if at == self.hovered else "plain")

    def _is_between(self, at: int) -> bool:
        """Return whether a line would be selected if the range ended at the cursor."""
        start = None if self.range_from is None else self.source.find(self.range_from)
        return start is not None and min(start, self.cursor) <= at <= max(start, self.cursor)

    # Places

    @property
    def header_rows(self) -> int:
        return len(self._heads)

    @property
    def in_sight(self) -> tuple[int, int]:
        top = self.scroll_offset.y
        last = self.folds.line(top + self._rows - 1)[0]
        return self.folds.line(top)[0], min(len(self.source), last + 1)

    @property
    def _rows(self) -> int:
        return max(1, self.scrollable_content_region.height - self.header_rows)

    @property
    def row_width(self) -> int:
        """Return how many cells a line has."""
        return self.scrollable_content_region.width - 1

    def _refold(self) -> None:
        width = self.row_width
        for key in self.folds.open:
            at = self.source.find(key)
            self.folds.open[key] = [] if at is None else self.source.expanded(at, width)
        self.folds.place(self.source.find, self.source.blocks(width))
        self._heads = self.source.headers(width)
        rows = self.folds.row(len(self.source))
        set_content_size(self, max(1, rows) + self.header_rows)

    def _line_at(self, y: int) -> int | None:
        row = y - self.gutter.top - self.header_rows
        at = self.folds.line(row + self.scroll_offset.y)[0]
        return at if row >= 0 and 0 <= at < len(self.source) else None

    def _keep_in_sight(self) -> None:
        top = self.scroll_offset.y
        wanted = self.folds.top_for(self.cursor, top, self._rows)
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True)

    def _refresh_line(self, at: int) -> None:
        y = self.folds.row(at) - self.scroll_offset.y + self.header_rows
        own = self.folds.own_height(at)
        if self.header_rows - own < y < self.size.height:
            top = max(y, self.header_rows)
            self.refresh(Region(0, top, self.size.width, y + own - top))
