"""The difference between two views, beside its plain definition."""

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Append, Clear, Delete, Insert, Rollback, Select
from ctxtui.core.engine.diff import diff_views
from ctxtui.core.engine.views import View
from tests.core.samples import facts, five, refusal, said

orders = st.lists(st.integers(0, 25), unique=True, max_size=20)


def longest_rise(order: list[int]) -> int:
    """Return the length of the longest rising subsequence."""
    tails: list[int] = []
    for one in order:
        at = bisect_left(tails, one)
        tails[at : at + 1] = [one]
    return len(tails)


@given(orders, orders, st.integers(0, 30))
def test_a_diff_is_what_its_definition_says(a: list[int], b: list[int], size: int) -> None:
    diff = diff_views(View.of(a), View.of(b), size)
    assert list(diff.hidden) == sorted(set(a) - set(b))
    assert list(diff.added) == sorted(raw for raw in set(b) - set(a) if raw >= size)
    assert list(diff.shown) == sorted(raw for raw in set(b) - set(a) if raw < size)

    common = [raw for raw in a if raw in b]
    stayed_a = [raw for raw in common if raw not in diff.moved]
    stayed_b = [raw for raw in b if raw in a and raw not in diff.moved]
    assert stayed_a == stayed_b
    assert set(diff.moved) <= set(common)
    ranks = [a.index(raw) for raw in b if raw in a]
    assert len(diff.moved) == len(common) - longest_rise(ranks)
    assert bool(diff) == (a != b)


@given(orders)
def test_equal_views_do_not_differ(order: list[int]) -> None:
    diff = diff_views(View.of(order), View.of(order), 30)
    assert not diff
    assert str(diff) == "no difference"
    assert diff.to_dict() == {"hidden": [], "added": [], "shown": [], "moved": []}


def test_a_diff_prints_as_runs() -> None:
    diff = diff_views(View.of([0, 1, 2, 3, 4, 6, 7, 8, 9]), View.of([9, 5, 7, 8, 120]), 100)
    assert str(diff) == "hidden 0-4, 6; added 120; shown 5; moved 9"
    assert diff.to_dict() == {
        "hidden": [0, 1, 2, 3, 4, 6],
        "added": [120],
        "shown": [5],
        "moved": [9],
    }


def test_revisions_batches_and_ids_can_be_compared() -> None:
    conversation = five()
    conversation.append("user", "m5")
    conversation.execute(Delete(indices=[1]))
    start, grown, cut = conversation.revisions
    assert str(conversation.diff(0, 1)) == "added 5"
    assert str(conversation.diff(start, cut)) == "hidden 1; added 5"
    assert str(conversation.diff(cut, grown)) == "shown 1"
    assert str(conversation.diff(*conversation.batches)) == "hidden 1"


def test_a_batch_of_the_path_is_compared_as_the_path_left_it() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[1]))
    conversation.rollback(0)
    conversation.append("user", "m5")
    first, second = conversation.batches
    assert str(conversation.diff(first, second)) == "hidden 1, 5"
    conversation.checkout(batch=1)
    assert str(conversation.diff(first, second)) == "hidden 1"


def test_only_a_known_revision_can_be_compared() -> None:
    caught = refusal(lambda: five().diff(0, 1))
    assert str(caught) == "revision 1 is outside 0…0"
    assert facts(caught) == ("revision", 1, "0…0")
    assert refusal(lambda: five().diff(True, 0)).field == "revision"


def test_the_result_of_an_operation_says_what_went_came_and_moved() -> None:
    conversation = five()
    new = said("user", "new")
    assert str(conversation.execute(Append(messages=[new])).diff) == "added 5"
    assert str(conversation.execute(Insert(position=0, messages=[new])).diff) == "added 6"
    assert str(conversation.execute(Select(indices=[3, 6, 1])).diff) == "hidden 0, 2, 4-5; moved 3"
    assert str(conversation.execute(Clear()).diff) == "hidden 1, 3, 6"
    assert str(conversation.execute(Rollback(target_batch_index=0)).diff) == "shown 0-5"
