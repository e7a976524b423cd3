"""The index arrays below the player: what a record did to each, in five lines."""

from __future__ import annotations

from rich.cells import cell_len

from ctxtui.core.engine.state import State
from ctxtui.core.values.models import ROLES
from ctxtui.models.figures import Figures
from ctxtui.models.frame import Frame
from ctxtui.models.index_arrays import Array, IndexArrays
from ctxtui.render.mark_map.axis import IndexAxis
from ctxtui.render.mark_map.runs import listing
from ctxtui.render.message.preview import GLYPHS, WORDS
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.sections import GUTTER, beside, cropped, head

LEAD = 8
NAME_CELLS = 16
BATCHES = 4
"""How many batches at the end of a path are named."""
WIDE_CELLS = 110
RIGHT_CELLS = 36
LEAST_RUN_CELLS = 3
"""Cells of the shortest run and the space behind it."""


def array_lines(frame: Frame, arrays: IndexArrays, width: int) -> list[Line]:
    """Return the arrays side by side; where it is narrow, without the boundaries."""
    right = RIGHT_CELLS if width >= WIDE_CELLS else 0
    left = (width - right - GUTTER * (2 if right else 1)) // 2
    middle = width - left - right - GUTTER * (2 if right else 1)
    lines = beside(_original(arrays, frame.figures, left), _types(arrays, middle), left)
    if right:
        lines = beside(lines, _boundaries(frame, right), left + GUTTER + middle)
    return cropped(lines, width)


def _original(arrays: IndexArrays, figures: Figures, width: int) -> list[Line]:
    axis = IndexAxis(arrays.log, figures, max(1, width - LEAD))
    was = [] if arrays.was is None else axis.ribbon(arrays.was, arrays.was_size)
    return [
        head("originalIndices", [Piece(f"{len(arrays.view):,} visible", "faint")], width),
        [Piece("was".ljust(LEAD), "muted"), *was],
        [Piece("change".ljust(LEAD), "muted"), *axis.change(*arrays.change_masks)],
        [Piece("now".ljust(LEAD), "bright"), *axis.ribbon(arrays.view, arrays.size)],
        [Piece("raw".ljust(LEAD), "faint"), *axis.numbers()],
    ]


def _types(arrays: IndexArrays, width: int) -> list[Line]:
    lines = [head("typeIndices", [Piece("gone → now", "faint")], width)]
    for role in ROLES:
        gone, now = arrays.roles_before[role].flagged(), arrays.roles_now[role]
        name = Piece(f"{GLYPHS[role]} {WORDS[role]}".ljust(LEAD), role)
        line = [name]
        if gone.indices:
            line += [*_runs(gone, (width - LEAD) // 3, ("struck", "struck")), Piece("→ ", "muted")]
        used = sum(cell_len(piece.text) for piece in line)
        lines.append(fit_pieces([*line, *_runs(now, width - used, ("text", "ok"))], width))
    return lines


def _runs(array: Array, room: int, kinds: tuple[str, str]) -> Line:
    """Return an array as runs, as many as fit; what is flagged is of the second kind."""
    if not array.indices:
        return [Piece("– ", "faint")]
    line: Line = []
    for most in range(max(1, room // LEAST_RUN_CELLS), 0, -1):
        found = listing(*array, most)
        line = [Piece(f"{one} ", kinds[flag]) for one, flag in found.start]
        if found.between:
            line.append(Piece(f"… {found.between:,} … ", "faint"))
        line += [Piece(f"{one} ", kinds[flag]) for one, flag in found.end]
        if sum(cell_len(piece.text) for piece in line) <= room:
            break
    return line


def _boundaries(frame: Frame, width: int) -> list[Line]:
    was = frame.was
    before = _ends(was) if was is not None else None
    now = _ends(frame.state)
    lines = [head("batches", [], width)]
    for name, of in (("batchBoundaries", 1), ("boundaryToBatch", 0)):
        lines.append(_pair(name, before and before[of], now[of]))
    number = str(frame.batch.number)
    old = None if was is None else str(was.batch.number)
    return [*lines, _pair("currentBatch", old, number)]


def _ends(state: State) -> tuple[str, str]:
    """Return the last numbers and boundaries of a path."""
    path = state.path
    count = len(path)
    last = [path[number] for number in range(max(0, count - BATCHES), count)]
    more = "… " if count > BATCHES else ""
    numbers = more + " ".join(str(batch.number) for batch in last)
    return numbers, more + " ".join(str(batch.boundary) for batch in last)


def _pair(name: str, before: str | None, now: str) -> Line:
    line = [Piece(name.ljust(NAME_CELLS), "muted")]
    if before is not None and before != now:
        return [*line, Piece(before, "struck"), Piece(" → ", "muted"), Piece(now, "ok")]
    return [*line, Piece(now, "text")]
