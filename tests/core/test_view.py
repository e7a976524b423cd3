"""The view, method by method, beside a plain list; chunks are tiny, so that every edge is hit."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.engine.views import (
    EMPTY,
    Chunk,
    View,
    indices_of,
    overlaps,
    runs_of,
    size_of,
    spans_of,
    subtract,
)

LIMIT = 4
SIZE = 60


@pytest.fixture(autouse=True, scope="module")
def tiny_chunks() -> Iterator[None]:
    """Let a chunk hold four runs instead of hundreds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ctxtui.core.engine.views.MOST_RUNS", LIMIT)
        patch.setattr("ctxtui.core.engine.views.MOST_RUNS", LIMIT)
        yield


@st.composite
def orders(draw: st.DrawFn) -> list[int]:
    """Return distinct indices below SIZE: stretches of consecutive ones in any order."""
    cuts, kept = draw(st.integers(0, 2**SIZE)), draw(st.integers(0, 2**SIZE))
    edges = [0, *(raw for raw in range(1, SIZE) if cuts >> raw & 1), SIZE]
    some = [stretch for i, stretch in enumerate(pairwise(edges)) if kept >> i & 1]
    if draw(st.booleans()):
        draw(st.randoms(use_true_random=False)).shuffle(some)
    return [raw for start, stop in some for raw in range(start, stop)]


@st.composite
def stretches(draw: st.DrawFn) -> tuple[list[int], int, int]:
    """Return indices and two positions among them, in order."""
    indices = draw(orders())
    lo, hi = sorted((draw(st.integers(0, len(indices))), draw(st.integers(0, len(indices)))))
    return indices, lo, hi


@st.composite
def edited(draw: st.DrawFn) -> tuple[View, list[int]]:
    """Return a view with a life behind it, and the list that went through the same."""
    plain = draw(orders())
    view = View.of(plain)
    fresh = SIZE
    for _ in range(draw(st.integers(0, 12))):
        lo, hi = sorted((draw(st.integers(0, len(plain))), draw(st.integers(0, len(plain)))))
        if draw(st.booleans()):
            hi = min(hi, lo + 1)
        if draw(st.booleans()):
            view, plain = view.splice(lo, hi, ((fresh, 2),)), [*plain]
            plain[lo:hi] = [fresh, fresh + 1]
            fresh += draw(st.integers(2, 3))
        else:
            view, plain = view.splice(lo, hi), plain[:lo] + plain[hi:]
    return view, plain


def sound(view: View) -> bool:
    """Tell whether every chunk keeps its promises."""
    return all(
        0 < len(chunk.starts) <= LIMIT
        and chunk.size == sum(chunk.lengths)
        and chunk.low == min(chunk.starts)
        and all(start + length - 1 <= chunk.high for start, length in chunk.runs())
        for chunk in view.chunks
    )


@given(edited())
def test_reading_a_view_is_reading_a_list(pair: tuple[View, list[int]]) -> None:
    view, plain = pair
    assert sound(view)
    assert list(view) == plain
    assert list(reversed(view)) == plain[::-1]
    assert len(view) == len(plain)
    assert [view[i] for i in range(-len(plain), len(plain))] == plain + plain
    assert view == plain
    assert view != tuple(plain)  # A tuple has a hash of its own.
    assert view != [*plain, 999]
    assert not plain or view != [*plain[:-1], 999]
    assert view.low == min(plain, default=None)
    assert view.run_count == len(list(view.runs()))
    assert list(view.runs(backwards=True)) == list(view.runs())[::-1]
    assert list(view.joined()) == list(runs_of(plain))


@given(edited())
def test_membership_and_position_are_those_of_a_list(pair: tuple[View, list[int]]) -> None:
    view, plain = pair
    for raw in range(-2, SIZE + 30):
        assert (raw in view) == (raw in plain)
        assert view.position(raw) == (plain.index(raw) if raw in plain else None)


@given(edited(), st.slices(SIZE))
def test_slices_are_those_of_a_list(pair: tuple[View, list[int]], key: slice) -> None:
    view, plain = pair
    assert list(view[key]) == plain[key]
    assert sound(view[key])


@given(edited())
def test_every_stretch_is_that_of_a_list(pair: tuple[View, list[int]]) -> None:
    view, plain = pair
    for lo in range(0, len(plain) + 1, 3):
        for hi in range(lo, len(plain) + 1, 4):
            assert list(view[lo:hi]) == plain[lo:hi]
            assert len(view[lo:hi]) == hi - lo
            assert sound(view[lo:hi])


