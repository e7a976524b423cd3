"""The list of the settings of a sweep."""

from __future__ import annotations

from ctxtui.lists.source import LineSource
from ctxtui.models.contenders import Contender
from ctxtui.models.sweep_cursor import SweepCursor
from ctxtui.render.sweep.table import (
    GROUP_CELLS,
    VALUE_CELLS,
    all_clean,
    column_heads,
    policy_head,
    setting_cells,
)
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.symbols import visible


class SettingSource(LineSource):
    """A line for each value: what the policy of the cursor gives, and the one beside it.

    A line's key is its value.
    """

    def __init__(self, cursor: SweepCursor) -> None:
        self._sweep = cursor.sweep
        self._values = list(cursor.sweep.values)
        self._name = "" if cursor.sweep.sweep is None else cursor.sweep.sweep.name
        shown = (cursor.rival, cursor.contender)
        self._shown = [one for one in shown if one is not None]
        if len(self._shown) == 2:  # noqa: PLR2004 - in the order of their letters
            order = [one.id for one in cursor.sweep.comparison.contenders]
            self._shown.sort(key=lambda one: order.index(one.id))
        self._here = cursor.contender

    def __len__(self) -> int:
        """Return how many values there are."""
        return len(self._values)

    def key(self, at: int) -> int:
        """Return the value of a line."""
        return self._values[at]

    def find(self, key: int) -> int | None:
        """Return the line of a value."""
        return self._values.index(key) if key in self._values else None

    def headers(self, width: int) -> list[Line]:
        """Return whose settings stand below, and the names of the columns."""
        has_cost = self._sweep.comparison.prices is not None
        letter = self._sweep.comparison.letter
        shown = self._fitting(width)
        name = fit(visible(self._name, 20), VALUE_CELLS)
        names: Line = [Piece(" " * VALUE_CELLS)]
        heads: Line = [Piece(f"{name.strip():>{VALUE_CELLS}}", "faint")]
        for one in shown:
            names += policy_head(letter(one), one.name)
            heads += column_heads(all_clean(self._sweep.settings(one)), has_cost)
        return [names, heads] if self._values else []

    def line(self, at: int, width: int) -> Line:
        """Return one value."""
        value = self._values[at]
        line = [Piece(f"{value:>{VALUE_CELLS},}", "bright")]
        for one in self._fitting(width):
            setting = self._sweep.setting((one.id, value))
            is_front = setting is not None and self._sweep.is_front(setting)
            line += setting_cells(setting, is_front=is_front)
        return line

    def _fitting(self, width: int) -> list[Contender]:
        """Return the policies there is room for; the one of the cursor is always there."""
        most = max(1, (width - VALUE_CELLS) // GROUP_CELLS)
        if len(self._shown) <= most or self._here is None:
            return self._shown
        return [self._here]
