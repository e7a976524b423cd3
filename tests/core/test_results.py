"""Results: what an operation did, or would do, and what of it is computed later."""

import json
from typing import Any

import pytest

from ctxtui.core import Append, Clear, Conversation, Delete, Describe, Mark, Rollback, Undo
from tests.core.samples import call, five, numbered, said, shown, texts

NEW = said("user", "new")


def test_a_result_says_where_the_operation_led() -> None:
    conversation = five()
    result = conversation.execute(Delete(indices=[0, 1]))
    assert result.to_dict() == {
        "operation": {"operation": "DELETE", "indices": [0, 1]},
        "changed": True,
        "batch": {"id": 1, "number": 1, "parent": 0, "boundary": 2},
        "affectedBatchIndex": 1,
        "createdBatch": True,
        "revision": 1,
        "stats": {
            "totalMessages": 5,
            "currentBatchMessages": 3,
            "totalBatches": 2,
            "currentBatchIndex": 1,
        },
        "diff": {"hidden": [0, 1], "added": [], "shown": [], "moved": []},
        "tokens": {"before": 5, "after": 3, "counter": "bytes/4"},
        "notices": [],
    }
    assert result.revision == conversation.current
    assert result.batch == conversation.batch
    assert result.affected_batch_index == 1


def test_a_result_can_be_written_as_json_and_shown() -> None:
    conversation = five(tokenLimit=1)
    result = conversation.execute([Append(messages=[call("a")]), Clear()])
    assert json.loads(json.dumps(result.to_dict())) == result.to_dict()
    assert repr(result) == "Result(APPEND, CLEAR: batch 1, hidden 1-4)"
    assert repr(result.steps[0]) == "Result(APPEND: batch 0, added 5)"


def test_a_result_stays_as_it_was_when_the_conversation_goes_on() -> None:
    conversation = five()
    result = conversation.execute(Append(messages=[NEW]))
    conversation.execute(Delete(indices=[5]))
    conversation.execute(Describe(batch=0, text="later"))
    conversation.append("user", "m6")
    assert str(result.diff) == "added 5"
    assert texts(result.state.messages) == ["m0", "m1", "m2", "m3", "m4", "new"]
    assert result.state.total_message_count == 6
    assert result.batch.description == "START"
    assert result.tokens.after == 6
    assert result.stats.to_dict()["currentBatchMessages"] == 6


def test_a_preview_gives_the_result_and_changes_nothing() -> None:
    conversation = Conversation(numbered(5), clock=lambda: 7)
    before = conversation.copy()
    ask = [Append(messages=[NEW]), Delete(indices=[0]), Mark(indices=[1], label="x")]
    preview = conversation.preview(ask)
    assert conversation == before
    result = conversation.execute(ask)
    assert preview.to_dict() == result.to_dict()
    assert preview.state == result.state
    assert preview.revision.view == result.revision.view


def test_a_preview_can_be_read_after_the_conversation_has_gone_another_way() -> None:
    conversation = five()
    preview = conversation.preview([Append(messages=[NEW]), Delete(indices=[0])])
    conversation.execute(Append(messages=numbered(2)))
    assert texts(preview.state.messages) == ["m0", "m1", "m2", "m3", "m4", "new"]
    assert [snapshot.message_count for snapshot in preview.state.batch_snapshots] == [6, 5]
    assert str(preview.diff) == "hidden 0; added 5"
    assert preview.stats.total_messages == 6
    assert preview.tokens.after == 5


def test_a_list_has_one_result_and_one_for_each_step() -> None:
    conversation = five()
    result = conversation.execute(
        [Append(messages=[NEW]), Delete(indices=[0]), Rollback(target_batch_index=0)]
    )
    assert [step.created_batch for step in result.steps] == [False, True, False]
    assert [step.revision.id for step in result.steps] == [1, 2, 1]
    assert [str(step.diff) for step in result.steps] == ["added 5", "hidden 0", "shown 0"]
    assert [step.stats.total_messages for step in result.steps] == [6, 6, 6]
    assert [(s.tokens.before, s.tokens.after) for s in result.steps] == [(5, 6), (6, 5), (5, 6)]
    assert str(result.diff) == "added 5"
    assert result.created_batch
    assert isinstance(result.operation, tuple)
    assert len(result.operation) == len(result.to_dict()["steps"]) == 3


def test_a_step_shows_the_state_right_after_it() -> None:
    conversation = five()
    result = conversation.execute([Delete(indices=[0]), Append(messages=[NEW]), Clear()])
    counts = [
        [snapshot.message_count for snapshot in step.state.batch_snapshots] for step in result.steps
    ]
    assert counts == [[5, 4], [5, 5], [5, 5, 0]]
    assert [step.state.total_message_count for step in result.steps] == [5, 6, 6]
    assert [len(step.state.messages) for step in result.steps] == [5, 6, 6]
    assert [step.state.current_batch_index for step in result.steps] == [1, 1, 2]


@pytest.mark.parametrize(
    ("ask", "created"),
    [
        (Append(messages=[NEW]), False),
        (Clear(), True),
        (Rollback(target_batch_index=0), False),
        (Undo(), False),
        (Mark(indices=[0], label="x"), False),
        (Delete(select={"roles": ["tool"]}), False),
        ([Mark(indices=[0], label="x"), Append(messages=[NEW])], False),
        ([Clear(), Rollback(target_batch_index=0)], True),
    ],
    ids=["append", "clear", "rollback", "undo", "mark", "nothing", "list", "list with batch"],
)
def test_a_result_says_whether_a_batch_was_opened(ask: object, created: bool) -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    result = conversation.execute(ask)  # type: ignore[arg-type]
    assert result.created_batch is created