@given(edited())
def test_equal_views_are_equal_however_they_came_to_be(pair: tuple[View, list[int]]) -> None:
    view, plain = pair
    twin = View.of(plain)
    assert view == twin
    assert hash(view) == hash(twin)
    assert (view == View.of(plain[::-1])) == (plain == plain[::-1])


@given(stretches(), st.lists(st.integers(1, 3), max_size=12))
def test_splicing_is_assigning_to_a_slice(
    case: tuple[list[int], int, int], lengths: list[int]
) -> None:
    plain, lo, hi = case
    runs = [(100 + 10 * i, length) for i, length in enumerate(lengths)]
    view = View.of(plain)
    known = View.of(plain)
    # A view that knows its length and its lowest index passes the knowledge on.
    assert len(known) == len(plain)
    assert known.low == min(plain, default=None)
    plain[lo:hi] = [raw for start, length in runs for raw in range(start, start + length)]
    for spliced in (view.splice(lo, hi, runs), known.splice(lo, hi, runs)):
        assert list(spliced) == plain
        assert len(spliced) == len(plain)
        assert spliced.low == min(plain, default=None)
        assert sound(spliced)


@given(edited(), st.integers(1, 5))
def test_extending_is_adding_at_the_end(pair: tuple[View, list[int]], count: int) -> None:
    view, plain = pair
    after = max(plain, default=-1) + 1
    for start in {after, after + 7, plain[-1] + 1 if plain else 0} - set(plain):
        if set(range(start, start + count)).isdisjoint(plain):
            grown = view.extended(((start, count),))
            assert list(grown) == [*plain, *range(start, start + count)]
            assert len(grown) == len(plain) + count
            assert sound(grown)
    twice = view.extended(((after + 3, count), (after + 3 + count, 2)))
    assert list(twice) == [*plain, *range(after + 3, after + 5 + count)]
    assert sound(twice)


@given(edited(), st.sets(st.integers(0, SIZE + 20), min_size=1))
def test_cutting_is_leaving_out(pair: tuple[View, list[int]], gone: set[int]) -> None:
    view, plain = pair
    rest, first, removed = view.cut(spans_of(runs_of(sorted(gone))))
    hits = [position for position, raw in enumerate(plain) if raw in gone]
    assert list(rest) == [raw for raw in plain if raw not in gone]
    assert first == (hits[0] if hits else -1)
    assert removed == len(hits)
    assert sound(rest)
    assert (rest is view) == (not hits)


@given(edited(), st.data())
def test_a_mask_keeps_what_it_covers(pair: tuple[View, list[int]], data: st.DataObject) -> None:
    view, plain = pair
    mask = data.draw(st.binary(min_size=len(plain), max_size=len(plain)))
    mask = bytes(code % 3 for code in mask)
    kept = view.where(mask)
    assert list(kept) == [raw for raw, keep in zip(plain, mask, strict=True) if keep]
    assert sound(kept)


@given(edited(), st.sets(st.integers(0, SIZE + 20)))
def test_substitution_changes_each_in_its_place(
    pair: tuple[View, list[int]], olds: set[int]
) -> None:
    view, plain = pair
    news = {old: 200 + i for i, old in enumerate(sorted(olds))}
    swapped = view.substitute(news)
    assert list(swapped) == [news.get(raw, raw) for raw in plain]
    assert sound(swapped)


@given(edited())
def test_a_column_is_read_in_visible_order(pair: tuple[View, list[int]]) -> None:
    view, plain = pair
    column = bytes(range(SIZE + 40))
    assert view.column(lambda start, stop: column[start:stop]) == bytes(plain)


