"""What two views have in common."""

from __future__ import annotations

from collections.abc import Iterator

from .chunks import Chunk
from .spans import Run
from .view import View

END: Run = (-1, 0)
"""The run behind the last one of a view."""


def shared_start(view: View, other: View) -> int:
    """Return how many messages two views have in common from the start, by raw index.

    Chunks that both have are passed over as they are, and equal runs of the next ones at C speed.
    """
    mine, theirs = view.chunks, other.chunks
    same = length = 0
    for one, two in zip(mine, theirs, strict=False):
        if one is not two:
            break
        same += 1
        length += one.size
    alike = _equal_runs(mine[same], theirs[same]) if same < min(len(mine), len(theirs)) else 0
    if alike:
        length += sum(mine[same].lengths[:alike])
    ours, others = _runs_from(mine[same:], alike), _runs_from(theirs[same:], alike)
    (start, left), (old, old_left) = next(ours, END), next(others, END)
    while start == old and (size := min(left, old_left)):
        length += size
        start, left = (start + size, left - size) if left > size else next(ours, END)
        old, old_left = (old + size, old_left - size) if old_left > size else next(others, END)
    return length


def is_same(view: View, other: View) -> bool:
    """Tell whether two views show the same, quickly where one came from the other."""
    size = len(view)
    return view is other or (size == len(other) and shared_start(view, other) == size)


def _equal_runs(one: Chunk, other: Chunk) -> int:
    """Return how many runs two chunks have in common from the start."""
    low, high = 0, min(len(one.starts), len(other.starts))
    while low < high:
        middle = (low + high + 1) // 2
        if (
            one.starts[low:middle] == other.starts[low:middle]
            and one.lengths[low:middle] == other.lengths[low:middle]
        ):
            low = middle
        else:
            high = middle - 1
    return low


def _runs_from(chunks: tuple[Chunk, ...], first: int) -> Iterator[Run]:
    """Yield the runs of some chunks, without the first ones."""
    for chunk in chunks:
        yield from zip(chunk.starts[first:], chunk.lengths[first:], strict=True)
        first = 0
