"""Toasts: the rows above the footer that say what has just happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from textual import events
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.text.lines import Line
from ctxtui.text.toast import Toast, toast_lines
from ctxtui.widgets.styled import Styled

if TYPE_CHECKING:
    from ctxtui.app import CtxtuiApp

SHARE = 3
"""Toasts take at most one of so many parts of the screen, unless the newest needs more."""


class Toasts(Styled, Widget):
    """Draws the app's toasts below everything else on a screen; they cover nothing."""

    DEFAULT_CSS = "Toasts { height: auto; display: none; background: $panel; }"
    DEFAULT_CLASSES = "-textual-system"

    def __init__(self) -> None:
        super().__init__(id="toasts")
        self._shown: Sequence[Toast] = ()

    def on_mount(self) -> None:
        """Show what there is to say, also after another screen was on top of this one."""
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self.update())
        self.update()

    def update(self) -> None:
        """Show the toasts of the app; a screen below another one shows none."""
        is_on_top = self.is_attached and self.screen.is_mounted and self.app.screen is self.screen
        shown = self._app.toasts if is_on_top else ()
        if shown != self._shown:  # A layout calls this, and must not ask for another one.
            self._shown = shown
            self.display = bool(shown)
            self.refresh(layout=True)

    @property
    def _app(self) -> CtxtuiApp:
        return cast("CtxtuiApp", self.app)

    def _rows(self, width: int) -> list[tuple[Toast, Line]]:
        """Return the newest toasts, as far as they fit, each row with its toast."""
        rows: list[tuple[Toast, Line]] = []
        for toast in reversed(self._app.toasts):
            lines = toast_lines(toast, width)
            if rows and len(rows) + len(lines) > self.app.size.height // SHARE:
                break
            rows = [*((toast, line) for line in lines), *rows]
        return rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows(width))

    def render_line(self, y: int) -> Strip:
        rows = self._rows(self.size.width)
        return self.strip(rows[y][1] if y < len(rows) else [], "plain", self.size.width)

    def on_click(self, event: events.Click) -> None:
        rows = self._rows(self.size.width)
        if event.y < len(rows):
            self._app.remove_toast(rows[event.y][0])
