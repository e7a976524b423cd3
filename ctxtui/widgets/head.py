"""The lines above the panes: status or viewing bar, and the ribbon."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical

from ctxtui.models.look import Look
from ctxtui.render.log_ribbon import LogRibbon
from ctxtui.render.status import status
from ctxtui.render.text.lines import Line
from ctxtui.render.viewing import viewing
from ctxtui.widgets.line_box import LineBox
from ctxtui.widgets.tab_bar import NARROW_COLUMNS, PaneTabs


class StatusHead(Vertical):
    """Says where the conversation stands, or that an earlier batch is looked at.

    A small screen has counts and gauge beside the ribbon instead of a status line, and tabs below.
    """

    def compose(self) -> ComposeResult:
        """Lay out the lines; the style sheet shows those that belong to size and moment."""
        for name in ("status", "viewing", "ribbon"):
            yield LineBox(id=name)
        yield PaneTabs()

    def __init__(self) -> None:
        super().__init__()
        self._ribbons: dict[int, LogRibbon] = {}

    def show(self, look: Look) -> None:
        """Show another look."""
        self._ribbons.clear()
        self.query_one("#status", LineBox).show(partial(status, look))
        self.query_one("#viewing", LineBox).show(partial(viewing, look))
        self.query_one(PaneTabs).show(look)

    def show_news(self, look: Look, news: int) -> None:
        """Say how much has come since an earlier state is looked at."""
        self.query_one("#viewing", LineBox).show(partial(viewing, look, news=news))

    def show_linted(self) -> None:
        """Draw again what tells of lint."""
        self._ribbons.clear()
        for widget in self.query("#status, #ribbon, #pane-tabs"):
            widget.refresh()

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
            is_narrow = width < NARROW_COLUMNS
            self._ribbons[width] = LogRibbon(look, width, is_narrow=is_narrow)
        return self._ribbons[width]
