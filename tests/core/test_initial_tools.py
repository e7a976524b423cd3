"""BATCH_START with initialTools: a new batch that begins with the tools in sight."""

from __future__ import annotations

import pytest

from ctxtui.core import BatchStart, Toggle
from tests.core.samples import Data, five, refused, replayed, said, shown, talk

TOOLS = "Available tools: look"


def test_the_tool_description_is_the_last_visible_message_of_the_new_batch() -> None:
    conversation = five(toolDescription=TOOLS)
    result = conversation.execute(BatchStart(boundary=3, initial_tools=True))
    assert shown(conversation) == [3, 4, 5]
    assert conversation.log[5].to_dict() == said("system", TOOLS)
    assert (result.batch.boundary, list(result.diff.added)) == (3, [5])
    assert conversation.check() == []
    assert replayed(conversation) == conversation


def test_without_a_boundary_nothing_is_hidden() -> None:
    conversation = five(toolDescription=TOOLS)
    conversation.execute(BatchStart(initial_tools=True))
    assert shown(conversation) == [0, 1, 2, 3, 4, 5]
    assert conversation.batch.boundary == 0


def test_a_boundary_at_the_end_of_the_log_leaves_only_the_tools() -> None:
    conversation = five(toolDescription=TOOLS)
    conversation.execute(BatchStart(boundary=5, initial_tools=True))
    assert (shown(conversation), conversation.batch.boundary) == ([5], 5)
    caught = refused(conversation, BatchStart(boundary=7, initial_tools=True))
    assert caught.legal == "5…6"


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        ({}, {"toolDescription": TOOLS}),
        ({"initialTools": False}, {"toolDescription": TOOLS}),
        ({"initialTools": True}, {}),
    ],
    ids=str,
)
def test_nothing_is_added_unless_it_is_asked_for_and_there_is_something(
    given: Data, settings: Data
) -> None:
    conversation = five(**settings)
    conversation.execute({"operation": "BATCH_START", "boundary": 3, **given})
    assert shown(conversation) == [3, 4]


def test_it_is_judged_after_the_hiding_whether_tools_are_in_sight() -> None:
    conversation = talk(said("system", f"  {TOOLS}, run"), said("user", "go"), toolDescription="x")
    conversation.execute(BatchStart(initial_tools=True))
    assert shown(conversation) == [0, 1]
    conversation.execute(BatchStart(boundary=1, initial_tools=True))
    assert [message.text for message in conversation.visible] == ["go", "x"]
    conversation.execute(BatchStart(initial_tools=True))
    assert shown(conversation) == [1, 2]


@pytest.mark.parametrize(
    "ask",
    [
        {"operation": "batch_start", "batch_start": {"boundary": 3, "initialTools": True}},
        {"operation": "batch_start", "boundary": 3, "initial_tools": True},
    ],
)
def test_it_is_understood_in_every_form(ask: Data) -> None:
    conversation = five(toolDescription=TOOLS)
    conversation.execute(ask)
    assert shown(conversation) == [3, 4, 5]


def test_only_true_and_false_are_taken() -> None:
    caught = refused(five(), {"operation": "BATCH_START", "initialTools": 1})
    assert str(caught) == "initialTools 1 is not true or false"


def test_done_again_by_a_toggle_it_uses_its_message_again() -> None:
    conversation = five(toolDescription=TOOLS)
    conversation.append("user", "m5")
    conversation.execute(BatchStart(boundary=3, initial_tools=True))
    conversation.execute(Toggle(skip=[1]))
    assert (shown(conversation), len(conversation.log)) == ([3, 4, 6], 7)
    assert conversation.batch.boundary == 3
    assert conversation.check() == []
    assert replayed(conversation) == conversation