def test_an_operation_that_leaves_the_view_as_it_is_still_opens_its_batch() -> None:
    conversation = five()
    for ask in (
        {"operation": "TRUNCATE", "removeLast": 0},
        {"operation": "FILTER", "contentContains": ["m"]},
        {"operation": "SELECT", "indices": [0, 1, 2, 3, 4]},
        {"operation": "BATCH_START"},
    ):
        assert conversation.execute(ask).created_batch
    assert conversation.batch.number == 4
    assert shown(conversation) == [0, 1, 2, 3, 4]


def test_the_source_shapes_are_made_on_demand() -> None:
    conversation = five()
    conversation.execute({"operation": "SELECT", "indices": [4, 3, 0]})
    assert conversation.mark_map().to_dict() == {
        "originalIndices": [4, 3, 0],
        "typeIndices": {"system": [0], "user": [3], "assistant": [4], "tool": []},
        "batchBoundaries": [0, 0],
        "boundaryToBatch": [0, 1],
        "currentBatch": 1,
    }
    assert conversation.stats().to_dict() == {
        "totalMessages": 5,
        "currentBatchMessages": 3,
        "totalBatches": 2,
        "currentBatchIndex": 1,
    }
    state = conversation.state().to_dict()
    assert len(state["messages"]) == state["totalMessageCount"] == 5
    assert state["currentBatchIndex"] == 1
    assert [snapshot["messageCount"] for snapshot in state["batchSnapshots"]] == [5, 3]
    assert state["batchSnapshots"][1] == {
        "batchIndex": 1,
        "timestamp": conversation.batch.time,
        "messages": [message.to_dict() for message in conversation.visible],
        "messageCount": 3,
        "description": "SELECT indices 4, 3, 0",
    }


def test_figures_and_shapes_are_ready_for_json() -> None:
    conversation = five(tokenLimit=1)
    conversation.record_usage(5, request="r")
    result = conversation.execute({"operation": "SELECT", "indices": [4, 3, 0]})
    snapshot = conversation.snapshot(1)
    assert snapshot is not None
    values: list[Any] = [
        conversation.mark_map(),
        conversation.state(),
        conversation.stats(),
        conversation.tokens,
        conversation.usage,
        snapshot,
        result.diff,
        result.tokens,
    ]
    for value in values:
        assert json.loads(json.dumps(value.to_dict())) == value.to_dict()


def test_what_is_visible_reads_like_a_list_of_messages() -> None:
    conversation = five()
    conversation.execute({"operation": "SELECT", "indices": [4, 3, 0]})
    visible = conversation.visible
    assert len(visible) == 3
    assert texts(visible) == ["m4", "m3", "m0"]
    assert texts(visible[1:]) == ["m3", "m0"]
    assert visible[-1] is conversation.log[0]
    assert visible == conversation.messages([4, 3, 0])
    assert visible != conversation.messages([4, 3])
    assert visible != {4, 3, 0}


def test_the_lists_of_a_conversation_read_like_lists_and_can_not_be_changed() -> None:
    conversation = five()
    conversation.execute(Clear())
    assert conversation.revisions == list(conversation.revisions)
    assert conversation.batches[:1] == [conversation.path[0]]
    assert conversation.revisions[:1] == [conversation.revisions[0]]
    assert conversation.batches != [*conversation.batches, conversation.batch]
    other: object = {1}
    assert conversation.batches != other
    assert repr(conversation.journal) == repr(list(conversation.journal))
    assert not hasattr(conversation.journal, "append")
    assert conversation.path == list(conversation.path)
    assert conversation.path != {0}
    assert repr(conversation) == "Conversation(1 visible of 5, batch 1, revision 1)"
    assert conversation != "a conversation"
    messages: object = list(conversation.log)
    assert conversation.log != messages


def test_a_result_says_whether_anything_was_journaled() -> None:
    conversation = five()
    asks: list[tuple[Any, bool]] = [
        ({"operation": "MARK", "indices": [1], "label": "a"}, True),
        ({"operation": "MARK", "indices": [1], "label": "a"}, False),
        ({"operation": "ROLLBACK", "targetBatchIndex": 0}, False),
        ({"operation": "DELETE", "select": {"marks": ["nowhere"]}}, False),
        ({"operation": "REPAIR"}, False),
        ({"operation": "BATCH_START"}, True),
        ({"operation": "UNDO"}, True),
        ({"operation": "REDO"}, True),
        ([{"operation": "REPAIR"}, {"operation": "REPAIR"}], False),
        ([{"operation": "CLEAR"}, {"operation": "ROLLBACK", "targetBatchIndex": 1}], True),
        ({"operation": "UNDO"}, True),
        ({"operation": "CONFIGURE", "tokenLimit": 0}, False),
    ]
    for ask, changed in asks:
        records = len(conversation.journal)
        assert conversation.preview(ask).changed is changed
        result = conversation.execute(ask)
        assert result.changed is changed
        assert result.to_dict()["changed"] is changed
        assert (len(conversation.journal) > records) is changed


def test_each_step_of_a_list_says_whether_it_changed_anything() -> None:
    mark = {"operation": "MARK", "indices": [1], "label": "a"}
    result = five().execute([mark, mark, {**mark, "operation": "UNMARK"}])
    assert [step.changed for step in result.steps] == [True, False, True]
    assert result.changed is False
