"""The views of a conversation, one at a time: the panes, roles, mark map, journal, tokens, lint."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from ctxtui.explorer.arrays_view import ArraysView
from ctxtui.explorer.lint_view import LintView
from ctxtui.explorer.panes import Panes
from ctxtui.explorer.player_view import PlayerView
from ctxtui.explorer.roles_view import RolesView
from ctxtui.models.look import Look
from ctxtui.models.selection import Selection
from ctxtui.render.text.lines import Piece
from ctxtui.render.tokens.view import token_lines
from ctxtui.widgets.text_pane import TextPane


class Views(ContentSwitcher):
    """Shows one view of a look at a time; fills only the one that is in sight."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(id="views", initial="inspector")
        self.look: Look | None = None
        self.panes = Panes(selection)
        self.roles = RolesView()
        self.arrays = ArraysView()
        self.player = PlayerView()
        self.lint = LintView()
        self._filled: set[str] = set()

    def compose(self) -> ComposeResult:
        """Lay out every view."""
        yield self.panes
        yield self.roles
        yield self.arrays
        yield self.player
        yield TextPane(id="tokens")
        yield self.lint

    def show(self, look: Look) -> None:
        """Show another look in the view that is in sight; the others follow when they are."""
        self.look = look
        self._filled.clear()
        self.panes.show(look)
        self.turn_to(self.current or "inspector")

    def turn_to(self, view: str) -> None:
        """Bring a view to the front and fill it, if that has not been done."""
        if self.look is not None and view not in self._filled:
            self._filled.add(view)
            self._fill(view, self.look)
        self.current = view

    def entrance(self, view: str, pane: str, raw: int | None) -> Widget:
        """Return what has the focus when a view is gone to: a pane, or a part of the view."""
        if view == "roles":
            return self.roles.column_of(raw)
        if view == "markmap":
            return self.arrays.front
        names = {"inspector": pane, "lint-view": "lint", "journal": "records"}
        return self.query_one(f"#{names.get(view, view)}")

    def refill(self, view: str) -> None:
        """Fill a view again: at once if it is in sight, else when it is."""
        self._filled.discard(view)
        if self.current == view:
            self.turn_to(view)

    def note(self, remarks: Mapping[int, str]) -> None:
        """Show other notes about messages, wherever messages are listed."""
        self.panes.note(remarks)
        self.refill("roles")

    @on(Panes.Counted)
    def _counted(self) -> None:
        """Tell the errors of earlier batches where somebody reads them."""
        if self.current == "lint-view":
            self.lint.show_finding()

    def _fill(self, view: str, look: Look) -> None:
        match view:
            case "roles":
                self.roles.show(look, self.panes.finder, self.panes.remarks)
            case "markmap":
                self.arrays.show(look)
            case "tokens":
                pane = self._text(view, "Tokens")
                pane.show(lambda width: token_lines(look, width, pane.size.height, self.panes.raw))
            case "journal":
                self.player.show(look)
            case "lint-view":
                self.lint.show(look, self.panes.errors)

    def _text(self, view: str, title: str) -> TextPane:
        pane = self.query_one(f"#{view}", TextPane)
        pane.frame(title, [Piece("who holds them, and how that went", "faint")])
        return pane
