"""The tabs in the head line: the inspector and its other views."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from core.storage import Session
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.severity import PASSED, WARNING
from ctxtui.symbols import visible
from ctxtui.widgets.inked import Inked

VIEWS = {
    "inspector": "Inspector",
    "roles": "Roles",
    "markmap": "Mark map",
    "journal": "Journal",
    "tokens": "Tokens",
    "lint-view": "Lint",
}


WIDE_COLUMNS = 100
"""Columns from which on there is room for the name of the app."""


class TabBar(Inked, Widget):
    """Names the views, the one that is shown as a chip, and the conversation's title."""

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        view: str

    def __init__(self, title: str) -> None:
        super().__init__(id="tabs")
        self.active = "inspector"
        self.title = title
        self._saved = Piece("")

    def show_saved(self, session: Session) -> None:
        """Say whether everything done so far is safe on disk."""
        if session.read_only:
            self._saved = Piece("read-only ", "warn")
        elif session.problem is not None:
            self._saved = WARNING.piece("not saved ")
        else:
            saving = Piece("… saving ", "muted")
            self._saved = PASSED.piece("saved ") if session.is_saved else saving
        self.refresh()

    def turn_to(self, view: str) -> None:
        """Show another view as the active one."""
        self.active = view
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the line of tabs."""
        width = self.size.width
        left = [Piece(self._lead, "bright"), *self._tabs()]
        used = sum(cell_len(piece.text) for piece in (*left, self._saved))
        # The tabs come first: a long title is cut, not they.
        room = max(0, width - used - 2)
        title = visible(self.title, 40)
        shown = title if cell_len(title) <= room else fit(title, room)
        right = [Piece(f"{shown}  " if room else "", "bright"), self._saved]
        start = width - sum(cell_len(piece.text) for piece in right)
        return self.strip([*fit_pieces(left, max(0, start)), *right], "plain", width)

    @property
    def _lead(self) -> str:
        return " ctxtui  " if self.size.width >= WIDE_COLUMNS else ""

    def _tabs(self) -> Line:
        return [
            Piece(f" {title} ", "chip" if view == self.active else "muted")
            for view, title in VIEWS.items()
        ]

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        at = len(self._lead)
        for view, title in VIEWS.items():
            if at <= event.x < at + len(title) + 2:
                self.post_message(self.Chosen(view))
            at += len(title) + 2
