"""The source documents' own examples and usage scenarios, run as they are written there."""

from typing import Any

import pytest

from ctxtui.core import Conversation, Message, Refused

HINT = {"role": "system", "content": "Stay with the task at hand"}
FIXED = {"role": "user", "content": "corrected"}


def talk(roles: str = "suaua", **settings: Any) -> Conversation:
    """Return a conversation from the initials of its roles."""
    names = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
    messages = [
        {"role": names[initial], "content": f"m{i}", "timestamp": i}
        for i, initial in enumerate(roles)
    ]
    return Conversation(messages, settings, clock=lambda: 1)


# Message types: queries by role, and cuts among one role.


def test_the_last_three_user_messages() -> None:
    assert talk("suauauau").query.recent(3, roles="user") == [3, 5, 7]


def test_keeping_the_last_five_user_messages() -> None:
    conversation = talk("suauauauauauau")
    conversation.execute({"operation": "truncate", "truncate": {"role": "user", "keepLast": 5}})
    assert conversation.view == [5, 7, 9, 11, 13]


def test_all_system_messages() -> None:
    assert talk("suasus").query.all(roles="system") == [0, 3, 5]


def test_assistant_messages_two_to_five() -> None:
    assert talk("auauauauauau").query.range(1, 5, roles="assistant") == [2, 4, 6, 8]


def test_recent_messages_of_several_roles() -> None:
    assert talk("suattua").query.recent(3, roles=["user", "assistant"]) == [2, 5, 6]


def test_user_messages_of_a_time_range() -> None:
    assert talk("uauauau").query.between(2, 5, roles="user") == [2, 4]


def test_marked_user_messages() -> None:
    conversation = talk("uauau")
    conversation.execute({"operation": "MARK", "indices": [0, 1, 4], "label": "important"})
    assert conversation.query.marked("important", roles="user") == [0, 4]


@pytest.mark.parametrize(
    ("config", "view"),
    [
        ({"keepFirst": 2}, [0, 1]),
        ({"keepLast": 2}, [3, 4]),
        ({"removeFirst": 2}, [2, 3, 4]),
        ({"removeLast": 2}, [0, 1, 2]),
        ({"range": {"start": 1, "end": 3}}, [1, 2]),
        ({"keepFirst": 4, "keepLast": 3, "removeFirst": 1}, [2, 3]),
        ({"role": "user", "keepFirst": 1}, [1]),
        ({"role": "assistant", "removeLast": 1}, [2]),
    ],
)
def test_truncate_configs_mean_the_same_nested_and_flat(
    config: dict[str, Any], view: list[int]
) -> None:
    for ask in ({"operation": "truncate", "truncate": config}, {"operation": "TRUNCATE", **config}):
        conversation = talk()
        assert conversation.execute(ask).created_batch
        assert conversation.view == view


# Message array: flat operations, which of them open a batch, results and snapshots.


@pytest.mark.parametrize(
    ("ask", "view", "opens"),
    [
        ({"operation": "APPEND", "messages": [FIXED]}, [0, 1, 2, 3, 4, 5], False),
        ({"operation": "INSERT", "position": 1, "messages": [FIXED]}, [0, 5, 1, 2, 3, 4], True),
        ({"operation": "INSERT", "position": 5, "messages": [FIXED]}, [0, 1, 2, 3, 4, 5], True),
        ({"operation": "REPLACE", "index": 1, "message": FIXED}, [0, 5, 2, 3, 4], True),
        ({"operation": "TRUNCATE", "keepFirst": 1}, [0], True),
        ({"operation": "CLEAR"}, [0], True),
        ({"operation": "CLEAR", "keepSystemMessage": False}, [], True),
        ({"operation": "FILTER", "roles": ["user"]}, [1, 3], True),
        ({"operation": "FILTER", "contentContains": ["m1", "m2"]}, [1, 2], True),
        ({"operation": "FILTER", "contentExcludes": ["m1", "m2"]}, [0, 3, 4], True),
        ({"operation": "ROLLBACK", "targetBatchIndex": 0}, [0, 1, 2, 3, 4], False),
    ],
)
def test_flat_operations_and_which_of_them_open_a_batch(
    ask: dict[str, Any], view: list[int], opens: bool
) -> None:
    conversation = talk()
    result = conversation.execute(ask)
    assert conversation.view == view
    assert result.created_batch is opens
    assert result.affected_batch_index == int(opens)
    assert result.stats.to_dict() == {
        "totalMessages": len(conversation.log),
        "currentBatchMessages": len(view),
        "totalBatches": 1 + opens,
        "currentBatchIndex": int(opens),
    }
    assert result.state == conversation.state()


def test_a_snapshot_holds_what_was_visible_before_the_next_batch() -> None:
    conversation = talk()
    conversation.append("user", "late")
    conversation.execute({"operation": "CLEAR", "keepSystemMessage": False})
    earlier = conversation.snapshot(0)
    assert earlier is not None
    assert earlier.messages == tuple(conversation.log)
    assert earlier.message_count == 6
    assert conversation.snapshot(2) is None


# Context processor: the five operations on the visible projection.


def test_insert_counts_positions_among_visible_messages() -> None:
    conversation = talk()
    conversation.execute({"operation": "truncate", "truncate": {"removeFirst": 2}})
    conversation.execute({"operation": "insert", "insert": {"position": 1, "messages": [HINT]}})
    assert conversation.view == [2, 5, 3, 4]


def test_insert_at_minus_one_appends_several() -> None:
    conversation = talk()
    conversation.execute(
        {"operation": "insert", "insert": {"position": -1, "messages": [HINT, FIXED]}}
    )
    assert conversation.view == [0, 1, 2, 3, 4, 5, 6]
    assert conversation.batch.number == 0


