"""What would become of many sessions, one row each: before and after."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ctxtui.lists.heights import Block
from ctxtui.lists.source import NumberedSource
from ctxtui.models.applying import SessionTrial
from ctxtui.render.session_trial import trial_header, trial_reason, trial_row
from ctxtui.render.text.lines import Line


class TrialSource(NumberedSource):
    """Sessions with what they would come to; some are left out."""

    def __init__(self, trials: Sequence[SessionTrial], left_out: Collection[str]) -> None:
        self.trials = trials
        self._left_out = left_out

    def __len__(self) -> int:
        """Return how many sessions there are."""
        return len(self.trials)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return trial_header(width)

    def line(self, at: int, width: int) -> Line:
        """Return a session before and after."""
        trial = self.trials[at]
        return trial_row(trial, trial.entry.id in self._left_out, width)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return that one that can't be changed has a second row, which says why."""
        return [Block(1, 2 if trial.problem else 1) for trial in self.trials]

    def below(self, at: int, width: int) -> list[Line]:
        """Return why a session can't be changed."""
        trial = self.trials[at]
        return [trial_reason(trial.problem, width)] if trial.problem else []
