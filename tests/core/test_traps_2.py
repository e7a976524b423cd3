"""What a plain reading of the source documents would get wrong, rows 23 to 43.

Messages are named m0, m1, … by their raw index; without roles there are five of them.
"""

from typing import Any

import pytest

from ctxtui.core import Append, Conversation, Message, Refused
from tests.core import test_traps_1
from tests.core.test_traps_1 import message, talk


def insertion(content: str, position: int = 0) -> dict[str, Any]:
    return {"operation": "INSERT", "position": position, "messages": [message(content)]}


def texts(messages: Any) -> list[str]:
    return [one.text for one in messages]


def test_trap_23_the_role_index_is_whole_again_after_a_rollback() -> None:
    conversation = talk("user", "assistant", "user", "assistant", "user", "assistant")
    conversation.execute({"operation": "truncate", "truncate": {"keepFirst": 4}})
    assert conversation.query.all(roles="user") == [0, 2]
    conversation.rollback(0)
    assert conversation.query.all(roles="user") == [0, 2, 4]
    assert conversation.mark_map().type_indices["user"] == [0, 2, 4]


def test_trap_24_messages_of_a_role_come_in_visible_order() -> None:
    conversation = talk()
    conversation.execute(
        {"operation": "insert", "insert": {"position": 1, "messages": [message("X")]}}
    )
    found = conversation.query.all(roles="user")
    assert texts(conversation.messages(found)) == ["X", "m1", "m3"]
    assert conversation.mark_map().type_indices["user"] == [5, 1, 3]


def test_trap_25_cleaning_up_makes_a_new_conversation() -> None:
    conversation = talk()
    conversation.execute({"operation": "compress", "indices": [0, 1, 2]})
    before = conversation.copy()
    small = conversation.squash()
    assert conversation == before
    assert texts(small.log) == ["m3", "m4"]
    assert small.view == [0, 1]
    assert [m.to_dict()["metadata"] for m in small.log] == [
        {"squashedFrom": 3},
        {"squashedFrom": 4},
    ]
    assert small.meta["origin"]["messages"] == 5
    assert small.check() == []


@pytest.mark.parametrize("cut", ["keepFirst", "removeFirst", "keepLast", "removeLast"])
def test_trap_26_a_negative_count_is_refused(cut: str) -> None:
    conversation = talk()
    before = conversation.copy()
    with pytest.raises(Refused) as refused:
        conversation.execute({"operation": "TRUNCATE", cut: -1})
    assert (refused.value.field, refused.value.value) == (cut, -1)
    assert conversation == before


@pytest.mark.parametrize("same", [message("same"), Message("user", "same")])
def test_trap_27_equal_messages_are_counted_one_by_one(same: Any) -> None:
    conversation = Conversation([same, same, same])
    conversation.execute({"operation": "TRUNCATE", "keepLast": 1})
    assert conversation.view == [2]


def test_trap_28_the_callers_array_is_not_the_engines() -> None:
    part = {"type": "text", "text": "as given"}
    given: list[dict[str, Any]] = [{"role": "user", "content": [part], "metadata": {"tags": [1]}}]
    conversation = Conversation(given)
    conversation.execute({"operation": "APPEND", "messages": given})
    part["text"] = "edited"
    given[0]["metadata"]["tags"].append(2)
    given.append(message("more"))
    assert texts(conversation.log) == ["as given", "as given"]
    assert [m.to_dict()["metadata"] for m in conversation.log] == [{"tags": [1]}, {"tags": [1]}]


def test_trap_29_a_list_with_a_bad_step_applies_nothing() -> None:
    conversation = talk()
    before = conversation.copy()
    with pytest.raises(Refused) as refused:
        conversation.execute(
            [
                {"operation": "insert", "indices": [], "data": message("T")},
                {"operation": "delete", "indices": [0]},
                {"operation": "compress", "indices": [99]},
            ]
        )
    assert refused.value.step == 2
    assert (refused.value.field, refused.value.value) == ("indices", 99)
    assert conversation == before


