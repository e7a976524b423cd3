"""TRUNCATE with keepPairs: no cut tears a tool call from its results."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Append, Conversation, Delete, Mark, Truncate
from tests.core.exchanges import ASK, PAIR_RULES, TELL, pair_errors, result, told
from tests.core.samples import Data, answer, call, facts, refused, replayed, said, shown, talk

SYSTEM = said("system", "be brief")
MODES = ("drop", "extend")
any_mode = pytest.mark.parametrize("mode", MODES)


def serial(round: int) -> list[Data]:
    """Return a question, three calls one after the other, and an answer."""
    ids = [f"s{round}.{i}" for i in range(3)]
    return [ASK, *[message for id in ids for message in (call(id), answer(id))], TELL]


def parallel(round: int) -> list[Data]:
    """Return a question, four calls at once, their results in separate messages, an answer."""
    ids = [f"p{round}.{i}" for i in range(4)]
    return [ASK, call(*ids), *[answer(id) for id in reversed(ids)], TELL]


def gathered(round: int) -> list[Data]:
    """Return a question, two calls at once and their results in one message of the user."""
    ids = [f"g{round}.{i}" for i in range(2)]
    return [ASK, call(*ids), answer(*ids, role="user"), TELL]


CONVERSATIONS = {
    "serial": [message for round in range(9) for message in serial(round)],
    "parallel": [message for round in range(10) for message in parallel(round)],
    "mixed": [
        SYSTEM,
        *[
            message
            for round in range(4)
            for kind in (serial, parallel, gathered)
            for message in kind(round)
        ],
    ],
}
each = pytest.mark.parametrize("messages", CONVERSATIONS.values(), ids=CONVERSATIONS)
FROZEN = {id(messages): talk(*messages) for messages in CONVERSATIONS.values()}
"""The same, read once for all: the tests below cut each of them hundreds of times."""


def fresh(messages: list[Data]) -> Conversation:
    """Return a conversation that nothing was cut from yet."""
    known = FROZEN.get(id(messages))
    return talk(*messages) if known is None else known.copy()


def cut(messages: list[Data], **fields: Any) -> list[int]:
    """Return what a TRUNCATE leaves visible; what was whole before must still be so."""
    conversation = fresh(messages)
    conversation.execute(Truncate(**fields))
    if fields.get("keep_pairs"):
        assert told(conversation, *PAIR_RULES) == []
    return shown(conversation)


def in_exchange(messages: list[Data]) -> set[int]:
    """Return the raw indices of calls and results."""
    read = talk(*messages).log
    return {raw for raw, message in enumerate(read) if message.calls or message.results}


@each
def test_without_it_many_cuts_tear_an_exchange(messages: list[Data]) -> None:
    assert told(talk(*messages), *PAIR_RULES) == []
    torn = 0
    for keep in range(1, 61):
        conversation = fresh(messages)
        conversation.execute(Truncate(keep_last=keep))
        torn += bool(pair_errors(conversation))
    assert torn > 15


@each
def test_drop_leaves_no_finding_and_never_more_than_asked(messages: list[Data]) -> None:
    paired = in_exchange(messages)
    for keep in range(1, 61):
        plain = range(len(messages))[-keep:]
        kept = cut(messages, keep_last=keep, keep_pairs="drop")
        assert len(kept) <= keep
        assert set(kept) <= set(plain)
        assert set(plain) - set(kept) <= paired


@each
def test_extend_leaves_no_finding_and_keeps_all_that_a_plain_cut_keeps(
    messages: list[Data],
) -> None:
    paired = in_exchange(messages)
    for keep in range(1, 61):
        plain = range(len(messages))[-keep:]
        kept = cut(messages, keep_last=keep, keep_pairs="extend")
        assert set(plain) <= set(kept)
        assert set(kept) - set(plain) <= paired
        assert kept == list(range(kept[0], len(messages)))


@any_mode
@each
@pytest.mark.parametrize("how", ["keep_first", "remove_first", "remove_last"])
def test_cuts_from_either_side_leave_no_finding(messages: list[Data], how: str, mode: str) -> None:
    for count in range(1, 61):
        cut(messages, **{how: count}, keep_pairs=mode)


@any_mode
@each
def test_a_cut_from_the_middle_leaves_no_finding(messages: list[Data], mode: str) -> None:
    for start in range(0, 40, 3):
        cut(messages, range={"start": start, "end": start + 17}, keep_pairs=mode)


@any_mode
@each
def test_an_agent_in_mid_turn_may_go_on_waiting(messages: list[Data], mode: str) -> None:
    for keep in range(1, 61):
        conversation = fresh(messages)
        conversation.execute(Append(messages=[ASK, call("w1", "w2"), answer("w2")]))
        conversation.execute(Truncate(keep_last=keep, keep_pairs=mode))
        assert pair_errors(conversation) == []
        waits = mode == "extend" or keep > 1
        assert told(conversation, "G4") == (
            [("G4", "warning", len(conversation.view) - 2)] if waits else []
        )


def test_true_is_drop() -> None:
    messages = CONVERSATIONS["mixed"]
    for keep in range(1, 30):
        dropped = cut(messages, keep_last=keep, keep_pairs="drop")
        assert cut(messages, keep_last=keep, keep_pairs=True) == dropped


ONE = [SYSTEM, ASK, call("a", "b"), answer("a"), answer("b"), TELL]


@pytest.mark.parametrize(
    ("keep", "dropped", "extended"),
    [
        (1, [5], [5]),
        (2, [5], [2, 3, 4, 5]),
        (3, [5], [2, 3, 4, 5]),
        (4, [2, 3, 4, 5], [2, 3, 4, 5]),
        (0, [], []),
    ],
)
def test_an_exchange_goes_or_stays_as_a_whole(
    keep: int, dropped: list[int], extended: list[int]
) -> None:
    assert cut(ONE, keep_last=keep, keep_pairs="drop") == dropped
    assert cut(ONE, keep_last=keep, keep_pairs="extend") == extended


def test_only_visible_messages_belong_to_an_exchange() -> None:
    conversation = talk(ASK, call("a", "b"), answer("a"), answer("b"), TELL)
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Truncate(keep_last=2, keep_pairs="extend"))
    assert shown(conversation) == [3, 4]


def test_a_result_belongs_to_the_latest_call_of_its_id() -> None:
    messages = [ASK, call("a"), answer("a"), ASK, call("a"), answer("a"), TELL]
    assert cut(messages, keep_last=5, keep_pairs="drop") == [3, 4, 5, 6]
    assert cut(messages, keep_last=5, keep_pairs="extend") == [1, 2, 3, 4, 5, 6]


def test_exchanges_that_share_a_message_go_together() -> None:
    conversation = talk(ASK, call("a"), call("b"), answer("a", "b"), TELL)
    conversation.execute(Truncate(keep_last=3, keep_pairs="drop"))
    assert shown(conversation) == [4]


@any_mode
def test_system_messages_that_are_kept_don_t_count(mode: str) -> None:
    kept = cut(ONE, keep_last=3, keep_system=True, keep_pairs=mode)
    assert kept == ([0, 5] if mode == "drop" else [0, 2, 3, 4, 5])


@any_mode
def test_an_exchange_with_a_system_message_that_is_kept_stays_whole(mode: str) -> None:
    messages = [ASK, call("a"), said("system", [result("a")]), ASK, TELL]
    assert cut(messages, keep_last=1, keep_system=True, keep_pairs=mode) == [1, 2, 4]
    assert cut(messages, keep_last=1, keep_pairs=mode) == [4]


@any_mode
@pytest.mark.parametrize("marked", [2, 3, 4])
def test_an_exchange_with_a_marked_message_that_is_kept_stays_whole(mode: str, marked: int) -> None:
    conversation = talk(*ONE)
    conversation.execute(Mark(indices=[marked], label="pin"))
    conversation.execute(Truncate(keep_last=1, keep_marks=["pin"], keep_pairs=mode))
    assert shown(conversation) == [2, 3, 4, 5]


@any_mode
@each
def test_exchanges_with_a_role_that_is_kept_stay_whole(messages: list[Data], mode: str) -> None:
    kept = cut(messages, keep_last=3, keep_roles=["tool"], keep_pairs=mode)
    log = talk(*messages).log
    assert {raw for raw, one in enumerate(log) if one.role == "tool"} <= set(kept)


def test_a_role_counts_alone_and_extend_brings_the_rest_of_its_exchanges() -> None:
    assert cut(ONE, role="assistant", keep_last=2, keep_pairs="drop") == [5]
    assert cut(ONE, role="assistant", keep_last=2, keep_pairs="extend") == [2, 3, 4, 5]
    assert cut(ONE, role="tool", keep_last=1, keep_pairs="drop") == []
    assert cut(ONE, role="tool", keep_last=1, keep_pairs="extend") == [2, 3, 4]
    assert cut(ONE, role="user", keep_last=1, keep_pairs="extend") == [1]


@any_mode
def test_an_exchange_of_which_only_keep_others_holds_something_goes(mode: str) -> None:
    messages = [ASK, call("a"), answer("a"), call("b"), answer("b"), TELL]
    kept = cut(messages, role="assistant", keep_last=2, keep_others=True, keep_pairs=mode)
    assert kept == [0, 3, 4, 5]


def test_an_exchange_of_which_the_cut_and_keep_others_hold_something_is_extended() -> None:
    fields = {"role": "tool", "keep_last": 1, "keep_others": True}
    assert cut(ONE, **fields, keep_pairs="extend") == [0, 1, 2, 3, 4, 5]
    assert cut(ONE, **fields, keep_pairs="drop") == [0, 1, 5]


@any_mode
@each
def test_under_a_token_budget_an_exchange_that_does_not_fit_goes(
    messages: list[Data], mode: str
) -> None:
    for budget in range(0, 90, 2):
        conversation = fresh(messages)
        conversation.execute(Truncate(max_tokens=budget, keep_pairs=mode))
        assert conversation.tokens.total <= budget
        assert told(conversation, *PAIR_RULES) == []


@any_mode
def test_a_count_beside_a_token_budget_does_not_extend(mode: str) -> None:
    assert cut(ONE, keep_last=3, max_tokens=1000, keep_pairs=mode) == [5]


def test_the_tokens_and_the_journal_are_right_afterwards() -> None:
    conversation = talk(*CONVERSATIONS["mixed"])
    conversation.execute(Truncate(keep_last=20, keep_pairs="extend", keep_system=True))
    assert (
        conversation.tokens.total == talk(*[m.to_dict() for m in conversation.visible]).tokens.total
    )
    assert replayed(conversation) == conversation


@pytest.mark.parametrize("value", ["keep", 1, "True", None, "Drop"])
def test_another_word_is_refused(value: object) -> None:
    caught = refused(talk(*ONE), {"operation": "TRUNCATE", "keepLast": 1, "keepPairs": value})
    assert facts(caught)[:2] == ("keepPairs", value)


KINDS = st.sampled_from([serial, parallel, gathered, lambda _: [SYSTEM], lambda _: [ASK, TELL]])
TALKS = st.lists(KINDS, min_size=1, max_size=5).map(
    lambda kinds: [message for round, kind in enumerate(kinds) for message in kind(round)]
)
SIZE = st.integers(0, 30)
FIELDS = st.fixed_dictionaries(
    {"keep_last": SIZE, "keep_pairs": st.sampled_from(MODES)},
    optional={
        "keep_first": SIZE,
        "remove_last": SIZE,
        "max_tokens": st.integers(0, 60),
        "keep_system": st.booleans(),
        "role": st.sampled_from(["system", "user", "assistant", "tool"]),
        "keep_roles": st.just(["tool"]),
        "keep_marks": st.just(["pin"]),
    },
)


@given(TALKS, FIELDS, st.sets(SIZE, max_size=3), st.booleans())
def test_no_cut_whatsoever_tears_an_exchange(
    messages: list[Data], fields: dict[str, Any], pins: set[int], others: bool
) -> None:
    conversation: Conversation = talk(*messages)
    pinned = sorted(pin for pin in pins if pin < len(messages))
    if pinned:
        conversation.execute(Mark(indices=pinned, label="pin"))
    keep_others = others and "role" in fields
    conversation.execute(Truncate(**fields, keep_others=keep_others))
    assert told(conversation, *PAIR_RULES) == []
    assert conversation.check() == []
