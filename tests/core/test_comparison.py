"""Two revisions side by side: aligned rows and the prefix a prompt cache keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from tests.core.samples import five


def test_rows_are_aligned_at_what_stayed_in_order() -> None:
    c = five()
    c.execute({"operation": "DELETE", "indices": [1]})
    c.execute(
        {"operation": "INSERT", "position": 0, "messages": [{"role": "user", "content": "x"}]}
    )
    rows = c.compare(c.path[0], c.path[2]).rows
    assert [(r.kind, r.left and r.left.raw, r.right and r.right.raw) for r in rows] == [
        ("added", None, 5),
        ("same", 0, 0),
        ("hidden", 1, None),
        ("same", 2, 2),
        ("same", 3, 3),
        ("same", 4, 4),
    ]


def test_a_moved_message_stands_once_on_each_side() -> None:
    c = five()
    c.execute({"operation": "SELECT", "indices": [4, 0, 1, 2, 3]})
    rows = c.compare(c.path[0], c.path[1]).rows
    assert [(r.kind, r.left and r.left.raw, r.right and r.right.raw) for r in rows] == [
        ("moved", None, 4),
        *[("same", raw, raw) for raw in range(4)],
        ("moved", 4, None),
    ]


@given(st.permutations(range(8)), st.integers(0, 8), st.integers(0, 8))
def test_each_side_is_whole_and_in_order(order: list[int], a: int, b: int) -> None:
    c = Conversation([{"role": "user", "content": f"m{i}"} for i in range(8)])
    c.execute({"operation": "TRUNCATE", "keepFirst": a})
    first = c.current
    c.rollback(0)
    if b:
        c.execute({"operation": "SELECT", "indices": order[:b]})
    found = c.compare(first, c.current)
    assert [r.left.raw for r in found.rows if r.left] == list(first.view)
    assert [r.right.raw for r in found.rows if r.right] == list(c.view)
    assert all(r.left.raw == r.right.raw for r in found.rows if r.left and r.right)


def test_the_prefix_ends_at_the_first_difference() -> None:
    c = five()
    c.execute({"operation": "REPLACE", "index": 2, "message": {"role": "user", "content": "other"}})
    found = c.compare(c.path[0], c.path[1])
    assert found.prefix == (2, 2)
    assert found.tokens == (5, 6)
    assert found.resent == 4


def test_a_copy_that_says_the_same_does_not_break_the_prefix() -> None:
    c = five()
    copy = {**c.log[2].to_dict(), "metadata": {"copiedFrom": 2}}
    c.execute({"operation": "REPLACE", "index": 2, "message": copy})
    assert c.compare(0, 1).prefix.messages == 5


def test_equal_revisions_have_everything_in_common() -> None:
    c = five()
    found = c.compare(0, 0)
    assert found.prefix == (5, 5)
    assert found.resent == 0
    assert {row.kind for row in found.rows} == {"same"}


def test_abandoned_batches_can_be_compared_and_unknown_ones_are_refused() -> None:
    c = five()
    c.execute({"operation": "TRUNCATE", "keepLast": 1})
    c.rollback(0)
    assert c.compare(c.batches[1], c.batches[0]).to_dict()["shown"] == [0, 1, 2, 3]
    with pytest.raises(Refused, match="revision 7 is outside 0…1"):
        c.compare(0, 7)
