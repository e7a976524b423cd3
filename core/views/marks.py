"""Marks: for each label the raw indices that carry it, as a sorted view.

A view shares its chunks with the one it came from, so a thousand changes of one label cost a
thousand small chunks, not a thousand sets.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from .spans import runs_of, spans_of
from .view import View

Marks = Mapping[str, View]
FEW = 8


def with_indices(marked: View, indices: Sequence[int]) -> View:
    """Return a sorted view with some indices in it."""
    if len(indices) > FEW:
        spans = spans_of([*marked.runs(), *runs_of(sorted(indices))])
        return View.of_runs([(start, stop - start) for start, stop in spans])
    for raw in indices:
        place = _place(marked, raw)
        if place is not None:
            marked = marked.splice(place, place, ((raw, 1),))
    return marked


def without_indices(marked: View, indices: Sequence[int]) -> View:
    """Return a sorted view without some indices."""
    return marked.cut(spans_of(runs_of(sorted(indices))))[0] if indices else marked


def _place(marked: View, raw: int) -> int | None:
    """Return where an index belongs in a sorted view, or None where it stands there already."""
    passed = 0
    for chunk in marked.chunks:
        if chunk.starts[-1] + chunk.lengths[-1] <= raw:
            passed += chunk.size
            continue
        run = bisect_right(chunk.starts, raw) - 1
        if run < 0:
            return passed
        before = sum(chunk.lengths[:run])
        if raw < chunk.starts[run] + chunk.lengths[run]:
            return None
        return passed + before + chunk.lengths[run]
    return passed
