"""The lines above the panes: status or viewing bar, and the ribbon."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical

from ctxtui.models.look import Look
from ctxtui.render.status import ribbon_cells, ribbon_line, status, viewing
from ctxtui.render.text.lines import Line
from ctxtui.widgets.line_box import LineBox


class StatusHead(Vertical):
    """Says where the conversation stands, or that an earlier batch is looked at."""

    def compose(self) -> ComposeResult:
        """Lay out the lines; the style sheet shows the viewing bar only while stepping."""
        for name in ("status", "viewing", "ribbon"):
            yield LineBox(id=name)

    def __init__(self) -> None:
        super().__init__()
        self._cells: dict[int, Line] = {}

    def show(self, look: Look) -> None:
        """Show another look."""
        self._cells.clear()
        self.query_one("#status", LineBox).show(partial(status, look))
        self.query_one("#viewing", LineBox).show(partial(viewing, look))

    def show_message(self, look: Look, raw: int | None) -> None:
        """Show on the ribbon where the cursor stands."""
        self.query_one("#ribbon", LineBox).show(partial(self._ribbon, look, raw))

    def _ribbon(self, look: Look, raw: int | None, width: int) -> Line:
        """Return the ribbon; its cells are kept, since the cursor moves far more often."""
        if width not in self._cells:
            self._cells[width] = ribbon_cells(look, width)
        return ribbon_line(look, raw, self._cells[width], width)
