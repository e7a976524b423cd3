"""The pane beside the fields of a form: what would happen, fitted to its size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ctxtui.render.text.lines import Line
from ctxtui.widgets.text_pane import TextPane


class OutcomePane(TextPane):
    """Shows as much as fits; with the focus it shows everything, and scrolls.

    What it draws is made for a width and a height, or without a height where nothing has to fit.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._fitted: Callable[[int, int | None], Sequence[Line]] = lambda *_: []
        self._height = 0

    def present(self, make: Callable[[int, int | None], Sequence[Line]]) -> None:
        """Show something else, where the last one stood."""
        self._fitted = make
        self._draw()

    def wanted(self, most: int) -> int:
        """Return how many lines there would be with room for at most so many."""
        width = self.scrollable_content_region.width
        return len(self._fitted(width, most)) if width else 0

    def on_resize(self) -> None:
        """Fit it anew."""
        if self.content_size.height != self._height:
            self._draw()

    def on_focus(self) -> None:
        """Show everything, to be scrolled."""
        self._draw()

    def on_blur(self) -> None:
        """Show what fits again, from the top."""
        self._draw()
        self.scroll_to(y=0, animate=False)

    def _draw(self) -> None:
        self._height = self.content_size.height
        height = None if self.has_focus else self._height
        self.show(lambda width: self._fitted(width, height), top=False)
