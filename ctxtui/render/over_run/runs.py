"""What is drawn of a policy: its letter, its figures, and how much it stands out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ctxtui.core.policies import PolicyFigures
from ctxtui.models.policy_comparison import PolicyComparison
from ctxtui.render.text.bars import FULL
from ctxtui.render.text.lines import Line, Piece

CHOSEN, RIVAL, OTHER = "bright", "muted", "dim"
"""The inks of the policy that is chosen, of the one it is compared with, and of the rest."""


class DrawnRun(NamedTuple):
    """A policy whose figures are known, in the ink it is drawn with."""

    letter: str
    figures: PolicyFigures
    kind: str

    @property
    def letter_kind(self) -> str:
        """Return the ink of its letter, which must be read even where its line is faint."""
        return "faint" if self.kind == OTHER else self.kind


def in_front_first(runs: Sequence[DrawnRun]) -> list[DrawnRun]:
    """Return the runs in the order in which they are drawn: what stands out comes first."""
    order = (CHOSEN, RIVAL, OTHER)
    return sorted(runs, key=lambda run: order.index(run.kind))


def drawn_runs(comparison: PolicyComparison) -> list[DrawnRun]:
    """Return the policies whose figures are known, each in its ink."""
    current, rival = comparison.current, comparison.rival
    inks = {one.id: kind for one, kind in ((rival, RIVAL), (current, CHOSEN)) if one is not None}
    return [
        DrawnRun(comparison.letter(one), one.figures, inks.get(one.id, OTHER))
        for one in comparison.contenders
        if one.figures is not None
    ]


def legend(runs: Sequence[DrawnRun]) -> Line:
    """Return which policy has which ink."""
    line: Line = []
    for kind in (CHOSEN, RIVAL, OTHER):
        letters = " ".join(run.letter for run in runs if run.kind == kind)
        if letters:
            ink, sample = ("faint", "track") if kind == OTHER else (kind, kind)
            line += [Piece(f"{FULL} ", sample), Piece(f"{letters}  ", ink)]
    return line
