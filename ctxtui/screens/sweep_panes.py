"""What a sweep shows: the plot of all settings, their table, and the one that would ship."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from core.policies.sweeps import Setting
from ctxtui.lists.sweep import SettingSource
from ctxtui.render.over_run.words import asked_line, labels_told, missing_told
from ctxtui.render.sweep.plot import SweepPlot
from ctxtui.render.sweep.points import series_of
from ctxtui.render.sweep.ship import facts_lines, ship_lines, verdict
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.picture import Picture
from ctxtui.widgets.text_pane import TextPane
from ctxtui.words import plural

if TYPE_CHECKING:
    from ctxtui.screens.sweep import SweepScreen


class SweepPanes:
    """Fills the panes of a sweep with what is known by now."""

    def __init__(self, screen: SweepScreen) -> None:
        self._screen = screen
        self._comparison = screen.comparison
        self._cursor = screen.cursor
        self._sweep = screen.sweep

    def show(self) -> None:
        """Show the settings, with the cursor on one of them."""
        cursor, sweep = self._cursor, self._sweep
        short = f"sweep {sweep.sweep or ''}"
        self._screen.show_head(partial(asked_line, self._comparison, self._asked, short))
        plot = self._screen.query_one("#settings-plot", Picture)
        against = "cost" if self._comparison.prices is not None else "tokens outside the prefix"
        about = [Piece("calls that fail ", "muted"), Piece(f"against {against}", "faint")]
        plot.frame("Which setting would you ship", about)
        missing = self._missing
        if missing:
            plot.show(lambda width, _: [[Piece(row)] for row in wrap(missing, max(1, width))])
        else:
            plot.show(self._draw)
        settings = self._screen.query_one("#settings", LineList)
        settings.empty = missing
        settings.show(SettingSource(cursor))
        if cursor.key is not None:
            settings.go_to(cursor.key[1])
        facts = self._screen.query_one("#sweep-facts", TextPane)
        facts.show(partial(facts_lines, cursor), top=False)
        self._show_ship()
        letters = {sweep.comparison.letter(one) for one in sweep.swept if self._has_front(one.id)}
        told = f"the front is {' '.join(sorted(letters))}" if letters else ""
        self._screen.query_one("#sweep-side").border_subtitle = told

    def _has_front(self, id: int) -> bool:
        front = (self._sweep.setting(key) for key in self._sweep.keys if key[0] == id)
        return any(one is not None and self._sweep.is_front(one) for one in front)

    def _show_ship(self) -> None:
        ship = self._screen.query_one("#ship", TextPane)
        title, about = verdict(self._cursor)
        ship.frame(title, [Piece(about, "faint")])
        rows = max(1, ship.scrollable_content_region.height)
        none = self._cursor.key is None
        ship.show(lambda width: [] if none else ship_lines(self._cursor, rows, width))

    @property
    def _asked(self) -> str:
        sweep = self._sweep.sweep
        if sweep is None:
            return "sweep"
        policies = plural(len(self._sweep.swept), "policy", "policies")
        return f"sweep {sweep}   {policies}, {plural(len(self._sweep.values), 'setting')}"

    @property
    def _missing(self) -> str:
        missing = missing_told(self._comparison)
        if missing:
            return missing
        if self._sweep.sweep is None:
            return "None of the policies has a number that could be swept."
        if not self._sweep.swept:
            return f"None of the policies has {self._sweep.sweep.name}. / sweeps something else."
        return "" if self._sweep.keys else "… walking through the run"

    def _draw(self, width: int, height: int) -> list[Line]:
        return self.plot(width, height).lines(self._cursor.setting, self._cursor.rival_setting)

    def plot(self, width: int, height: int) -> SweepPlot:
        """Return the plot for a size."""
        comparison, question = self._comparison, self._comparison.question
        must = "" if question is None else labels_told(question.must)
        return SweepPlot(
            series_of(self._cursor),
            comparison.calls,
            (width, height),
            is_money=comparison.prices is not None,
            must=must,
        )

    def setting_at(self, clicked: Picture.Clicked) -> Setting | None:
        """Return the setting that was clicked in the plot."""
        if self._missing:
            return None
        return self.plot(*clicked.picture.size).setting_at(clicked.x, clicked.y)
