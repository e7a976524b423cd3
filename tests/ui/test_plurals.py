"""Numbers with their nouns, and indices with their runs, as every screen and command says them."""

from __future__ import annotations

import pytest

from ctxtui.text.numbers import run_text, shown_indices
from ctxtui.text.plurals import plural


@pytest.mark.parametrize(
    ("count", "told"),
    [(0, "0 errors"), (1, "1 error"), (2, "2 errors"), (1_200, "1,200 errors")],
)
def test_a_noun_has_an_s_unless_there_is_one(count: int, told: str) -> None:
    assert plural(count, "error") == told


def test_a_plural_of_another_shape_is_given() -> None:
    assert plural(1, "batch", "batches") == "1 batch"
    assert plural(2, "batch", "batches") == "2 batches"
    assert plural(1_000, "message was", "messages were") == "1,000 messages were"


def test_a_run_is_told_by_its_ends() -> None:
    assert (run_text(7, 7), run_text(5, 9)) == ("7", "5–9")


@pytest.mark.parametrize(
    ("indices", "told"),
    [
        ([], ""),
        ([0, 1, 2, 3, 4, 7], "0–4, 7"),
        ([3, 2, 1], "3, 2, 1"),
        ([8, 9, 0, 1], "8–9, 0–1"),
    ],
)
def test_indices_that_follow_each_other_are_one_run(indices: list[int], told: str) -> None:
    assert shown_indices(indices) == told