@given(edited())
def test_an_edit_leaves_the_view_it_started_from_alone(pair: tuple[View, list[int]]) -> None:
    view, plain = pair
    view.splice(0, len(plain) // 2, ((300, 2),))
    view.extended(((max(plain, default=0) + 1, 2),))
    view.cut([(0, SIZE)])
    view.substitute(dict.fromkeys(plain[:1], 300))
    assert list(view) == plain


def test_a_view_shares_the_chunks_an_edit_does_not_touch() -> None:
    view = View.of(range(0, 80, 2))
    edited = view.splice(20, 21)
    shared = set(map(id, view.chunks)) & set(map(id, edited.chunks))
    assert len(view.chunks) == 10
    assert len(shared) == 9


def test_cutting_any_one_or_two_indices_is_leaving_them_out() -> None:
    plain = [0, 2, 3, 9, 8, 5, 11, 14, 13, 6, 17, 19, 20, 21]
    view = View.of(plain)
    assert len(view.chunks) > 2
    for gone in combinations_with_replacement(range(23), 2):
        rest, first, removed = view.cut(spans_of(runs_of(sorted(set(gone)))))
        hits = [at for at, raw in enumerate(plain) if raw in gone]
        assert list(rest) == [raw for raw in plain if raw not in gone]
        assert (first, removed) == (hits[0] if hits else -1, len(hits))


def test_a_cut_shares_the_chunks_of_which_nothing_goes() -> None:
    view = View.of(range(0, 80, 2))
    rest = view.cut([(1, 2), (78, 79)])[0]
    assert all(one is two for one, two in zip(view.chunks[:-1], rest.chunks[:-1], strict=True))


def test_small_chunks_that_deletions_leave_behind_are_joined() -> None:
    view = View.of(range(0, 80, 2))
    for _ in range(6):
        view = view.splice(1, 2)
    assert len(view.chunks) == 9
    assert list(view) == [0, *range(14, 80, 2)]
    assert sound(view)


@pytest.mark.parametrize("position", [3, -4, 99])
def test_a_position_outside_the_view_is_an_index_error(position: int) -> None:
    with pytest.raises(IndexError, match=f"position {position} is outside 0…2"):
        View.of([5, 6, 9])[position]


def test_a_view_is_shown_as_runs() -> None:
    view = View.of([0, 1, 2, 3, 4, 7, 9, 8])
    assert str(view) == "0-4, 7, 9, 8"
    assert repr(view) == "View(0-4, 7, 9, 8)"
    assert str(EMPTY) == ""


def test_only_a_run_that_goes_on_makes_the_last_one_longer_and_others_come_behind_it() -> None:
    assert list(View.of([3, 4]).extended(((5, 2), (9, 1)))) == [3, 4, 5, 6, 9]
    assert list(View.of([3, 4]).extended(())) == [3, 4]
    assert list(View.of([5]).extended(((4, 1),))) == [5, 4]


def test_a_view_is_not_a_set_and_holds_only_whole_numbers() -> None:
    view = View.of([1, 2])
    text: object = "1"
    assert text not in view
    assert view != {1, 2}
    assert view[:] is view


def test_raw_indices_may_be_beyond_two_thousand_million() -> None:
    far = 2**31 + 5
    view = View.of_runs([(far, 2), (0, far)])
    assert [view[0], view[1], view[2], view[-1]] == [far, far + 1, 0, far - 1]
    assert view.position(far - 1) == far + 1


def test_a_chunk_whose_size_is_wrong_is_caught() -> None:
    good = View.of([1, 5]).chunks[0]
    with pytest.raises(AssertionError, match=r"^a chunk's size is the sum of its runs$"):
        Chunk(good.starts, good.lengths, 9, good.high).find(5)


indices = st.sets(st.integers(0, 30))


@given(indices, indices, st.integers(0, 30), st.integers(0, 30))
def test_spans_behave_like_sets(one: set[int], other: set[int], start: int, stop: int) -> None:
    mine, theirs = spans_of(runs_of(sorted(one))), spans_of(runs_of(sorted(other)))

    def members(spans: list[tuple[int, int]]) -> list[int]:
        return [raw for begin, end in spans for raw in range(begin, end)]

    assert members(mine) == sorted(one) == indices_of(runs_of(sorted(one)))
    assert size_of(mine) == len(one)
    assert members(subtract(mine, theirs)) == sorted(one - other)
    assert members(list(overlaps(mine, start, stop))) == sorted(one & set(range(start, stop)))


def test_what_is_equal_to_a_view_has_its_hash() -> None:
    view, again = View.of([4, 5, 2]), View.of_runs([(4, 2), (2, 1)])
    assert view == again == [4, 5, 2]
    assert hash(view) == hash(again)
    assert len({view, again, View.of([4, 5])}) == 2
    assert view != (4, 5, 2)
    assert {(4, 5, 2): "tuple", view: "view"}[4, 5, 2] == "tuple"
    assert View.of(range(3)) != range(3)
