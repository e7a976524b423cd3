"""The list of policies over a run."""

from __future__ import annotations

from ctxtui.lists.source import NumberedSource
from ctxtui.models.policy_comparison import PolicyComparison
from ctxtui.render.over_run.table import TableColumns, TableScale
from ctxtui.render.over_run.words import WALKING
from ctxtui.render.text.lines import Line
from ctxtui.render.text.severity import ERROR


class PolicySource(NumberedSource):
    """What was recorded and each policy, with their figures."""

    def __init__(self, comparison: PolicyComparison) -> None:
        self._rows = [(comparison.letter(one), one) for one in comparison.contenders]
        figures = [one.figures for _, one in self._rows if one.figures is not None]
        is_asked = comparison.question is None or comparison.calls > 0
        walking = ERROR.text("not walked") if comparison.problem else WALKING
        self._without = walking if is_asked else "no call to judge"
        self._scale = TableScale.of(figures, comparison.limit, comparison.prices is not None)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._rows)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return self._columns(width).head() if self._rows else None

    def line(self, at: int, width: int) -> Line:
        """Return one policy."""
        letter, contender = self._rows[at]
        return self._columns(width).line(letter, contender, self._scale, self._without)

    def _columns(self, width: int) -> TableColumns:
        return TableColumns(width - 1, self._scale.has_cost)
