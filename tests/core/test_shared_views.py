"""What two views have in common, however they are laid out; and views that are sets or masks."""

from __future__ import annotations

from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.engine.views import (
    EMPTY,
    View,
    either,
    is_same,
    shared_start,
    spans_of,
    subtract,
    with_indices,
    without,
)

EVERY_OTHER = View.of(range(0, 4000, 2))
"""Two thousand runs, in several chunks."""


def by_hand(one: View, other: View) -> int:
    """Return how many indices two views have in common, counted one by one."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def laid_out(pieces: list[list[int]]) -> View:
    """Return a view with a chunk for each piece, also where they continue each other."""
    return View(tuple(chunk for piece in pieces for chunk in View.of(piece).chunks))


@pytest.mark.parametrize("place", [0, 1, 300, 777, 1024, 1999])
def test_an_edit_far_behind_leaves_all_before_it_in_common(place: int) -> None:
    assert len(EVERY_OTHER.chunks) > 4
    edited = EVERY_OTHER.splice(place, place + 1, ((5001, 1),))
    assert shared_start(EVERY_OTHER, edited) == shared_start(edited, EVERY_OTHER) == place
    assert not is_same(EVERY_OTHER, edited)
    assert is_same(edited.splice(place, place + 1, ((2 * place, 1),)), EVERY_OTHER)


@pytest.mark.parametrize("more", [0, 1, 500])
def test_a_view_that_is_the_start_of_another_is_all_in_common(more: int) -> None:
    start = EVERY_OTHER[: 2000 - more]
    assert shared_start(start, EVERY_OTHER) == shared_start(EVERY_OTHER, start) == 2000 - more
    assert is_same(start, EVERY_OTHER) is (more == 0)


def test_a_view_is_shown_the_same_however_its_runs_are_cut_up() -> None:
    view = laid_out([[3, 4], [5], [6, 7, 1], [9]])
    assert view.run_count > 3
    assert str(view) == "3-7, 1, 9"
    assert view == View.of([3, 4, 5, 6, 7, 1, 9])


def test_runs_that_touch_or_overlap_become_one_span() -> None:
    runs = [(25, 9), (5, 3), (0, 2), (50, 1), (20, 10), (2, 3), (22, 2)]
    assert spans_of(runs) == [(0, 8), (20, 34), (50, 51)]


def test_what_is_taken_from_the_middle_of_a_span_leaves_both_its_ends() -> None:
    spans = [(0, 10), (20, 24), (30, 33)]
    assert subtract(spans, [(3, 5), (6, 7), (20, 24), (30, 31)]) == [
        (0, 3),
        (5, 6),
        (7, 10),
        (31, 33),
    ]


cuts = st.lists(st.integers(1, 4), max_size=6)


@given(cuts, cuts, st.integers(0, 14), st.booleans())
def test_how_runs_are_cut_up_makes_no_difference(
    mine: list[int], theirs: list[int], change: int, changed: bool
) -> None:
    def view(sizes: list[int], indices: list[int]) -> View:
        pieces = []
        for size in [*sizes, len(indices)]:
            pieces.append(indices[:size])
            indices = indices[size:]
        return laid_out([piece for piece in pieces if piece])

    whole = [*range(10, 18), *range(7)]
    other = [*whole[:change], 99, *whole[change + 1 :]] if changed else whole
    one, two = view(mine, whole), view(theirs, other)
    assert shared_start(one, two) == by_hand(one, two) == (change if changed else len(whole))
    assert is_same(one, two) is not changed


@pytest.mark.parametrize("at_once", [1, 5, 9])
def test_a_label_is_on_each_message_once_and_in_raw_order(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxtui.core.engine.views.MOST_RUNS", 4)
    order = [raw * 37 % 101 for raw in range(101)]
    marked = EMPTY
    for place in range(0, len(order), at_once):
        marked = with_indices(marked, order[place : place + at_once])
        assert list(marked) == sorted(order[: place + at_once])
        assert with_indices(marked, order[:place]) == marked
        for raw in order[:place]:
            assert len(with_indices(marked, [raw])) == len(marked)


def test_masks_are_joined_and_taken_away_position_by_position() -> None:
    one, other = bytes([1, 1, 0, 0, 0]), bytes([1, 0, 0, 1, 0])
    assert either(one, other) == bytes([1, 1, 0, 1, 0])
    assert without(one, other) == bytes([0, 1, 0, 0, 0])
    assert without(other, one) == bytes([0, 0, 0, 1, 0])
