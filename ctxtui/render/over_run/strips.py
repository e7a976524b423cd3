"""Strips below the plot: which calls are broken, which lack a mark, what a cache can serve."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ctxtui.core.policies import CallFigures
from ctxtui.render.over_run.axis import CallAxis
from ctxtui.render.over_run.runs import DrawnRun
from ctxtui.render.text.choosing import spread
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.render.text.severity import ERROR

STAR = "★"
HALVES = {(True, True): "█", (True, False): "▌", (False, True): "▐", (False, False): "·"}
"""Two columns of a cell: whether something is so of a call in the left one and the right one."""
KEPT, CUT, AGAIN = "▆", "▄", "▁"
"""All that the call before has sent stands at the start; some of it; nothing."""
CURSOR = "┃"
INKS = {KEPT: "ok", CUT: "warn", AGAIN: "error"}


def is_broken(call: CallFigures) -> bool:
    """Tell whether a provider would refuse a call."""
    return call.errors > 0


def lacks(call: CallFigures) -> bool:
    """Tell whether a call lacks a message that must stay."""
    return call.marks_missing > 0


def broken_cells(run: DrawnRun, axis: CallAxis) -> Line:
    """Return red blocks where calls are broken, half a cell exact."""
    found = axis.found(run.figures.per_call, is_broken)
    pairs = zip(found[::2], found[1::2], strict=True)
    return [Piece(HALVES[pair], ERROR.kind if any(pair) else "dim") for pair in pairs]


def lacking_cells(run: DrawnRun, axis: CallAxis) -> Line:
    """Return stars where calls lack a message that must stay."""
    found = axis.found(run.figures.per_call, lacks)
    return [
        Piece(STAR, ERROR.kind) if left or right else Piece("·", "dim")
        for left, right in zip(found[::2], found[1::2], strict=True)
    ]


def cache_cells(run: DrawnRun, axis: CallAxis) -> Line:
    """Return what a prompt cache can serve: of several calls in a cell the worst is shown."""
    calls = run.figures.per_call
    cells = []
    for cell in range(axis.cells):
        states = {cache_state(calls, call) for call in axis.calls_of_cell(cell)}
        worst = next(state for state in (AGAIN, CUT, KEPT) if state in states)
        cells.append(Piece(worst, INKS[worst]))
    return cells


def cache_state(calls: Sequence[CallFigures], call: int) -> str:
    """Return what is kept of the call before; the first one has none to lose."""
    if call == 1 or calls[call - 1].prefix_tokens >= calls[call - 2].tokens:
        return KEPT
    return CUT if calls[call - 1].prefix_tokens else AGAIN


def strip(run: DrawnRun, cells: Line, axis: CallAxis, cursor: int, lead: int) -> Line:
    """Return a strip behind the letter of its policy, with the cursor on it."""
    here = axis.cell(cursor)
    shown = [*cells[:here], Piece(CURSOR, "key"), *cells[here + 1 :]]
    return [Piece(f"{run.letter:>{lead - 2}}  ", run.letter_kind), *joined(shown)]


Failing = Callable[[DrawnRun], int]


def failing_head(
    sign: str, title: str, about: str, runs: Sequence[DrawnRun], count: Failing, width: int
) -> Line:
    """Return the line above strips of calls that fail, with who has none of them."""
    clean = [run.letter for run in runs if not count(run)]
    right = [Piece(f"{' '.join(clean)}  ", "text"), Piece("none", "ok")] if clean else []
    left = [Piece(f"{sign} {title}", ERROR.kind), Piece(f"  {about}", "muted")]
    if sum(len(piece.text) for piece in [*left, *right]) + 2 > width:
        left = left[:1]
    return spread(left, right, width)
