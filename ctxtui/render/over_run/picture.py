"""The pane of the plot: lines above strips on one axis, as much of them as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ctxtui.render.over_run.axis import CallAxis
from ctxtui.render.over_run.lines_plot import LinesPlot
from ctxtui.render.over_run.runs import CHOSEN, DrawnRun
from ctxtui.render.over_run.strips import (
    AGAIN,
    CUT,
    INKS,
    KEPT,
    STAR,
    broken_cells,
    cache_cells,
    failing_head,
    lacking_cells,
    strip,
)
from ctxtui.render.text.choosing import spread
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import ERROR

LEAD_CELLS = 7
TAIL_CELLS = 2
"""Cells before the axis, for numbers and letters, and behind it, for letters."""
LEAST_ROWS = 6
ROOMY_ROWS = 10
"""Rows of the plot below which strips are merged, and from which on there is space between them."""

Cells = Callable[[DrawnRun, CallAxis], Line]


class Section(NamedTuple):
    """Strips of one kind: the line above them, and the policies that have something to show."""

    head: Line
    cells: Cells
    runs: Sequence[DrawnRun]

    @property
    def rows(self) -> int:
        """Return how many rows it takes."""
        return 1 + len(self.runs) if self.runs or self.head else 0


class RunPicture:
    """All of it for a size: what doesn't depend on the cursor is worked out once."""

    def __init__(
        self,
        runs: Sequence[DrawnRun],
        calls: int,
        size: tuple[int, int],
        *,
        limit: int | None = None,
        must: str = "",
    ) -> None:
        self.width, self.height = size
        self._must = must
        self.axis = CallAxis(calls, self.width - LEAD_CELLS - TAIL_CELLS)
        sections = self._sections(runs)
        self._gap = 1
        rows = self._left(sections)
        if rows < ROOMY_ROWS:
            self._gap = 0
            rows = self._left(sections)
        if rows < LEAST_ROWS:
            sections = self._merged(runs)
            rows = self._left(sections)
        self._plot = LinesPlot(runs, self.axis, max(1, rows), limit)
        self._strips = [
            (section.head, [(run, section.cells(run, self.axis)) for run in section.runs])
            for section in sections
        ]

    def _left(self, sections: Sequence[Section]) -> int:
        """Return the rows that strips leave to the plot and its axis."""
        below = sum(section.rows - (not section.head) + self._gap for section in sections)
        return self.height - below - 2

    def _sections(self, runs: Sequence[DrawnRun]) -> list[Section]:
        broken = [run for run in runs if run.figures.broken]
        lacking = [run for run in runs if run.figures.without_marked]
        told = self._must or "what must stay"
        found = [
            Section(
                failing_head(
                    ERROR.glyph,
                    "broken",
                    "a provider would refuse the request",
                    runs,
                    lambda run: run.figures.broken,
                    self.width,
                ),
                broken_cells,
                broken,
            ),
            Section(
                failing_head(
                    STAR,
                    f"without {told}",
                    "it is in the log and not sent",
                    runs,
                    lambda run: run.figures.without_marked,
                    self.width,
                ),
                lacking_cells,
                lacking,
            ),
            Section(cache_head(self.width), cache_cells, runs),
        ]
        return found if self._must else [found[0], found[2]]

    def _merged(self, runs: Sequence[DrawnRun]) -> list[Section]:
        """Return a strip of each kind for the chosen policy alone."""
        chosen = [run for run in runs if run.kind == CHOSEN]
        return [
            Section([], broken_cells, [run for run in chosen if run.figures.broken]),
            Section([], lacking_cells, [run for run in chosen if run.figures.without_marked]),
            Section([], cache_cells, chosen),
        ]

    def lines(self, cursor: int) -> list[Line]:
        """Return the rows with the cursor on a call."""
        lead = LEAD_CELLS
        lines = self._plot.lines(cursor, lead)
        lines.append([Piece(" " * lead), Piece(self.axis.rule(), "track")])
        lines.append([Piece(f"{'call':<{lead}}", "faint"), *self.axis.numbers(cursor)])
        for head, strips in self._strips:
            lines += [[]] * self._gap
            lines += [head] if head else []
            lines += [strip(run, cells, self.axis, cursor, lead) for run, cells in strips]
        return lines[: self.height]

    def call_at(self, x: int) -> int | None:
        """Return the call at a cell of a row."""
        cell = x - LEAD_CELLS
        return self.axis.calls_of_cell(cell).start if 0 <= cell < self.axis.cells else None


def cache_head(width: int) -> Line:
    """Return the line above the strips of the cache: what each sign means."""
    left = [
        Piece(KEPT, INKS[KEPT]),
        Piece(" prefix kept  ", "muted"),
        Piece(CUT, INKS[CUT]),
        Piece(" cut  ", "muted"),
        Piece(AGAIN, INKS[AGAIN]),
        Piece(" sent again", "muted"),
    ]
    right = [Piece("what a prompt cache can serve, call by call", "faint")]
    size = sum(len(piece.text) for piece in [*left, *right])
    return spread(left, right if size + 2 <= width else [], width)
