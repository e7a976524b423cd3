"""The tabs in the head line: the inspector and its other views."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.render.lines import Line, Piece, fit_pieces
from ctxtui.render.symbols import visible
from ctxtui.widgets.inked import Inked

VIEWS = {
    "inspector": "Inspector",
    "roles": "Roles",
    "markmap": "Mark map",
    "journal": "Journal",
    "tokens": "Tokens",
    "lint": "Lint",
}


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

    def turn_to(self, view: str) -> None:
        """Show another view as the active one."""
        self.active = view
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the line of tabs."""
        width = self.size.width
        right = [Piece(f"{visible(self.title, 40)} ", "bright")]
        room = width - sum(cell_len(piece.text) for piece in right)
        left = [Piece(" ctxtui  ", "bright"), *self._tabs()]
        return self.strip([*fit_pieces(left, max(0, room)), *right], "plain", width)

    def _tabs(self) -> Line:
        return [
            Piece(f" {title} ", "chip" if view == self.active else "muted")
            for view, title in VIEWS.items()
        ]

    def on_click(self, event: events.Click) -> None:
        """Choose the tab under the mouse."""
        at = len(" ctxtui  ")
        for view, title in VIEWS.items():
            if at <= event.x < at + len(title) + 2:
                self.post_message(self.Chosen(view))
            at += len(title) + 2
