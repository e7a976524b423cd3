"""TRUNCATE: its cuts, their order, what is set aside, and whole tool exchanges."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Delete, Mark, Select, Truncate
from tests.core.samples import (
    Data,
    answer,
    call,
    facts,
    five,
    numbered,
    refused,
    said,
    shown,
    talk,
)


def left(conversation: Conversation, **fields: Any) -> list[int]:
    """Return what a TRUNCATE leaves visible."""
    result = conversation.execute({"operation": "TRUNCATE", **fields})
    assert result.created_batch
    assert conversation.batch.description.startswith("TRUNCATE ")
    assert conversation.check() == []
    return shown(conversation)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"keepFirst": 2}, [0, 1]),
        ({"keepFirst": 0}, []),
        ({"keepFirst": 99}, [0, 1, 2, 3, 4]),
        ({"keepLast": 2}, [3, 4]),
        ({"keepLast": 0}, []),
        ({"keepLast": 99}, [0, 1, 2, 3, 4]),
        ({"removeFirst": 2}, [2, 3, 4]),
        ({"removeFirst": 0}, [0, 1, 2, 3, 4]),
        ({"removeFirst": 99}, []),
        ({"removeLast": 2}, [0, 1, 2]),
        ({"removeLast": 0}, [0, 1, 2, 3, 4]),
        ({"removeLast": 99}, []),
        ({"range": {"start": 1, "end": 3}}, [1, 2]),
        ({"range": {"start": 3, "end": 99}}, [3, 4]),
        ({"range": {"start": 50, "end": 99}}, []),
        ({"maxTokens": 2}, [3, 4]),
        ({"maxTokens": 0}, []),
        ({"maxTokens": 99}, [0, 1, 2, 3, 4]),
        ({"keepFirst": 4, "keepLast": 3, "removeFirst": 1, "removeLast": 1}, [2]),
        ({"removeFirst": 1, "range": {"start": 1, "end": 3}}, [2, 3]),
        ({"keepFirst": 3, "maxTokens": 2}, [1, 2]),
        ({"keepLast": 1, "keepSystem": True}, [0, 4]),
        ({"keepLast": 0, "keepSystem": True}, [0]),
        ({"maxTokens": 2, "keepSystem": True}, [0, 4]),
        ({"maxTokens": 1, "keepSystem": True}, [0]),
        ({"maxTokens": 0, "keepSystem": True}, [0]),
        ({"role": "user", "keepLast": 1}, [3]),
        ({"role": "user", "keepLast": 1, "keepOthers": True}, [0, 2, 3, 4]),
        ({"role": "user", "keepLast": 0, "keepSystem": True}, [0]),
        ({"role": "user", "keepLast": 9, "keepSystem": True}, [0, 1, 3]),
        ({"role": "tool", "keepLast": 5}, []),
        ({"role": "system", "keepLast": 0, "keepSystem": True}, [0]),
        ({"role": "user", "maxTokens": 4, "keepOthers": True}, [0, 2, 3, 4]),
        ({"keepLast": 1, "keepRoles": ["user"]}, [1, 3, 4]),
        ({"keepFirst": 1, "keepRoles": ["system", "assistant"]}, [0, 1, 2, 4]),
        ({"removeLast": 1, "keepPairs": "extend"}, [0, 1, 2, 3]),
    ],
    ids=str,
)
def test_the_cuts_of_truncate(fields: Data, expected: list[int]) -> None:
    assert left(five(), **fields) == expected


def test_truncate_looks_at_the_projection_only() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[1, 4]))
    assert left(conversation, keepLast=2) == [2, 3]
    conversation = five()
    conversation.execute(Select(indices=[4, 3, 1, 0]))
    assert left(conversation, keepFirst=2, keepSystem=True) == [4, 3, 0]


def test_kept_marks_are_set_aside() -> None:
    conversation = five()
    conversation.execute(Mark(indices=[1], label="pin"))
    assert left(conversation, keepLast=1, keepMarks=["pin", "none"]) == [1, 4]


def test_a_marked_message_is_not_counted_among_those_of_its_role() -> None:
    conversation = talk(*numbered(4))
    conversation.execute(Mark(indices=[0, 3], label="pin"))
    assert left(conversation, role="user", keepLast=1, keepMarks=["pin"]) == [0, 2, 3]


def test_max_tokens_counts_what_is_set_aside_first() -> None:
    conversation = talk(said("system", "x" * 40), *numbered(3))
    assert left(conversation, maxTokens=12, keepSystem=True) == [0, 2, 3]


def test_max_tokens_keeps_empty_messages_that_cost_nothing() -> None:
    empty = said("user", [{"type": "text", "text": ""}])
    assert left(talk(*numbered(2), empty, empty), maxTokens=0) == [2, 3]


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.integers(0, 60),
    st.randoms(use_true_random=False),
)
def test_max_tokens_keeps_the_longest_suffix_that_fits(
    sizes: list[int], budget: int, random: Any
) -> None:
    conversation = talk(
        *[said("user", [{"type": "text", "text": "x" * 4 * size}]) for size in sizes]
    )
    order = random.sample(range(len(sizes)), k=len(sizes))
    conversation.execute(Select(indices=order))
    kept = left(conversation, maxTokens=budget)
    expected = next(
        order[i:] for i in range(len(order) + 1) if sum(sizes[raw] for raw in order[i:]) <= budget
    )
    assert kept == expected
    assert conversation.tokens.total == sum(sizes[raw] for raw in kept)


# 0 system, 1 user, 2 call a b, 3 result a, 4 result b, 5 user, 6 call c, 7 result c
TOOLS = (
    said("system", "sys"),
    said("user", "go"),
    call("a", "b"),
    answer("a"),
    answer("b"),
    said("user", "more"),
    call("c"),
    answer("c"),
)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"keepLast": 4}, [4, 5, 6, 7]),
        ({"keepLast": 4, "keepPairs": True}, [5, 6, 7]),
        ({"keepLast": 4, "keepPairs": "drop"}, [5, 6, 7]),
        ({"keepLast": 4, "keepPairs": "extend"}, [2, 3, 4, 5, 6, 7]),
        ({"keepFirst": 4, "keepPairs": "drop"}, [0, 1]),
        ({"keepFirst": 4, "keepPairs": "extend"}, [0, 1, 2, 3, 4]),
        ({"keepFirst": 2, "keepPairs": "extend"}, [0, 1]),
        ({"maxTokens": 5, "keepPairs": "drop"}, [5, 6, 7]),
        ({"maxTokens": 6, "keepPairs": "extend"}, [5, 6, 7]),
        ({"keepLast": 1, "keepRoles": ["tool"], "keepPairs": "drop"}, [2, 3, 4, 6, 7]),
        ({"role": "assistant", "keepLast": 1, "keepOthers": True, "keepPairs": "drop"},
         [0, 1, 5, 6, 7]),
        ({"role": "assistant", "keepLast": 0, "keepOthers": True, "keepPairs": "extend"},
         [0, 1, 5]),
        ({"role": "tool", "keepLast": 1, "keepOthers": True, "keepPairs": "extend"},
         [0, 1, 5, 6, 7]),
        ({"role": "tool", "keepFirst": 1, "keepOthers": True, "keepPairs": "extend"},
         [0, 1, 2, 3, 4, 5]),
        ({"role": "tool", "keepLast": 1, "keepPairs": "drop"}, []),
    ],
    ids=str,
)  # fmt: skip
def test_tool_exchanges_stay_or_go_as_a_whole(fields: Data, expected: list[int]) -> None:
    assert left(talk(*TOOLS), **fields) == expected


def test_an_exchange_is_kept_whole_in_a_long_conversation() -> None:
    conversation = talk(*numbered(300), call("a"), answer("a"), *numbered(9))
    assert left(conversation, keepLast=10, keepPairs="extend") == list(range(300, 311))


def test_an_exchange_with_a_marked_message_is_kept_whole() -> None:
    conversation = talk(*TOOLS)
    conversation.execute(Mark(indices=[3], label="pin"))
    assert left(conversation, keepLast=0, keepMarks=["pin"], keepPairs="drop") == [2, 3, 4]


def test_a_result_belongs_to_the_latest_visible_call_before_it() -> None:
    conversation = talk(call("a"), answer("a"), call("a"), answer("a"))
    assert left(conversation, keepLast=2, keepPairs="drop") == [2, 3]
    conversation.rollback(0)
    assert left(conversation, keepLast=1, keepPairs="extend") == [2, 3]


def test_exchanges_that_share_a_message_are_one() -> None:
    conversation = talk(call("a"), call("b"), answer("a", "b"), said("user", "x"))
    assert left(conversation, keepLast=3, keepPairs="drop") == [3]
    conversation.rollback(0)
    assert left(conversation, keepLast=2, keepPairs="extend") == [0, 1, 2, 3]


def test_two_results_of_one_call_in_one_message_are_one_exchange() -> None:
    conversation = talk(call("a", "b"), answer("a", "b"), said("user", "x"))
    assert left(conversation, keepLast=2, keepPairs="drop") == [2]


def test_results_without_a_call_are_no_exchange() -> None:
    conversation = talk(answer("a"), {**call("a"), "role": "user"}, answer("a"))
    assert left(conversation, keepLast=1, keepPairs="drop") == [2]


COUNTS = ["keepFirst", "keepLast", "removeFirst", "removeLast", "maxTokens"]
CUTS = "keepFirst, keepLast, removeFirst, removeLast, range, maxTokens, max"


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize(
    ("value", "sentence", "legal"),
    [
        (-1, "-1 is below 0; it must be 0 or more", "0 or more"),
        (True, "true is not a whole number", "a whole number"),
        (2.0, "2.0 is not a whole number", "a whole number"),
        ("5", "'5' is not a whole number", "a whole number"),
        (10**80 * -1, "a number of over 60 digits is below 0; it must be 0 or more", "0 or more"),
    ],
    ids=["negative", "true", "2.0", "text", "huge"],
)
def test_counts_are_whole_numbers(name: str, value: object, sentence: str, legal: str) -> None:
    caught = refused(five(), {"operation": "TRUNCATE", name: value})
    assert str(caught) == f"{name} {sentence}"
    assert facts(caught) == (name, value, legal)


@pytest.mark.parametrize(
    ("fields", "sentence", "expected"),
    [
        (
            fields,
            f"TRUNCATE cuts nothing; give at least one of {CUTS} "
            "(FILTER keeps or drops whole roles)",
            ("keepLast", None, CUTS),
        )
        for fields in ({}, {"role": "user"}, {"keepSystem": True}, {"keepRoles": ["user"]})
    ]
    + [
        (
            {"keepLast": 1, "keepOthers": True},
            "keepOthers true has no meaning without a role",
            ("keepOthers", True, "true only together with role"),
        ),
        (
            {"range": {"start": 3, "end": 3}},
            "range: start 3 is not below end 3",
            ("range.start", 3, "0…2"),
        ),
        (
            {"range": {"start": 0, "end": 0}},
            "range: start 0 is not below end 0",
            ("range.start", 0, "an end above 0"),
        ),
        (
            {"range": {"start": -2, "end": 1}},
            "range: start -2 is below 0; it must be 0 or more",
            ("range.start", -2, "0 or more"),
        ),
        (
            {"range": {"start": 1}},
            "range: range has no end; it takes start, end",
            ("range.end", None, "start, end"),
        ),
        (
            {"range": [0, 1]},
            "range: range a list of 2 is not an object",
            ("range.range", [0, 1], "an object"),
        ),
        (
            {"keepLast": 1, "keepPairs": "maybe"},
            "keepPairs 'maybe' is not one of drop, extend, true, false",
            ("keepPairs", "maybe", "one of drop, extend, true, false"),
        ),
        (
            {"keepLast": 1, "keepPairs": 1},
            "keepPairs 1 is not one of drop, extend, true, false",
            ("keepPairs", 1, "one of drop, extend, true, false"),
        ),
        (
            {"keepLast": 1, "role": "robot"},
            "role 'robot' is not one of system, user, assistant, tool",
            ("role", "robot", "one of system, user, assistant, tool"),
        ),
        (
            {"keepLast": 1, "keepSystem": 1},
            "keepSystem 1 is not true or false",
            ("keepSystem", 1, "true or false"),
        ),
        (
            {"keepLast": 1, "keepRoles": []},
            "keepRoles [] is empty",
            ("keepRoles", [], "one of roles"),
        ),
    ],
    ids=str,
)
def test_bad_truncates_are_refused(
    fields: Data, sentence: str, expected: tuple[str, object, str]
) -> None:
    caught = refused(five(), {"operation": "TRUNCATE", **fields})
    assert str(caught) == sentence
    assert facts(caught) == expected


def test_a_description_can_be_given() -> None:
    conversation = five()
    conversation.execute(Truncate(keep_last=2, description="short"))
    assert conversation.batch.description == "short"
