"""What UNDO and REDO reach, what leaves them alone, and usage, which they never touch."""

from typing import Any

import pytest

from ctxtui.core import Clear, Configure, Delete, Mark, Redo
from tests.core.samples import facts, five, numbered, refusal, refused, replayed, shown, talk


def test_usage_is_summed_up_for_life() -> None:
    conversation = five()
    conversation.record_usage(100, 20, request="r1")
    conversation.execute(Clear())
    conversation.record_usage(50, 5, total=60)
    conversation.rollback(0)
    conversation.undo()
    conversation.undo()
    assert conversation.usage.to_dict() == {
        "requests": [
            {"operation": "USAGE", "prompt": 100, "completion": 20, "request": "r1"},
            {"operation": "USAGE", "prompt": 50, "completion": 5, "total": 60},
        ],
        "prompt": 150,
        "completion": 25,
        "total": 180,
    }
    assert replayed(conversation) == conversation
    assert replayed(conversation).usage == conversation.usage


def test_recording_usage_is_no_undo_step_and_does_not_end_redo() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.undo()
    conversation.record_usage(1)
    conversation.redo()
    assert shown(conversation) == [1, 2, 3, 4]
    conversation.record_usage(1)
    conversation.undo()
    assert shown(conversation) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("prompt", [-1, True, 2.0, "5", None])
def test_bad_usage_is_refused_and_not_kept(prompt: Any) -> None:
    conversation = five()
    before = conversation.copy()
    caught = refusal(lambda: conversation.record_usage(prompt))
    assert facts(caught)[:2] == ("prompt", prompt)
    assert conversation == before


@pytest.mark.parametrize(
    "ask",
    [
        {"operation": "MARK", "indices": [1], "label": "pin"},
        {"operation": "DELETE", "select": {"roles": ["tool"]}},
        {"operation": "ROLLBACK", "targetBatchIndex": 0},
        [{"operation": "MARK", "indices": [1], "label": "pin"}],
        [
            {"operation": "MARK", "indices": [2], "label": "pin"},
            {"operation": "UNMARK", "indices": [2], "label": "pin"},
        ],
    ],
    ids=["mark", "empty choice", "rollback to here", "list", "list that takes itself back"],
)
def test_what_changes_nothing_is_not_journaled_and_leaves_redo_alone(ask: Any) -> None:
    conversation = talk(*numbered(3))
    conversation.execute(Mark(indices=[1], label="pin"))
    conversation.execute(Delete(indices=[0]))
    conversation.undo()
    before = conversation.copy()
    conversation.execute(ask)
    assert conversation == before
    conversation.redo()
    assert shown(conversation) == [1, 2]


def test_a_list_that_makes_revisions_is_journaled_wherever_it_ends() -> None:
    conversation = five()
    conversation.execute([Clear(), {"operation": "ROLLBACK", "targetBatchIndex": 0}])
    assert len(conversation.journal) == 2
    assert shown(conversation) == [0, 1, 2, 3, 4]
    assert len(conversation.batches) == 2
    conversation.undo()
    assert replayed(conversation) == conversation


def test_one_undo_takes_back_a_whole_list_settings_and_names_too() -> None:
    conversation = five()
    before = conversation.copy()
    conversation.execute(
        [
            Delete(indices=[0]),
            Mark(indices=[1], label="pin"),
            Configure(profile="openai"),
            {"operation": "DESCRIBE", "batch": 1, "text": "named"},
        ]
    )
    after = conversation.copy()
    conversation.undo()
    assert conversation.view == before.view
    assert (conversation.marks, conversation.settings) == ({}, before.settings)
    assert conversation.batches[1].description == "DELETE indices 0"
    conversation.redo()
    assert (conversation.view, conversation.marks) == (after.view, after.marks)
    assert (conversation.settings, conversation.batch) == (after.settings, after.batch)


def test_a_new_change_ends_what_redo_can_reach() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    conversation.undo()
    conversation.execute(Mark(indices=[0], label="x"))
    refused(conversation, Redo())
    refused(replayed(conversation), Redo())


def test_what_can_be_undone_and_redone_survives_the_journal() -> None:
    conversation = five()
    for raw in (0, 1, 2):
        conversation.execute(Delete(indices=[raw]))
    conversation.undo()
    conversation.undo()
    again = replayed(conversation)
    for one in (conversation, again):
        one.redo()
        one.redo()
        assert shown(one) == [3, 4]
        one.undo()
        one.undo()
        one.undo()
        assert shown(one) == [0, 1, 2, 3, 4]