def test_trap_30_over_the_limit_is_said_once_and_for_visible_messages_only() -> None:
    conversation = Conversation([message("12345678")], {"tokenLimit": 3})
    grown = conversation.append("user", "12345678")
    assert [one.to_dict() for one in grown.notices] == [
        {"kind": "overLimit", "tokens": 4, "limit": 3}
    ]
    looked_again = conversation.execute({"operation": "MARK", "indices": [0], "label": "seen"})
    assert looked_again.notices == ()
    assert conversation.notices() == conversation.notices() == grown.notices
    cut = conversation.execute({"operation": "truncate", "truncate": {"keepLast": 1}})
    assert cut.notices == ()
    assert conversation.notices() == ()


def test_trap_31_a_number_means_the_batch_of_this_path() -> None:
    conversation = talk()
    conversation.execute({"operation": "delete", "indices": [0]})
    conversation.execute({"operation": "batch_end", "batch": 0})
    conversation.execute({"operation": "delete", "indices": [1]})
    conversation.execute({"operation": "delete", "indices": [2]})
    conversation.execute({"operation": "batch_end", "batch": 1})
    assert (conversation.batch.id, conversation.batch.number) == (2, 1)
    assert conversation.view == [0, 2, 3, 4]
    conversation.execute({"operation": "CHECKOUT", "batch": 1})
    assert (conversation.batch.id, conversation.batch.number) == (1, 1)
    assert conversation.view == [1, 2, 3, 4]


def test_trap_32_an_abandoned_batch_stays_as_it_was() -> None:
    conversation = talk()
    conversation.execute({"operation": "TRUNCATE", "keepFirst": 2})
    conversation.append("user", "inside batch 1")
    before = conversation.snapshot(id=1)
    conversation.execute({"operation": "ROLLBACK", "targetBatchIndex": 0})
    conversation.execute({"operation": "APPEND", "messages": [message("elsewhere")]})
    assert conversation.snapshot(id=1) == before
    assert conversation.snapshot(1) is None
    conversation.checkout(batch=1)
    assert conversation.view == [0, 1, 5]


def test_trap_33_insert_past_the_end_adds_nothing() -> None:
    conversation = talk("user", "assistant", "user", "assistant")
    with pytest.raises(Refused, match="position 99 is outside 0…4") as refused:
        conversation.execute(
            {"operation": "insert", "insert": {"position": 99, "messages": [message("X")]}}
        )
    assert (refused.value.field, refused.value.legal) == ("position", "0…4")
    assert len(conversation.log) == 4
    assert len(conversation.batches) == 1


def test_trap_34_a_summary_can_be_compressed_in_its_turn() -> None:
    conversation = talk()
    for indices, summary in (([0, 1], "once"), ([5, 2], "twice")):
        conversation.execute(
            {"operation": "COMPRESS", "indices": indices, "summary": message(summary)}
        )
    assert texts(conversation.visible) == ["twice", "m3", "m4"]
    conversation.execute({"operation": "ROLLBACK", "targetBatchIndex": 1})
    assert texts(conversation.visible) == ["once", "m2", "m3", "m4"]


def test_trap_35_messages_the_batch_has_hidden_may_be_compressed() -> None:
    conversation = talk()
    conversation.execute(
        [
            {"operation": "batch_start", "indices": [5]},
            {"operation": "insert", "indices": [], "data": message("T", "system")},
            {"operation": "compress", "indices": [0, 1, 2]},
            {"operation": "batch_end", "indices": [0]},
        ]
    )
    assert conversation.view == [0, 1, 2, 3, 4]
    assert len(conversation.log) == 6


