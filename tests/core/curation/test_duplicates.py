"""Duplicates are found in groups: identical ones, and near ones from a threshold on."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Refused
from ctxtui.core.curation.duplicates import (
    Duplicate,
    Groups,
    compared_text,
    identical,
    jaccard,
    shingles_of,
)
from ctxtui.core.curation.duplicates import near as near_shingles

WORDS = [f"word{number}" for number in range(2_000)]


def near(
    texts: Mapping[str, str], threshold: Any, projections: Mapping[str, str] | None = None
) -> dict[str, Duplicate]:
    """Return the near duplicates of some texts."""
    shingles = {name: shingles_of(one) for name, one in texts.items()}
    return near_shingles(shingles, threshold, projections)


def text(seed: int, length: int = 200) -> list[str]:
    chance = random.Random(seed)
    return [chance.choice(WORDS) for _ in range(length)]


def with_one_changed(words: list[str], place: int = 50) -> str:
    return " ".join([*words[:place], "changed", *words[place + 1 :]])


def test_identical_ones_are_grouped_and_numbered_as_they_come() -> None:
    found = identical(dict(zip("abcdef", "xyxzyx", strict=True)))
    assert found == {
        "a": Duplicate(0, 3, 1.0),
        "c": Duplicate(0, 3, 1.0),
        "f": Duplicate(0, 3, 1.0),
        "b": Duplicate(1, 2, 1.0),
        "e": Duplicate(1, 2, 1.0),
    }


def test_near_ones_are_found_and_others_are_not() -> None:
    words = text(1)
    found = near({"a": " ".join(words), "b": with_one_changed(words), "c": " ".join(text(2))}, 0.9)
    assert set(found) == {"a", "b"}
    assert found["a"] == Duplicate(0, 2, 1.0)
    assert found["b"].similarity == pytest.approx(195 / 201)


def test_the_threshold_is_what_counts() -> None:
    words = text(3)
    texts = {"a": " ".join(words), "b": with_one_changed(words)}
    assert near(texts, 195 / 201) != {}
    assert near(texts, 0.98) == {}
    assert near(texts, 1.0) == {}


def test_capitals_and_signs_make_no_difference_and_order_does() -> None:
    found = near(
        {"a": "One two, three! FOUR", "b": "one two three four", "c": "four three two one"}, 0.9
    )
    assert set(found) == {"a", "b"}


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    long = "".join(chr(0x4E00 + random.Random(n).randrange(3_000)) for n in range(120))
    found = near({"a": long, "b": long[:60] + "的" + long[61:], "c": long[::-1]}, 0.9)
    assert set(found) == {"a", "b"}
    thai = "ราคาสินค้านี้เท่าไหร่คะ" * 3
    assert set(near({"a": thai, "b": thai + "ๆ", "c": "x"}, 0.9)) == {"a", "b"}


def test_groups_are_joined_over_what_lies_between() -> None:
    words = text(4, 100)
    second = with_one_changed(words, 10)
    third = with_one_changed(second.split(), 60)
    found = near({"a": " ".join(words), "b": second, "c": third}, 0.93)
    assert {one.group for one in found.values()} == {0}
    assert found["c"].similarity < 0.93


def test_the_same_projection_is_alike_whatever_is_said() -> None:
    found = near({"a": "", "b": "", "c": ""}, 0.9, {"a": "x", "b": "x", "c": "y"})
    assert found == {"a": Duplicate(0, 2, 1.0), "b": Duplicate(0, 2, 1.0)}


def test_system_prompts_that_many_share_make_nothing_alike() -> None:
    def talk(question: str) -> str:
        prompt = " ".join(text(5, 1_000))
        return compared_text(
            Conversation(
                [{"role": "system", "content": prompt}, {"role": "user", "content": question}]
            )
        )

    assert near({"a": talk("where is my parcel"), "b": talk("how do I pay")}, 0.5) == {}


@pytest.mark.parametrize("value", [0, 0.49, 1.01, -1, "0.9", None, True, float("nan")])
def test_a_threshold_outside_its_range_is_refused(value: Any) -> None:
    with pytest.raises(Refused, match=r"near .* is outside 0.5…1"):
        near({}, value)


def test_every_pair_that_is_near_is_found_among_many() -> None:
    texts: dict[str, str] = {}
    pairs = []
    for number in range(300):
        words = text(number, 80 + number)
        texts[f"a{number}"] = " ".join(words)
        if number % 3 == 0:
            texts[f"b{number}"] = with_one_changed(words, number % 70)
            pairs.append((f"a{number}", f"b{number}"))
    found = near(texts, 0.9)
    assert all(found[a].group == found[b].group for a, b in pairs)
    assert len(found) == 2 * len(pairs)
    assert found == near(texts, 0.9)


def test_many_that_are_just_not_near_enough_do_not_stop_it() -> None:
    base = text(9, 300)
    texts = {}
    for number in range(400):
        chance = random.Random(number)
        words = list(base)
        for _ in range(12):
            words[chance.randrange(len(words))] = chance.choice(WORDS)
        texts[str(number)] = " ".join(words)
    assert near(texts, 0.95) == {}


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=8).map(" ".join), max_size=12))
def test_it_agrees_with_comparing_every_pair(texts: list[str]) -> None:
    named = {str(number): one for number, one in enumerate(texts)}
    shingles = {name: shingles_of(one) for name, one in named.items()}
    groups = Groups(named)
    for a in named:
        for b in named:
            if a < b and jaccard(shingles[a], shingles[b]) >= 0.9:
                groups.join(a, b)
    naive = {name for names in groups.members().values() if len(names) > 1 for name in names}
    assert set(near(named, 0.9)) == naive
