"""Recipes: recorded from a path, run elsewhere, compared with each other."""

from __future__ import annotations

from typing import Any

import pytest

from core import Conversation, Refused
from core.recipes import marks_lost, read_recipe, record_recipe, standing, what_if
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


def test_recipes_are_tried_side_by_side_and_nothing_changes() -> None:
    c = five()
    c.execute({"operation": "MARK", "indices": [0, 4], "label": "keep"})
    before = c.copy()
    recipes: dict[str, list[Any]] = {
        "window": [WINDOW],
        "clear": [{"operation": "CLEAR", "keepSystemMessage": False}],
        "broken": [WINDOW, {"operation": "DELETE", "indices": [0]}],
    }
    window, clear, broken = what_if(c, recipes)
    assert c == before
    assert (window.messages, window.tokens, window.errors, window.marks_lost) == (2, 2, 0, 1)
    assert (window.prefix_messages, window.prefix_tokens) == (0, 0)
    assert (clear.messages, clear.errors, clear.marks_lost) == (0, 1, 2)
    assert not broken.ok
    assert broken.error is not None
    assert broken.error.startswith("step 1: indices 0 is not visible")
    assert broken.messages is None


def test_an_outcome_becomes_a_branch_by_executing_its_recipe() -> None:
    c = five()
    outcome = what_if(c, {"window": [WINDOW]})[0]
    c.execute([WINDOW])
    assert standing(c.moment).messages == outcome.messages
    assert c.batch.number == 1


def test_marks_are_lost_only_where_a_marked_message_goes() -> None:
    c = five()
    c.execute({"operation": "MARK", "indices": [3], "label": "a"})
    assert marks_lost(c, c.preview(WINDOW)) == 0
    assert marks_lost(c, c.preview({"operation": "TRUNCATE", "keepLast": 1})) == 1


def test_the_profile_decides_what_counts_as_an_error() -> None:
    c = five()
    assert standing(c.moment, "generic").errors == 0
    assert standing(c.moment, "gemini").errors == 1
