"""The index arrays as JSON, long ones shortened: what the source documents would have in memory."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.values.models import ROLES
from ctxtui.models.index_arrays import IndexArrays
from ctxtui.render.text.wrap import wrap

INDENT = 4


def json_lines(arrays: IndexArrays, width: int, most: int) -> list[str]:
    """Return the mark map as lines of JSON; an array says how many items it leaves out."""
    path = arrays.path
    shown = [path[number] for number in range(min(most, len(path)))]
    roles = [f'"{role}": {_array(arrays.roles_now[role].indices, most)}' for role in ROLES]
    boundaries = _array([batch.boundary for batch in shown], most, len(path))
    numbers = _array([batch.number for batch in shown], most, len(path))
    written = [
        f'{{"originalIndices": {_array(arrays.now.indices, most)},',
        ' "typeIndices": {',
        *(f"  {role}," for role in roles[:-1]),
        f"  {roles[-1]}}},",
        f' "batchBoundaries": {boundaries},',
        f' "boundaryToBatch": {numbers},',
        f' "currentBatch": {path[-1].number}}}',
    ]
    lines = []
    for text in written:
        first, *rest = wrap(text, width)
        lines += [first, *(_indented(rest, width))]
    return lines


def _indented(rest: list[str], width: int) -> list[str]:
    room = max(1, width - INDENT)
    return [" " * (width - room) + row for row in wrap(" ".join(rest), room)] if rest else []


def _array(items: Sequence[int], most: int, size: int | None = None) -> str:
    size = len(items) if size is None else size
    said = [str(item) for item in items[:most]]
    if size > most:
        said.append(f"… {size - most:,} more")
    return f"[{', '.join(said)}]"
