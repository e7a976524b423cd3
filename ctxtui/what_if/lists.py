"""The lists of the what-if screen: a ribbon for each recipe, and the recipes to pick from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType

from ctxtui.core.what_if import WhatIfOutcome
from ctxtui.files.policies import RecipeFile
from ctxtui.text.icons import ERROR, PASSED
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import Line, Piece, fit, line_width
from ctxtui.text.numbers import tokens
from ctxtui.text.plurals import plural
from ctxtui.what_if.drawing.recipes import Axis, name_told
from ctxtui.what_if.keys import WHAT_IF
from ctxtui.what_if.models.recipes import Candidate, Ground
from ctxtui.widgets.panes import TextPane

NOW = 0
"""The key of the present state; recipes follow from 1 on."""
STARS = -1
LETTERS = "ABCDEF"
ROOMY_CELLS = 100
LEAD_CELLS = 3
COUNT_CELLS = 7
PADDING_CELLS = 2
NAMES = {True: 22, False: 14}
TAILS = {True: 22, False: 12}
"""Cells for the name before a ribbon and for the outcome behind it, where there is room or not."""


class RibbonSource(NumberedSource):
    """A ribbon for the present state and for each recipe, one under the other."""

    def __init__(self, ground: Ground | None, candidates: Sequence[Candidate]) -> None:
        self.ground = ground
        self.candidates = candidates
        self._drawn: dict[tuple[int, int], Line] = {}

    def __len__(self) -> int:
        """Return how many ribbons there are."""
        return 0 if self.ground is None else 1 + len(self.candidates)

    def header(self, width: int) -> Line | None:
        """Return stars above the marked messages, if any of them is sent."""
        if self.ground is None or not self.ground.marked:
            return None
        roomy = width >= ROOMY_CELLS
        lead = " " * (LEAD_CELLS + NAMES[roomy] + COUNT_CELLS + PADDING_CELLS)
        room = self._room(width)
        if (STARS, room) not in self._drawn:
            self._drawn[STARS, room] = Axis(self.ground, room).stars()
        return [Piece(lead), *self._drawn[STARS, room]]

    def line(self, at: int, width: int) -> Line:
        """Return one ribbon, with the name before and the outcome behind it."""
        roomy = width >= ROOMY_CELLS
        candidate = None if at == NOW else self.candidates[at - 1]
        outcome = self._trial(candidate)
        letter = " " if at == NOW else LETTERS[at - 1]
        name = self._now() if candidate is None else name_told(candidate)
        count = "" if outcome is None else tokens(outcome.messages)
        lead = [
            Piece(f"{letter:<{LEAD_CELLS}}", "bright"),
            Piece(fit(name, NAMES[roomy]), "muted" if candidate is None else "text"),
            Piece(f"{count:>{COUNT_CELLS}}{' ' * PADDING_CELLS}", "muted"),
        ]
        room = self._room(width)
        body = self._ribbon(at, outcome, room)
        used = line_width(body)
        return [*lead, *body, Piece(" " * max(0, room - used)), *self._tail(at, candidate, roomy)]

    def _now(self) -> str:
        return "as it is" if self.ground is None else f"as it is, batch {self.ground.batch}"

    def _trial(self, candidate: Candidate | None) -> WhatIfOutcome | None:
        if candidate is not None:
            return candidate.outcome
        return None if self.ground is None else self.ground.now

    def _room(self, width: int) -> int:
        roomy = width >= ROOMY_CELLS
        return max(
            1, width - LEAD_CELLS - NAMES[roomy] - COUNT_CELLS - PADDING_CELLS - TAILS[roomy]
        )

    def _ribbon(self, at: int, outcome: WhatIfOutcome | None, room: int) -> Line:
        if outcome is None or self.ground is None:
            return []
        if (at, room) not in self._drawn:
            self._drawn[at, room] = Axis(self.ground, room).ribbon(outcome)
        return self._drawn[at, room]

    def _tail(self, at: int, candidate: Candidate | None, roomy: bool) -> Line:
        size = TAILS[roomy]
        outcome = self._trial(candidate)
        if outcome is None:
            if candidate is not None and candidate.problem is not None:
                return [Piece(fit(f"  {ERROR.text('refused')}", size), ERROR.kind)]
            return [Piece(fit("  … trying", size), "muted")]
        errors = outcome.error_count
        sign, told = PASSED, ""
        if errors:
            sign, told = ERROR, plural(errors, "error") if roomy else str(errors)
        elif roomy:
            told = "passes" if at == NOW else "accepted"
        total = f"{tokens(outcome.tokens):>6} "
        verdict = fit(f"  {sign.text(told)}", size - len(total))
        return [Piece(verdict, sign.kind), Piece(total, "bright")]


class RecipeSource(NumberedSource):
    """The recipes that can be added, and last a way to name any other file."""

    def __init__(
        self, files: Sequence[RecipeFile], abouts: Mapping[Path, str], shown: Collection[Path]
    ) -> None:
        self.files = files
        self.abouts = abouts
        self.shown = shown

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self.files) + 1

    def file(self, at: int) -> RecipeFile | None:
        """Return the recipe of a line; the last one has none."""
        return self.files[at] if at < len(self.files) else None

    def line(self, at: int, width: int) -> Line:
        """Return one recipe: whether it is shown already, its name, origin and operations."""
        file = self.file(at)
        if file is None:
            return [Piece("  "), Piece("another file …", "bright")]
        is_shown = file.path in self.shown
        name = max(16, min(32, width // 3))
        return [
            PASSED.piece() if is_shown else Piece("  "),
            Piece(fit(file.name[:80], name), "muted" if is_shown else "bright"),
            Piece(f" {file.origin:<10}", "muted"),
            Piece(self.abouts.get(file.path, "…"), "faint"),
        ]


# A column of the what-if screen.

TURNS = [command for command in WHAT_IF if command.action.startswith("choose")]


class RecipeColumn(TextPane):
    """One recipe and its outcome; arrows go to the next column instead of scrolling sideways."""

    BINDINGS: ClassVar[list[BindingType]] = [
        replace(command.binding(), action=f"screen.{command.action}") for command in TURNS
    ]

    def __init__(self, at: int) -> None:
        super().__init__(id=f"column-{at}")
        self.at = at