@pytest.mark.parametrize(
    ("hiding", "left"),
    [
        ({"operation": "delete", "indices": [1]}, [0, 2, 3, 4]),
        ({"operation": "compress", "indices": [0, 1]}, [2, 3, 4]),
    ],
)
def test_trap_36_messages_of_batch_zero_can_be_hidden(
    hiding: dict[str, Any], left: list[int]
) -> None:
    conversation = talk()
    assert conversation.execute(hiding).created_batch
    assert conversation.view == left
    assert conversation.batch.number == 1


def test_trap_37_replace_acts_on_the_conversation_not_on_a_copy() -> None:
    conversation = talk()
    handed_out = conversation.log[1].to_dict()
    conversation.execute(
        {"operation": "replace", "replace": {"index": 1, "message": message("better")}}
    )
    assert conversation.visible[1].text == "better"
    handed_out["content"] = "edited outside"
    assert texts(conversation.visible) == ["m0", "better", "m2", "m3", "m4"]
    assert conversation.log[1].text == "m1"


def test_trap_38_replace_refuses_a_negative_index() -> None:
    conversation = talk()
    with pytest.raises(Refused) as refused:
        conversation.execute(
            {"operation": "replace", "replace": {"index": -1, "message": message("X")}}
        )
    assert (refused.value.field, refused.value.legal) == ("index", "0…4")
    assert len(conversation.log) == 5


def test_trap_39_clear_keeps_every_visible_system_message() -> None:
    conversation = talk("system", "user", "assistant", "system")
    conversation.execute({"operation": "clear", "clear": {"keepSystemMessage": True}})
    assert conversation.view == [0, 3]
    conversation.rollback(0)
    conversation.execute({"operation": "truncate", "truncate": {"removeFirst": 1}})
    conversation.execute({"operation": "clear", "clear": {"keepSystemMessage": True}})
    assert conversation.view == [3]


def test_trap_40_one_snapshot_for_each_number() -> None:
    conversation = talk()
    conversation.execute(insertion("abandoned"))
    conversation.execute({"operation": "ROLLBACK", "targetBatchIndex": 0})
    conversation.execute(insertion("kept"))
    snapshots = conversation.state().batch_snapshots
    assert [one.batch_index for one in snapshots] == [0, 1]
    assert conversation.snapshot(0) == snapshots[0]
    assert texts(snapshots[0].messages) == ["m0", "m1", "m2", "m3", "m4"]
    assert snapshots[1].messages[0].text == "kept"


def test_trap_41_negative_queries_are_refused() -> None:
    query = talk().query
    with pytest.raises(Refused, match="k -1 is below 0; it must be 0 or more"):
        query.recent(-1, roles="user")
    with pytest.raises(Refused, match="start -2 is below 0; it must be 0 or more"):
        query.range(-2, 1, roles="user")


def test_trap_42_both_continuations_of_an_undone_append_stay() -> None:
    conversation = talk()
    first = conversation.append("user", "one way").revision.id
    conversation.execute({"operation": "UNDO"})
    second = conversation.execute(Append(messages=[message("another way")])).revision.id
    for revision, last in ((first, "one way"), (second, "another way")):
        conversation.execute({"operation": "CHECKOUT", "revision": revision})
        assert texts(conversation.visible) == ["m0", "m1", "m2", "m3", "m4", last]


def test_trap_43_rollback_gives_what_the_batch_was_when_this_path_left_it() -> None:
    conversation = talk()
    conversation.execute({"operation": "TRUNCATE", "keepFirst": 2})
    conversation.rollback(0)
    conversation.append("user", "X")
    conversation.checkout(batch=1)
    left = conversation.state().batch_snapshots[0]
    assert texts(left.messages) == ["m0", "m1", "m2", "m3", "m4"]
    assert conversation.snapshot(0) == left
    conversation.rollback(0)
    assert conversation.view == [0, 1, 2, 3, 4]


def test_every_row_has_a_test() -> None:
    names = [*vars(test_traps_1), *globals()]
    rows = [int(name.split("_")[2]) for name in names if name.startswith("test_trap_")]
    assert rows == list(range(1, 44))
