"""The lines above the panes: status or viewing bar, and the ribbon."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.inspector.drawing.head import (
    VIEWS,
    LogRibbon,
    TabLine,
    narrow_tabs,
    session_line,
    status,
    view_tabs,
    viewing,
)
from ctxtui.inspector.drawing.message import peek_lines
from ctxtui.inspector.drawing.timeline import batch_strip, strip_head
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import Line, Piece, fit, line_width
from ctxtui.text.symbols import printable
from ctxtui.widgets.panes import LineBox
from ctxtui.widgets.styled import Styled

# The head line: the views as tabs, the conversation's title, and whether it is saved.

__all__ = ["VIEWS", "PaneTabs", "TabBar"]

NARROW_COLUMNS = 100
"""Columns below which the panes need the tabs, and the views are behind them."""
PATH = " Library › "
LEAST_TITLE = 12
"""Cells of the title below which the way to it gives way."""


ABOUT_TABS = (
    "The views, each with its key, and whether all that was done is saved: a click there, or f4, "
    "shows what was said before."
)


class TabBar(Styled, Widget):
    """Names the views, the one that is shown as a chip, and the conversation's title.

    On a small screen it shows batch and errors instead: the tabs are below it there.
    """

    @dataclass
    class ViewChosen(Message):
        """A tab was clicked."""

        view: str

    look: reactive[Look | None] = reactive(None)
    title = reactive("")
    active = reactive("inspector")
    saved: reactive[Line] = reactive(list)
    """Whether everything done so far is safe on disk, and whether another program writes."""
    reading: reactive[Line] = reactive(list)
    """That tokens and lint are shown as the model saw them, if so."""
    news = reactive(0)
    """How many records were added that have not been shown."""
    review: reactive[Line] = reactive(list)
    """How far the review of the library is, and the verdict on this session."""

    def __init__(self, title: str) -> None:
        super().__init__(id="tabs")
        self.tooltip = Content(ABOUT_TABS)
        self.set_reactive(TabBar.title, title)

    @property
    def _saved(self) -> Line:
        news = [Piece(f" {self.news:,} new ", "bright")] if self.news else []
        reading = self.reading if self.active in ("tokens", "lint-view") else []
        return [*reading, *self.saved, *news]

    def render_line(self, y: int) -> Strip:
        return self.strip(self._line, "plain", self.size.width)

    @property
    def _line(self) -> Line:
        width = self.size.width
        if width < NARROW_COLUMNS and self.look is not None:
            return session_line(self.look, self.title, self._saved, width)
        return self._tabs(width).line

    def _tabs(self, width: int) -> TabLine:
        tabs = view_tabs(self.look)
        used = sum(line_width(tab.pieces(False, has_amount=True)) for tab in tabs)
        # The tabs come first: a long title is cut, not they.
        room = max(0, width - used - line_width(self._saved) - 1)
        title = printable(self.title, 60)
        review = self.review if line_width(self.review) + len(PATH) + LEAST_TITLE <= room else []
        room -= line_width(review)
        path = next((path for path in (PATH, " ") if len(path) + LEAST_TITLE <= room), "")
        size = room - len(path) - 1
        shown = title if cell_len(title) <= size else fit(title, max(0, size))
        lead = [Piece(path, "muted"), Piece(f"{shown} " if size > 0 else "", "bright")]
        return TabLine(tabs, self.active, width, [*review, *self._saved], lead)

    async def on_click(self, event: events.Click) -> None:
        """Show the view of a tab, or what was said where it says that all is saved."""
        at = 0
        for piece in self._line:
            if at <= event.x < at + cell_len(piece.text) and piece in self._saved:
                await self.app.run_action("app.notices")
                return
            at += cell_len(piece.text)
        view = self._tabs(self.size.width).at(event.x)
        if view and self.size.width >= NARROW_COLUMNS:
            self.post_message(self.ViewChosen(view))


class PaneTabs(Styled, Widget):
    """The panes of a small screen as tabs; while a view is shown, the views."""

    @dataclass
    class PaneChosen(Message):
        """A tab was clicked: a pane or a view."""

        name: str

    look: reactive[Look | None] = reactive(None)
    view = reactive("inspector")
    pane = reactive("visible")

    def __init__(self) -> None:
        super().__init__(id="pane-tabs")

    def render_line(self, y: int) -> Strip:
        tabs = self._tabs
        return self.strip([] if tabs is None else tabs.line, "plain", self.size.width)

    @property
    def _tabs(self) -> TabLine | None:
        if self.look is None:
            return None
        return narrow_tabs(self.look, self.view, self.pane, self.size.width)

    def on_click(self, event: events.Click) -> None:
        name = "" if self._tabs is None else self._tabs.at(event.x)
        if name:
            self.post_message(self.PaneChosen(name))


TOOLTIPS = {
    "status": "Batch, visible and raw messages, findings (click opens them), and the visible "
    "tokens of the limit; ┼ is the threshold of the compression settings.",
    "viewing": "An earlier batch is shown, read-only. R rolls back to it, escape returns.",
    "ribbon": "The raw log: tall is visible, low is hidden, the colour is the role. "
    "Click goes to a message. On small screens the counts and the gauge are next to it.",
}


class StatusHead(Vertical):
    """Shows the state of the conversation, or that an earlier batch is shown.

    A small screen has counts and gauge next to the ribbon instead of a status line, and tabs below.
    """

    def compose(self) -> ComposeResult:
        for name, about in TOOLTIPS.items():
            box = LineBox(id=name)
            box.tooltip = Content(about)
            yield box
        yield PaneTabs()

    def __init__(self) -> None:
        super().__init__()
        self._ribbons: dict[int, LogRibbon] = {}

    def show(self, look: Look) -> None:
        self._ribbons.clear()
        self.query_one("#status", LineBox).show(partial(status, look))
        self.query_one("#viewing", LineBox).show(partial(viewing, look))
        self.query_one(PaneTabs).look = look

    def show_news(self, look: Look, news: int) -> None:
        self.query_one("#viewing", LineBox).show(partial(viewing, look, news=news))

    def show_linted(self) -> None:
        self._ribbons.clear()
        for widget in self.query("#status, #ribbon, #pane-tabs"):
            widget.refresh()

    def show_message(self, look: Look, raw: int | None) -> None:
        count = 1 if look.is_live else 2
        lines = (partial(self._ribbon_line, look, raw, at) for at in range(count))
        self.query_one("#ribbon", LineBox).show(*lines)

    def _ribbon_line(self, look: Look, raw: int | None, at: int, width: int) -> Line:
        return self.ribbon(look, width).line(at, raw)

    def ribbon(self, look: Look, width: int) -> LogRibbon:
        if width not in self._ribbons:
            is_narrow = width < NARROW_COLUMNS
            self._ribbons[width] = LogRibbon(look, width, is_narrow=is_narrow)
        return self._ribbons[width]


# The batches in one line, where the timeline has no room.


class BatchStrip(LineBox):
    """Shows the batches around the one that is shown, with the errors of each."""

    def __init__(self) -> None:
        super().__init__(id="batches")

    def show_path(self, look: Look, errors: ErrorCounts | None) -> None:
        if errors is not None:
            self.show(partial(strip_head, look), partial(batch_strip, look, errors))


# The start of the message under the cursor, where the message pane has no room.


class Peek(Styled, Widget):
    """Shows who speaks, what is wrong, and as many lines of the message as there is room for."""

    def __init__(self) -> None:
        super().__init__(id="peek")
        self._shown: tuple[Look, int] | None = None
        self._lines: list[Line] = []
        self._made_for: Size | None = None

    def show_message(self, look: Look, raw: int | None) -> None:
        known = raw is not None and raw < look.log_size
        self._shown = (look, raw) if known and raw is not None else None
        self._made_for = None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        if self._made_for != self.size:
            self._made_for, self._lines = self.size, self._made()
        line = self._lines[y] if y < len(self._lines) else []
        return self.strip(line, "plain", self.size.width)

    def _made(self) -> list[Line]:
        return [] if self._shown is None else peek_lines(*self._shown, *self.size)
