"""The head line: the views as tabs, the conversation's title, and whether it is saved."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.core.storage import Session
from ctxtui.models.live import Liveness
from ctxtui.models.look import Look
from ctxtui.render.narrow import session_line
from ctxtui.render.saved import news_line, practice_line, saved_line
from ctxtui.render.tabs import VIEWS, TabLine, narrow_tabs, view_tabs
from ctxtui.render.text.choosing import size_of
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.symbols import visible
from ctxtui.widgets.inked import Inked

__all__ = ["VIEWS", "PaneTabs", "TabBar"]

NARROW_COLUMNS = 100
"""Columns below which the panes need the tabs, and the views are behind them."""
NAME = " ctxtui  "


class TabBar(Inked, Widget):
    """Names the views, the one that is shown as a chip, and the conversation's title.

    On a small screen it tells batch and errors instead: the tabs are below it there.
    """

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        view: str

    def __init__(self, title: str) -> None:
        super().__init__(id="tabs")
        self.active = "inspector"
        self.title = title
        self.look: Look | None = None
        self._told: Line = []
        self._news: Line = []
        self._review: Line = []

    def show(self, look: Look) -> None:
        """Tell of another look."""
        self.look = look
        self.refresh()

    def show_saved(
        self, session: Session, live: Liveness | None = None, has_failed: bool = False
    ) -> None:
        """Say whether everything done so far is safe on disk, and whether somebody writes on."""
        self._told, self.title = saved_line(session, live, has_failed), session.title
        self.refresh()

    def show_practice(self, title: str) -> None:
        """Say that this is a copy to try things on, which nobody keeps."""
        self._told, self.title = practice_line(), title
        self.refresh()

    def show_news(self, news: int) -> None:
        """Say how much has come that is not looked at."""
        self._news = news_line(news)
        self.refresh()

    def show_review(self, review: Line) -> None:
        """Say how far the review of the library is, and what was decided about this session."""
        self._review = review
        self.refresh()

    @property
    def _saved(self) -> Line:
        return [*self._told, *self._news]

    def turn_to(self, view: str) -> None:
        """Show another view as the active one."""
        self.active = view
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        width = self.size.width
        if width < NARROW_COLUMNS and self.look is not None:
            line = session_line(self.look, self.title, self._saved, width)
        else:
            line = self._tabs(width).line
        return self.strip(line, "plain", width)

    def _tabs(self, width: int) -> TabLine:
        tabs = view_tabs(self.look)
        used = len(NAME) + sum(size_of(tab.pieces(False, has_amount=True)) for tab in tabs)
        # The tabs come first: a long title is cut, not they.
        room = max(0, width - used - size_of(self._saved) - 2)
        title = visible(self.title, 40)
        shown = title if cell_len(title) <= room else fit(title, room)
        right: Line = [Piece(f"{shown}  " if room else "", "bright"), *self._saved]
        if cell_len(title) + size_of(self._review) <= room:
            right = [*self._review, *right]
        return TabLine(tabs, self.active, width, right, NAME)

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        view = self._tabs(self.size.width).at(event.x)
        if view and self.size.width >= NARROW_COLUMNS:
            self.post_message(self.Chosen(view))


class PaneTabs(Inked, Widget):
    """The panes of a small screen as tabs; while a view is shown, the views."""

    @dataclass
    class Chosen(Message):
        """A tab was clicked: a pane or a view."""

        name: str

    def __init__(self) -> None:
        super().__init__(id="pane-tabs")
        self.look: Look | None = None
        self.view, self.pane = "inspector", "visible"

    def show(self, look: Look) -> None:
        """Tell of another look."""
        self.look = look
        self.refresh()

    def turn_to(self, view: str, pane: str) -> None:
        """Show where one is by now."""
        self.view, self.pane = view, pane
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the tabs."""
        tabs = self._tabs
        return self.strip([] if tabs is None else tabs.line, "plain", self.size.width)

    @property
    def _tabs(self) -> TabLine | None:
        if self.look is None:
            return None
        return narrow_tabs(self.look, self.view, self.pane, self.size.width)

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        name = "" if self._tabs is None else self._tabs.at(event.x)
        if name:
            self.post_message(self.Chosen(name))
