"""REPAIR: hide, restore or stub until no call lacks a result and no result lacks a call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Delete, Mark, Message, Repair, Rollback, Select, Truncate
from tests.core.exchanges import (
    ASK,
    NAMELESS,
    PAIR_RULES,
    TELL,
    ending,
    messages,
    pair_errors,
    result,
    text,
    told,
    use,
)
from tests.core.samples import Data, answer, call, facts, refused, replayed, said, shown, talk

POLICIES = ("drop", "restore", "stub")
any_policy = pytest.mark.parametrize("policy", POLICIES)
STUB = {"type": "tool_result", "tool_result": {"tool_use_id": "a", "content": "[result removed]"}}


def repair(conversation: Conversation, policy: str = "drop") -> Conversation:
    """Repair a conversation, which must leave no error and break no promise."""
    with ending(conversation):
        conversation.execute({"operation": "REPAIR", "policy": policy})
    assert pair_errors(conversation) == []
    assert conversation.check() == []
    return conversation


def without(hidden: list[int], *messages: Data) -> Conversation:
    """Return a conversation in which some messages were hidden."""
    conversation = talk(*messages)
    conversation.execute(Delete(indices=hidden))
    return conversation


def last(conversation: Conversation) -> Message:
    """Return the newest message of the log."""
    return conversation.log[len(conversation.log) - 1]


@any_policy
def test_nothing_to_repair_is_accepted_and_changes_nothing(policy: str) -> None:
    conversation = talk(ASK, call("a"), answer("a"), TELL)
    conversation.execute(Mark(indices=[0], label="x"))
    conversation.undo()
    before = conversation.copy()
    result = conversation.execute(Repair(policy=policy))
    assert not result.created_batch
    assert not result.diff
    assert conversation == before
    assert conversation.redo().operation.title == "REDO"  # type: ignore[union-attr]


@any_policy
def test_calls_in_mid_turn_are_left_alone(policy: str) -> None:
    for waiting in ([call("a")], [call("a", "b"), answer("b")]):
        conversation = talk(ASK, *waiting)
        assert not conversation.execute(Repair(policy=policy)).created_batch
        assert {severity for _, severity, _ in told(conversation)} == {"warning"}


@any_policy
def test_a_nameless_tool_message_is_left_alone_where_nobody_calls(policy: str) -> None:
    assert not talk(ASK, NAMELESS).execute(Repair(policy=policy)).created_batch


@any_policy
def test_a_nameless_tool_message_is_hidden_where_somebody_calls(policy: str) -> None:
    conversation = repair(talk(ASK, call("a"), answer("a"), NAMELESS, TELL), policy)
    assert shown(conversation) == [0, 1, 2, 4]


def test_drop_is_the_default() -> None:
    assert Repair().policy == "drop"
    assert Repair().to_dict() == {"operation": "REPAIR"}


def test_drop_hides_a_result_without_its_call() -> None:
    conversation = without([1], ASK, call("a"), answer("a"), TELL)
    assert shown(repair(conversation)) == [0, 3]
    assert len(conversation.log) == 4


def test_drop_hides_a_call_without_a_result() -> None:
    assert shown(repair(without([2], ASK, call("a"), answer("a"), TELL))) == [0, 3]


def test_drop_hides_a_displaced_result_with_its_call() -> None:
    assert shown(repair(talk(ASK, call("a"), TELL, answer("a"), ASK))) == [0, 2, 4]


def test_drop_hides_the_whole_exchange_of_parallel_calls() -> None:
    conversation = without(
        [3], ASK, call("a", "b", "c"), answer("a"), answer("b"), answer("c"), ASK
    )
    assert shown(repair(conversation)) == [0, 5]


def test_drop_goes_on_until_what_a_repair_broke_is_repaired_too() -> None:
    shared = answer("a", "b", role="user")
    conversation = talk(ASK, call("a"), TELL, call("b"), shared, TELL)
    assert shown(repair(conversation)) == [0, 2, 5]


def test_all_is_done_in_one_batch_and_undone_at_once() -> None:
    conversation = talk(ASK, call("a"), TELL, answer("z"), ASK, call("b"), TELL)
    result = conversation.execute(Repair(description="mended"))
    assert result.created_batch
    assert (len(conversation.batches), len(conversation.revisions)) == (2, 2)
    assert conversation.batch.description == "mended"
    assert list(result.diff.hidden) == [1, 3, 5]
    assert conversation.undo().diff.shown == result.diff.hidden
    conversation.redo()
    assert shown(conversation) == [0, 2, 4, 6]
    conversation.execute(Rollback(target_batch_index=0))
    assert len(conversation.view) == 7
    assert replayed(conversation) == conversation


def test_restore_brings_a_copy_of_the_hidden_call_right_before_its_result() -> None:
    conversation = without([1], ASK, call("a", id="m1", metadata={"x": 1}), answer("a"), TELL)
    result = conversation.execute(Repair(policy="restore"))
    assert shown(conversation) == [0, 4, 2, 3]
    assert last(conversation).to_dict() == {
        **call("a", id="m1"),
        "metadata": {"x": 1, "copiedFrom": 1},
    }
    assert list(result.diff.added) == [4]
    assert told(conversation) == []
    assert replayed(conversation) == conversation


def test_restore_reduces_the_call_to_the_results_that_are_visible() -> None:
    calling = said("assistant", [text("I look"), use("a"), use("b"), use("c")])
    results = [answer("a"), answer("b"), answer("c")]
    conversation = repair(without([1, 3], ASK, calling, *results, TELL), "restore")
    assert shown(conversation) == [0, 6, 2, 4, 5]
    assert last(conversation).calls == ("a", "c")
    assert last(conversation).text == "I look"


def test_restore_takes_the_latest_hidden_call_of_the_id() -> None:
    first = said("assistant", [text("first"), use("a")])
    second = said("assistant", [text("second"), use("a")])
    conversation = talk(first, second, answer("a"), ASK)
    conversation.execute(Delete(indices=[0, 1]))
    repair(conversation, "restore")
    assert last(conversation).text == "second"
    assert last(conversation).metadata == {"copiedFrom": 1}


def test_restore_finds_a_call_of_an_abandoned_branch() -> None:
    conversation = talk(ASK)
    conversation.execute({"operation": "APPEND", "messages": [call("a")]})
    conversation.undo()
    conversation.execute({"operation": "APPEND", "messages": [answer("a")]})
    assert shown(repair(conversation, "restore")) == [0, 3, 2]


def test_restore_drops_a_result_whose_call_was_never_there() -> None:
    conversation = repair(talk(ASK, answer("z"), TELL), "restore")
    assert shown(conversation) == [0, 2]
    assert len(conversation.log) == 3


def test_restore_drops_a_result_whose_only_call_is_visible_but_later() -> None:
    conversation = repair(talk(ASK, answer("a"), TELL, call("a")), "restore")
    assert shown(conversation) == [0, 2, 3]


def test_restore_drops_calls_without_results_and_displaced_results() -> None:
    assert shown(repair(talk(ASK, call("a"), TELL), "restore")) == [0, 2]
    assert shown(repair(talk(ASK, call("a"), TELL, answer("a")), "restore")) == [0, 2]


def test_restore_does_not_bring_results_along_that_the_calling_message_held() -> None:
    both = said("assistant", [use("a"), use("b"), result("b")])
    conversation = repair(without([1], ASK, both, answer("a"), TELL), "restore")
    assert shown(conversation) == [0, 4, 2, 3]
    assert (last(conversation).calls, last(conversation).results) == (("a",), ())


def test_restore_comes_to_an_end_where_hidden_calls_hold_results_of_each_other() -> None:
    one, other = (
        said("assistant", [use("a"), result("b")]),
        said("assistant", [use("b"), result("a")]),
    )
    conversation = repair(without([1, 2], ASK, one, other, answer("a"), TELL), "restore")
    assert last(conversation).calls == ("a",)


def test_restore_leaves_no_copy_behind_whose_results_had_to_go() -> None:
    conversation = without([0, 1], call("a"), call("b"), ASK, answer("a", "b"))
    assert shown(repair(conversation, "restore")) == [2]


def test_stub_puts_a_result_after_the_call() -> None:
    conversation = without([2], ASK, call("a"), answer("a"), TELL)
    result = conversation.execute(Repair(policy="stub"))
    assert shown(conversation) == [0, 1, 4, 3]
    assert last(conversation).to_dict() == {"role": "tool", "content": [STUB]}
    assert list(result.diff.added) == [4]
    assert told(conversation) == []


def test_stub_puts_one_for_each_missing_result_after_those_that_are_there() -> None:
    conversation = without(
        [2, 4], ASK, call("a", "b", "c"), answer("a"), answer("b"), answer("c"), ASK
    )
    assert shown(repair(conversation, "stub")) == [0, 1, 3, 6, 7, 5]
    assert [message.results for message in conversation.messages([6, 7])] == [("a",), ("c",)]


def test_a_stub_behind_the_last_message_is_not_lost() -> None:
    conversation = repair(talk(ASK, call("a"), answer("z")), "stub")
    assert shown(conversation) == [0, 1, 3]
    assert last(conversation).results == ("a",)


def test_stub_drops_a_result_without_its_call_and_a_displaced_one() -> None:
    assert shown(repair(talk(ASK, answer("z"), TELL), "stub")) == [0, 2]
    assert shown(repair(talk(ASK, call("a", "b"), TELL, answer("a")), "stub")) == [0, 2]


@any_policy
def test_what_a_cut_breaks_can_be_repaired(policy: str) -> None:
    exchange = [ASK, call("a", "b"), answer("a"), answer("b"), TELL]
    for keep in range(1, 6):
        conversation = talk(*exchange)
        conversation.execute(Truncate(keep_last=keep))
        repair(conversation, policy)
        assert told(conversation, *PAIR_RULES) == []


@any_policy
def test_a_reordered_projection_can_be_repaired(policy: str) -> None:
    conversation = talk(ASK, call("a"), answer("a"), TELL)
    conversation.execute(Select(indices=[2, 0, 1, 3]))
    repair(conversation, policy)
    assert replayed(conversation) == conversation


def test_a_preview_shows_the_repair_and_changes_nothing() -> None:
    conversation = without([1], ASK, call("a"), answer("a"), TELL)
    before = conversation.copy()
    assert list(conversation.preview(Repair(policy="restore")).diff.added) == [4]
    assert conversation == before


@pytest.mark.parametrize("policy", ["hide", "Drop", "", True, None])
def test_another_policy_is_refused(policy: object) -> None:
    caught = refused(talk(ASK), {"operation": "REPAIR", "policy": policy})
    assert facts(caught) == ("policy", policy, "one of drop, restore, stub")


@given(messages, st.sets(st.integers(0, 8)), st.sampled_from(POLICIES))
def test_any_conversation_is_free_of_errors_after_a_repair(
    given: list[Data], hide: set[int], policy: str
) -> None:
    conversation = talk(*given)
    hidden = sorted(raw for raw in hide if raw < len(given))
    if hidden:
        conversation.execute(Delete(indices=hidden))
    errors = pair_errors(conversation)
    batches = len(conversation.batches)
    repair(conversation, policy)
    assert len(conversation.batches) == batches + bool(errors)
    once = conversation.copy()
    assert not conversation.execute(Repair(policy=policy)).created_batch
    assert conversation == once
    assert replayed(conversation) == conversation


@given(messages, st.sampled_from(POLICIES))
def test_a_repair_keeps_the_order_and_touches_no_message_without_a_tool(
    given: list[Data], policy: str
) -> None:
    conversation = repair(talk(*given), policy)
    old = [raw for raw in conversation.view if raw < len(given)]
    assert old == sorted(old)
    plain = [i for i, one in enumerate(conversation.log) if not one.calls and not one.results]
    assert {raw for raw in plain if conversation.log[raw].role != "tool"} <= set(old)
    news = set(conversation.view) - set(old)
    assert policy != "drop" or not news
