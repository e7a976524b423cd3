"""Fingerprints of views: the same for equal views, however they are cut up."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.engine.views import Chunk, View
from ctxtui.core.storage.rows import Fingerprints


def chunk_of(runs: list[tuple[int, int]]) -> Chunk:
    starts, lengths = zip(*runs, strict=True)
    high = max(start + length for start, length in runs) - 1
    return Chunk(array("I", starts), array("I", lengths), sum(lengths), high)


@st.composite
def cut_up(draw: st.DrawFn) -> View:
    """Return a view in small runs and chunks; neighbours may continue each other."""
    order = draw(st.permutations(range(draw(st.integers(1, 12)))))
    runs = [(index, 1) for index in order]
    pieces = draw(st.lists(st.integers(1, 4), min_size=1))
    chunks: list[Chunk] = []
    while runs:
        size = pieces[len(chunks) % len(pieces)]
        chunks.append(chunk_of(runs[:size]))
        runs = runs[size:]
    return View(tuple(chunks))


@given(cut_up(), cut_up())
def test_views_have_equal_fingerprints_if_they_are_equal_and_only_then(a: View, b: View) -> None:
    prints = Fingerprints()
    assert (prints.of(a) == prints.of(b)) == (list(a) == list(b))
    assert prints.of(a) == Fingerprints().of(View.of(list(a)))


def test_a_view_of_many_chunks_is_read_to_its_end() -> None:
    indices = list(range(0, 4000, 2))
    changed = [*indices[:-1], 9999]
    prints = Fingerprints()
    assert len(View.of(indices).chunks) > 1
    assert prints.of(View.of(indices)) != prints.of(View.of(changed))
    assert prints.of(View.of(indices)) != prints.of(View.of(indices[::-1]))
    assert prints.of(View()) == prints.of(View())
