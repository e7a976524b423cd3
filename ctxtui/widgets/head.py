"""The lines above the panes: status or viewing bar, and the ribbon."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical

from ctxtui.models.look import Look
from ctxtui.render.log_ribbon import LogRibbon
from ctxtui.render.status import status, viewing
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
        self._ribbons: dict[int, LogRibbon] = {}

    def show(self, look: Look) -> None:
        """Show another look."""
        self._ribbons.clear()
        self.query_one("#status", LineBox).show(partial(status, look))
        self.query_one("#viewing", LineBox).show(partial(viewing, look))

    def show_message(self, look: Look, raw: int | None) -> None:
        """Show on the ribbon where the cursor stands."""
        count = 1 if look.is_live else 2
        lines = (partial(self._ribbon_line, look, raw, at) for at in range(count))
        self.query_one("#ribbon", LineBox).show(*lines)

    def _ribbon_line(self, look: Look, raw: int | None, at: int, width: int) -> Line:
        return self.ribbon(look, width).line(at, raw)

    def ribbon(self, look: Look, width: int) -> LogRibbon:
        """Return the ribbon for a width, made once for each look."""
        if width not in self._ribbons:
            self._ribbons[width] = LogRibbon(look, width)
        return self._ribbons[width]
