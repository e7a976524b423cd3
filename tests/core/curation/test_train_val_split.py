"""A split takes whole groups, by a seed and by what is in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Refused
from ctxtui.core.curation.dataset import train_val_split

sizes = st.lists(st.integers(1, 6), min_size=1, max_size=40).filter(lambda some: sum(some) > 1)


def named(some: list[int]) -> list[list[str]]:
    return [[f"{group}-{one}" for one in range(size)] for group, size in enumerate(some)]


@given(sizes, st.floats(0.01, 0.99), st.integers(-5, 5))
def test_groups_are_never_parted_and_nothing_is_lost(
    some: list[int], ratio: float, seed: int
) -> None:
    groups = named(some)
    keys = {name: name for names in groups for name in names}
    chosen = train_val_split(groups, keys, ratio, seed)
    assert set(chosen) == set(keys)
    assert all(len({chosen[name] for name in names}) == 1 for names in groups)
    validation = sum(portion == "validation" for portion in chosen.values())
    assert validation <= max(1, round((1 - ratio) * len(keys)))
    assert validation < len(keys)


@given(sizes, st.integers(0, 3), st.randoms())
def test_the_order_they_come_in_makes_no_difference(
    some: list[int], seed: int, chance: Any
) -> None:
    groups = named(some)
    keys = {name: name for names in groups for name in names}
    chosen = train_val_split(groups, keys, 0.8, seed)
    chance.shuffle(groups)
    assert train_val_split(groups, keys, 0.8, seed) == chosen


def test_single_records_are_split_by_the_very_ratio() -> None:
    groups = named([1] * 200)
    keys = {name: name for names in groups for name in names}
    one, other = (train_val_split(groups, keys, 0.9, seed) for seed in (1, 2))
    assert list(one.values()).count("validation") == 20
    assert one != other
    assert train_val_split(groups, keys, 0.9, 1) == one


def test_a_few_more_records_move_only_a_few() -> None:
    groups = named([1] * 200)
    keys = {name: name for names in groups for name in names}
    before = train_val_split(groups[:195], keys, 0.9, 1)
    after = train_val_split(groups, keys, 0.9, 1)
    assert sum(before[name] != after[name] for name in before) <= 5


@pytest.mark.parametrize("ratio", [0, 1, -0.5, 2, True, "0.9", float("nan")])
def test_a_ratio_that_is_none_is_refused(ratio: Any) -> None:
    with pytest.raises(Refused, match="is not between 0 and 1"):
        train_val_split([["a"], ["b"]], {"a": "a", "b": "b"}, ratio, 0)
