"""The index arrays in a lesson: before and after a step, covered until the answer is revealed."""

from __future__ import annotations

from collections.abc import Collection

from ctxtui.core.values.models import ROLES
from ctxtui.models.frame import Frame
from ctxtui.models.index_arrays import IndexArrays
from ctxtui.render.text.indices import shown_indices
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces, on_row
from ctxtui.symbols import visible

COVER = "▒" * 6
"""What stands over an answer: always as long, so that it does not give the answer away."""
NAME_CELLS, LEAST_NAME_CELLS = 17, 13
EMPTY = "–"


def lesson_array_lines(
    frame: Frame, arrays: IndexArrays, looked_at: Collection[str], width: int, *, is_covered: bool
) -> list[Line]:
    """Return a line for each array: what it was, and what it is unless that is covered."""
    was = frame.was or frame.state
    before = (was.path, was.batch.number)
    now = (frame.state.path, frame.batch.number)
    rows = [("originalIndices", "muted", arrays.before.indices, arrays.now.indices)]
    rows += [
        (role, role, arrays.roles_before[role].indices, arrays.roles_now[role].indices)
        for role in ROLES
    ]
    shown = [
        (name, kind, _indices(old), _indices(new), "  " * (name in ROLES))
        for name, kind, old, new in rows
    ]
    edges = [" ".join(str(batch.boundary) for batch in path) for path, _ in (before, now)]
    shown.append(("batchBoundaries", "muted", edges[0], edges[1], ""))
    shown.append(("currentBatch", "muted", str(before[1]), str(now[1]), ""))
    return [
        _row(row, width, is_covered=is_covered, is_still=frame.is_still, is_lit=row[0] in looked_at)
        for row in shown
    ]


def _indices(indices: list[int]) -> str:
    return shown_indices(indices).replace(",", "") or EMPTY


Row = tuple[str, str, str, str, str]
"""Name, ink, before, now, indent."""


def _row(row: Row, width: int, *, is_covered: bool, is_still: bool, is_lit: bool) -> Line:
    name, kind, before, now, indent = row
    name_cells = max(LEAST_NAME_CELLS, min(NAME_CELLS, width // 2))
    line = [Piece(f"{fit(indent + name, name_cells - 1)} ", kind)]
    room = max(4, width - name_cells)
    if is_still and not is_covered:
        line.append(Piece(visible(now), "text"))
    else:
        half = max(2, min(room // 2 - 2, max(len(before), 6)))
        after = (
            Piece(COVER, "faint") if is_covered else Piece(now, "ok" if now != before else "text")
        )
        line += [Piece(fit(before, half), "text"), Piece(" → ", "muted"), after]
    return on_row(line, "select", width) if is_lit else fit_pieces(line, width)
