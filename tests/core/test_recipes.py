"""Recipes: recorded from a path, run elsewhere, compared with each other."""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.recipes import read_recipe, record_recipe
from tests.core.samples import five

WINDOW = {"operation": "TRUNCATE", "keepLast": 2}
ADD = {"operation": "APPEND", "messages": [{"role": "user", "content": "more"}]}


def test_a_recipe_is_recorded_from_a_stretch_of_the_path_and_runs_elsewhere() -> None:
    c = five()
    for operation in (WINDOW, ADD, {"operation": "CLEAR"}):
        c.execute(operation)
    recipe = record_recipe(c, 1, 2)
    assert [operation.to_dict() for operation in recipe] == [WINDOW, ADD]
    other = Conversation([{"role": "user", "content": str(i)} for i in range(9)])
    other.execute(list(recipe))
    assert other.view == [7, 8, 9]


def test_recording_passes_over_abandoned_branches() -> None:
    c = five()
    c.execute(WINDOW)
    c.rollback(0)
    c.execute(ADD)
    assert [operation.title for operation in record_recipe(c, 0, 2)] == ["APPEND"]
    for first, last in ((1, 2), (2, 0), (0, 9), (-1, 0), (0, 0)):
        with pytest.raises(Refused):
            record_recipe(c, first, last)


def test_what_can_not_be_read_is_refused_with_its_step() -> None:
    with pytest.raises(Refused, match="step 1: 'EXPLODE' is not an operation"):
        read_recipe([WINDOW, {"operation": "EXPLODE"}])
    unreadable: list[object] = [{}, "text", []]
    for data in unreadable:
        with pytest.raises(Refused):
            read_recipe(data)
