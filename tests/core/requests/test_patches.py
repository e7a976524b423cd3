"""Patches: small, and exact both ways."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.values.frozen import same_json
from ctxtui.core.values.patches import is_patch, patch_between, patched
from tests.profiles import examples

LONG = "a long text " * 100
SCALARS = st.none() | st.booleans() | st.sampled_from([0, 1, 1.0, 2.5]) | st.sampled_from("ab")
KEYS = st.sampled_from(["text", "type", "content", "at"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, VALUES)
@examples(5)
def test_a_patch_leads_from_one_value_to_the_other(before: Any, after: Any) -> None:
    patch = patch_between(before, after)
    made = patched(before, json.loads(json.dumps(patch)))
    assert same_json(in_order(made), in_order(after))
    assert bool(patch) == (not same_json(in_order(before), in_order(after)))


def in_order(value: Any) -> Any:
    """Return a value in which the order of keys counts."""
    if isinstance(value, dict):
        return ["object", *([key, in_order(one)] for key, one in value.items())]
    return [in_order(one) for one in value] if isinstance(value, list) else value


@given(VALUES, VALUES, VALUES)
@examples(2)
def test_a_patch_for_something_else_breaks_nothing(one: Any, other: Any, third: Any) -> None:
    patched(third, patch_between(one, other))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"content": LONG}, {"content": [{"type": "text", "text": LONG}]}),
        ({"content": [{"type": "text", "text": LONG}]}, {"content": LONG}),
        ({"content": LONG}, {"content": LONG, "refusal": None}),
        ([LONG, {"cache_control": {"type": "ephemeral"}}], [LONG, {}]),
        ([LONG, LONG, 1, 2], [LONG, LONG, 1, 3, 2]),
    ],
)
def test_what_stayed_is_not_in_the_patch(before: Any, after: Any) -> None:
    patch = patch_between(before, after)
    assert patched(before, patch) == after
    assert len(json.dumps(patch)) < 100


def test_numbers_of_different_kinds_are_not_the_same() -> None:
    assert not same_json({"a": 1}, {"a": True})
    assert not same_json([1], [1.0])
    assert same_json({"a": [1, None]}, {"a": [1, None]})


def test_keys_in_another_order_cost_their_names() -> None:
    before, after = {"a": LONG, "b": {"c": 1, "d": LONG}}, {"b": {"d": LONG, "c": 1}, "a": LONG}
    patch = patch_between(before, after)
    assert json.dumps(patched(before, patch)) == json.dumps(after)
    assert len(json.dumps(patch)) < 100
    assert patched([1], [{"at": [], "order": ["a"]}]) == [1]
    assert not is_patch([{"at": [], "order": [1]}])
