"""What two views have in common."""

from __future__ import annotations

from itertools import chain

from core.views.spans import Run
from core.views.view import View

END: Run = (-1, 0)
"""The run behind the last one of a view."""


def shared_start(view: View, other: View) -> int:
    """Return how many messages two views have in common from the start, by raw index.

    Chunks that both have are passed over as they are.
    """
    mine, theirs = view.chunks, other.chunks
    same = length = 0
    for one, two in zip(mine, theirs, strict=False):
        if one is not two:
            break
        same += 1
        length += one.size
    ours = chain.from_iterable(chunk.runs() for chunk in mine[same:])
    others = chain.from_iterable(chunk.runs() for chunk in theirs[same:])
    (start, left), (old, old_left) = next(ours, END), next(others, END)
    while start == old and (size := min(left, old_left)):
        length += size
        start, left = (start + size, left - size) if left > size else next(ours, END)
        old, old_left = (old + size, old_left - size) if old_left > size else next(others, END)
    return length
