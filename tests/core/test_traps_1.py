"""What a plain reading of the source documents would get wrong, rows 1 to 22.

Messages are named m0, m1, … by their raw index; without roles there are five of them.
"""

from typing import Any

import pytest

from ctxtui.core import Conversation, Message, Refused

FIVE = ("system", "user", "assistant", "user", "assistant")


def talk(*roles: str, **settings: Any) -> Conversation:
    messages = [{"role": role, "content": f"m{i}"} for i, role in enumerate(roles or FIVE)]
    return Conversation(messages, settings, clock=lambda: 1)


def message(content: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content}


def boundaries(conversation: Conversation) -> list[int]:
    return conversation.mark_map().batch_boundaries


def test_trap_01_clear_all_comes_back() -> None:
    conversation = talk()
    conversation.execute({"operation": "CLEAR", "keepSystemMessage": False})
    assert conversation.view == []
    conversation.execute({"operation": "ROLLBACK", "targetBatchIndex": 0})
    assert conversation.view == [0, 1, 2, 3, 4]


def test_trap_02_clear_after_insert_goes_back_to_the_insert() -> None:
    conversation = talk()
    conversation.execute({"operation": "INSERT", "position": 2, "messages": [message("new")]})
    conversation.execute({"operation": "CLEAR"})
    conversation.execute({"operation": "ROLLBACK", "targetBatchIndex": 1})
    assert conversation.view == [0, 1, 5, 2, 3, 4]
    assert conversation.batch.number == 1


@pytest.mark.parametrize("cuts", [0, 1, 2])
def test_trap_03_rollback_to_the_current_batch_changes_nothing(cuts: int) -> None:
    conversation = talk()
    for _ in range(cuts):
        conversation.execute({"operation": "TRUNCATE", "removeFirst": 1})
    conversation.append("user", "still here")
    before = conversation.copy()
    result = conversation.execute({"operation": "ROLLBACK", "targetBatchIndex": cuts})
    assert conversation == before
    assert not result.created_batch
    assert not result.diff


@pytest.mark.parametrize("role", [{}, {"role": "user"}])
def test_trap_04_keep_last_zero_keeps_nothing(role: dict[str, str]) -> None:
    conversation = talk()
    result = conversation.execute({"operation": "truncate", "truncate": {"keepLast": 0, **role}})
    assert conversation.view == []
    assert result.created_batch


def test_trap_05_remove_last_zero_removes_nothing() -> None:
    conversation = talk()
    result = conversation.execute({"operation": "TRUNCATE", "removeLast": 0})
    assert conversation.view == [0, 1, 2, 3, 4]
    assert result.created_batch


def test_trap_06_most_recent_zero_of_a_role_is_none() -> None:
    conversation = talk()
    assert conversation.query.recent(0, roles="user") == []
    assert conversation.query.recent(1, roles="user") == [3]


def test_trap_07_keep_last_is_applied_whole() -> None:
    conversation = talk()
    conversation.execute({"operation": "truncate", "truncate": {"keepLast": 2}})
    assert conversation.view == [3, 4]
    assert conversation.batch.number == 1
    assert boundaries(conversation) == [0, 3]


def test_trap_08_clear_keeps_a_late_system_message() -> None:
    conversation = talk("user", "assistant", "user", "system")
    conversation.execute({"operation": "clear", "clear": {"keepSystemMessage": True}})
    assert conversation.view == [3]
    assert boundaries(conversation) == [0, 3]


@pytest.mark.parametrize(
    "emptying",
    [
        {"operation": "truncate", "truncate": {"keepFirst": 0}},
        {"operation": "filter", "filter": {"contentContains": ["nowhere"]}},
        {"operation": "clear", "clear": {"keepSystemMessage": False}},
    ],
)
def test_trap_09_an_empty_result_is_a_batch_like_any_other(emptying: dict[str, Any]) -> None:
    conversation = talk()
    conversation.execute({"operation": "truncate", "truncate": {"removeFirst": 1}})
    conversation.execute(emptying)
    assert conversation.view == []
    assert conversation.mark_map().boundary_to_batch == [0, 1, 2]
    conversation.rollback(1)
    assert conversation.view == [1, 2, 3, 4]


def test_trap_10_boundary_of_an_empty_filter_is_the_length_of_the_log() -> None:
    conversation = talk()
    conversation.execute({"operation": "filter", "filter": {"roles": ["tool"]}})
    assert conversation.view == []
    assert boundaries(conversation) == [0, 5]


def test_trap_11_two_hundred_thousand_messages_are_cut() -> None:
    conversation = Conversation([Message("user", "one of many")] * 200_000)
    conversation.execute({"operation": "filter", "filter": {"roles": ["user"]}})
    assert len(conversation.view) == 200_000
    conversation.execute({"operation": "truncate", "truncate": {"role": "user", "removeFirst": 1}})
    assert len(conversation.view) == 199_999
    assert boundaries(conversation) == [0, 0, 1]