def test_replace_counts_its_index_among_visible_messages() -> None:
    conversation = talk()
    conversation.execute({"operation": "truncate", "truncate": {"keepLast": 3}})
    conversation.execute({"operation": "replace", "replace": {"index": 0, "message": FIXED}})
    assert conversation.view == [5, 3, 4]
    with pytest.raises(Refused, match=r"index 3 is outside 0…2"):
        conversation.execute({"operation": "replace", "replace": {"index": 3, "message": FIXED}})


def test_filter_conditions_all_apply() -> None:
    conversation = talk("suauaua")
    config = {"roles": ["user"], "contentContains": ["m1", "m2", "m3"], "contentExcludes": ["3"]}
    conversation.execute({"operation": "filter", "filter": config})
    assert conversation.view == [1]


def test_clear_without_any_system_message_hides_everything() -> None:
    conversation = talk("uaua")
    conversation.execute({"operation": "clear", "clear": {"keepSystemMessage": True}})
    assert conversation.view == []
    conversation.rollback(0)
    assert conversation.view == [0, 1, 2, 3]


# Context modification: temporary messages, corrections, compression.


def test_a_temporary_hint_and_the_cycle_of_batch_numbers() -> None:
    conversation = talk()

    def arrays() -> tuple[list[int], list[int], int]:
        found = conversation.mark_map()
        return found.batch_boundaries, found.boundary_to_batch, found.current_batch

    assert arrays() == ([0], [0], 0)
    conversation.execute({"operation": "batch_start", "indices": [5]})
    conversation.execute({"operation": "insert", "indices": [], "data": HINT})
    assert arrays() == ([0, 5], [0, 1], 1)
    assert conversation.visible == [Message.from_dict(HINT)]
    conversation.execute({"operation": "batch_end", "indices": [0]})
    assert arrays() == ([0], [0], 0)
    assert conversation.view == [0, 1, 2, 3, 4]


def test_a_message_is_corrected() -> None:
    conversation = talk()
    conversation.execute({"operation": "replace", "indices": [3], "data": FIXED})
    assert [m.text for m in conversation.visible] == ["m0", "m1", "m2", "corrected", "m4"]


def test_old_messages_are_compressed() -> None:
    conversation = talk()
    conversation.execute({"operation": "compress", "indices": [0, 1, 2, 3]})
    assert conversation.view == [4]
    assert len(conversation.log) == 5


def test_the_whole_workflow() -> None:
    compression = {"enabled": True, "threshold": 6000, "targetTokens": 4000}
    conversation = Conversation(settings={"tokenLimit": 8000, "compressionConfig": compression})
    conversation.append("user", "Hello")
    conversation.append("assistant", "Hi there!")
    conversation.execute({"operation": "batch_start", "indices": [2]})
    conversation.execute({"operation": "insert", "indices": [], "data": HINT})
    assert conversation.view == [2]
    conversation.execute({"operation": "batch_end", "indices": [0]})
    assert conversation.view == [0, 1]
    conversation.execute({"operation": "compress", "indices": [0, 1]})
    assert conversation.view == []
    conversation.rollback(0)
    assert [m.text for m in conversation.visible] == ["Hello", "Hi there!"]
    assert len(conversation.log) == 3


def test_several_modifications_at_once() -> None:
    conversation = talk()
    result = conversation.execute(
        [
            {"operation": "batch_start", "indices": [5]},
            {"operation": "insert", "indices": [], "data": HINT},
            {"operation": "compress", "indices": [0, 1, 2]},
            {"operation": "batch_end", "indices": [0]},
        ]
    )
    assert len(result.steps) == 4
    assert [list(step.revision.view) for step in result.steps] == [[], [5], [5], [0, 1, 2, 3, 4]]
    conversation.undo()
    assert conversation.current.id == 0


# Context processor scenarios.


def test_history_is_cut_to_the_last_five_and_stays_reachable() -> None:
    conversation = talk("suauauau")
    conversation.execute({"operation": "truncate", "truncate": {"keepLast": 5}})
    assert conversation.view == [3, 4, 5, 6, 7]
    assert len(conversation.log) == 8
    conversation.rollback(0)
    assert len(conversation.view) == 8


def test_an_instruction_is_put_in_front() -> None:
    conversation = talk()
    conversation.execute({"operation": "insert", "insert": {"position": 0, "messages": [HINT]}})
    assert conversation.view == [5, 0, 1, 2, 3, 4]
    assert conversation.visible[0] == Message.from_dict(HINT)


@pytest.mark.parametrize("heading", ["可用工具:", "可用工具\uff1a", "Available tools:"])
def test_a_cleared_session_keeps_its_tool_description(heading: str) -> None:
    tools = f"{heading} search, read"
    messages = [{"role": "system", "content": tools}, FIXED]
    conversation = Conversation(messages, {"toolDescription": "Available tools: all"})
    conversation.execute({"operation": "clear", "clear": {"keepSystemMessage": True}})
    assert [m.text for m in conversation.visible] == [tools]


@pytest.mark.parametrize("keep", [True, False])
def test_a_cleared_session_gets_its_tool_description_back(keep: bool) -> None:
    conversation = talk("suaua", toolDescription="Available tools: all")
    conversation.execute({"operation": "clear", "clear": {"keepSystemMessage": keep}})
    assert conversation.view == ([0, 5] if keep else [5])
    assert conversation.visible[-1] == Message("system", "Available tools: all")


def test_only_the_talk_itself_is_kept() -> None:
    conversation = talk("suatsua")
    conversation.execute({"operation": "filter", "filter": {"roles": ["user", "assistant"]}})
    assert conversation.view == [1, 2, 5, 6]