@pytest.mark.parametrize(
    "back",
    [
        {"operation": "rollback", "rollback": {"targetBatchIndex": 0}},
        {"operation": "batch_end", "indices": [0]},
    ],
)
def test_trap_12_rollback_restores_what_a_cut_at_the_end_hid(back: dict[str, Any]) -> None:
    conversation = talk()
    conversation.execute({"operation": "truncate", "truncate": {"keepFirst": 2}})
    assert conversation.view == [0, 1]
    conversation.execute(back)
    assert conversation.view == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("start", "during"), [([2], [2]), ([], [0, 1, 2])])
def test_trap_13_a_temporary_message_goes_with_its_batch(
    start: list[int], during: list[int]
) -> None:
    conversation = talk("user", "assistant")
    conversation.execute({"operation": "batch_start", "indices": start})
    conversation.execute({"operation": "insert", "indices": [], "data": message("TEMP", "system")})
    assert conversation.view == during
    conversation.execute({"operation": "batch_end", "indices": [0]})
    assert conversation.view == [0, 1]
    assert conversation.log[2].text == "TEMP"


def test_trap_14_replace_does_not_overwrite() -> None:
    conversation = talk()
    conversation.execute(
        {"operation": "replace", "replace": {"index": 1, "message": message("better")}}
    )
    assert [m.text for m in conversation.visible] == ["m0", "better", "m2", "m3", "m4"]
    conversation.rollback(0)
    assert [m.text for m in conversation.visible] == ["m0", "m1", "m2", "m3", "m4"]
    assert [m.text for m in conversation.log] == ["m0", "m1", "m2", "m3", "m4", "better"]


def test_trap_15_insert_opens_a_batch_and_can_be_rolled_back() -> None:
    conversation = talk()
    result = conversation.execute(
        {"operation": "insert", "insert": {"position": 0, "messages": [message("first")]}}
    )
    assert result.created_batch
    assert conversation.view == [5, 0, 1, 2, 3, 4]
    conversation.rollback(0)
    assert conversation.view == [0, 1, 2, 3, 4]


def test_trap_16_a_replacement_stands_at_the_old_place() -> None:
    conversation = talk()
    conversation.execute({"operation": "replace", "indices": [1], "data": message("better")})
    assert conversation.view == [0, 5, 2, 3, 4]


@pytest.mark.parametrize(
    "opening",
    [
        {"operation": "truncate", "truncate": {"keepFirst": 2}},
        {"operation": "batch_start", "indices": [0]},
    ],
)
def test_trap_17_boundaries_may_repeat(opening: dict[str, Any]) -> None:
    conversation = talk()
    conversation.execute(opening)
    assert boundaries(conversation) == [0, 0]
    assert conversation.check() == []


def test_trap_18_boundaries_never_descend() -> None:
    conversation = talk()
    conversation.execute({"operation": "batch_start", "indices": [2]})
    before = conversation.copy()
    with pytest.raises(Refused) as refused:
        conversation.execute({"operation": "batch_start", "indices": [0]})
    assert (refused.value.field, refused.value.value) == ("boundary", 0)
    assert refused.value.legal == "2…5"
    assert conversation == before


@pytest.mark.parametrize("named", [{"batch": 3}, {"indices": [3]}])
def test_trap_19_batch_end_names_a_batch_not_a_message(named: dict[str, Any]) -> None:
    conversation = talk("user", "assistant")
    with pytest.raises(Refused) as refused:
        conversation.execute({"operation": "batch_end", **named})
    assert refused.value.legal == "0…0"
    for _ in range(4):
        conversation.execute({"operation": "batch_start", "indices": []})
    conversation.execute({"operation": "batch_end", **named})
    assert conversation.batch.number == 3
    assert len(conversation.log) == 2


def test_trap_20_a_hidden_tool_description_does_not_count_as_present() -> None:
    tools = "可用工具: search"
    conversation = Conversation(
        [message(tools, "system"), message("hello")], {"toolDescription": tools}
    )
    conversation.execute({"operation": "truncate", "truncate": {"removeFirst": 1}})
    conversation.execute({"operation": "clear", "clear": {"keepSystemMessage": False}})
    assert conversation.view == [2]
    assert conversation.visible[0] == Message("system", tools)


def test_trap_21_clear_does_not_bring_a_hidden_system_message_back() -> None:
    conversation = talk("system", "user", "system", "user")
    conversation.execute({"operation": "truncate", "truncate": {"removeFirst": 1}})
    conversation.execute({"operation": "clear", "clear": {"keepSystemMessage": True}})
    assert conversation.view == [2]


def test_trap_22_a_cut_by_role_does_not_bring_hidden_messages_back() -> None:
    conversation = talk()
    conversation.execute({"operation": "truncate", "truncate": {"keepLast": 2}})
    conversation.execute({"operation": "truncate", "truncate": {"role": "user", "keepFirst": 9}})
    assert conversation.view == [3]
