"""Questions about a conversation, their edges and refusals, and what hid a message."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import (
    Append,
    Clear,
    Conversation,
    Delete,
    Describe,
    Insert,
    Mark,
    Refused,
    Replace,
    Select,
)
from ctxtui.core.engine.queries import Query
from tests.core.samples import Data, answer, call, facts, five, numbered, refusal, said, talk

NEW = said("user", "new")


def turned() -> Conversation:
    """Return five messages of which 4, 3, 1 and 0 are visible, in this order."""
    conversation = five()
    conversation.execute(Mark(indices=[2, 3], label="pin"))
    conversation.execute(Select(indices=[4, 3, 1, 0]))
    return conversation


@pytest.mark.parametrize(
    ("ask", "visible", "raw"),
    [
        (lambda q, s: q.all(scope=s), [4, 3, 1, 0], [0, 1, 2, 3, 4]),
        (lambda q, s: q.all(roles="user", scope=s), [3, 1], [1, 3]),
        (lambda q, s: q.all(roles=["user", "system"], scope=s), [3, 1, 0], [0, 1, 3]),
        (lambda q, s: q.all(roles=(), scope=s), [], []),
        (lambda q, s: q.recent(0, scope=s), [], []),
        (lambda q, s: q.recent(2, scope=s), [1, 0], [3, 4]),
        (lambda q, s: q.recent(99, scope=s), [4, 3, 1, 0], [0, 1, 2, 3, 4]),
        (lambda q, s: q.recent(1, roles="user", scope=s), [1], [3]),
        (lambda q, s: q.recent(0, roles="user", scope=s), [], []),
        (lambda q, s: q.recent(3, roles="tool", scope=s), [], []),
        (lambda q, s: q.range(1, 3, scope=s), [3, 1], [1, 2]),
        (lambda q, s: q.range(0, 0, scope=s), [], []),
        (lambda q, s: q.range(3, 99, scope=s), [0], [3, 4]),
        (lambda q, s: q.range(50, 99, scope=s), [], []),
        (lambda q, s: q.range(1, 2, roles="user", scope=s), [1], [3]),
        (lambda q, s: q.count(scope=s), 4, 5),
        (lambda q, s: q.count(roles="assistant", scope=s), 1, 2),
        (lambda q, s: q.marked("pin", scope=s), [3], [2, 3]),
        (lambda q, s: q.marked("pin", roles="assistant", scope=s), [], [2]),
        (lambda q, s: q.marked("none", scope=s), [], []),
        (lambda q, s: q.search("M", scope=s), [4, 3, 1, 0], [0, 1, 2, 3, 4]),
        (lambda q, s: q.search("M", case_sensitive=True, scope=s), [], []),
        (lambda q, s: q.search("m[0-2]", regex=True, scope=s), [1, 0], [0, 1, 2]),
        (lambda q, s: q.search("M[0-2]", regex=True, scope=s), [1, 0], [0, 1, 2]),
        (lambda q, s: q.search("M.", regex=True, case_sensitive=True, scope=s), [], []),
        (lambda q, s: q.search("m", roles="user", scope=s), [3, 1], [1, 3]),
    ],
)
def test_a_question_is_answered_in_the_order_of_its_scope(
    ask: Callable[[Query, str], Any], visible: Any, raw: Any
) -> None:
    query = turned().query
    assert ask(query, "visible") == visible
    assert ask(query, "raw") == raw


def test_the_scope_is_the_projection_unless_said_otherwise() -> None:
    query = turned().query
    assert (query.all(), query.recent(2), query.count()) == ([4, 3, 1, 0], [1, 0], 4)
    assert (query.range(0, 2), query.marked("pin"), query.search("m4")) == ([4, 3], [3], [4])


def test_search_sees_tools_and_thinking_and_folds_cases() -> None:
    thought = {"type": "thinking", "thinking": {"text": "Straße"}}
    conversation = talk(call("a"), answer("a"), said("assistant", [thought]))
    assert conversation.query.search("LOOK") == [0]
    assert conversation.query.search("seen") == [1]
    assert conversation.query.search("STRASSE") == [2]


def test_between_includes_both_ends_and_leaves_out_what_has_no_time() -> None:
    times: list[Data] = [{"timestamp": 10}, {}, {"timestamp": 20}, {"timestamp": 0}]
    query = talk(*[said("user", "x", **time) for time in times]).query
    assert query.between(10, 20) == [0, 2]
    assert query.between(11, 19) == []
    assert query.between(None, 10) == [0, 3]
    assert query.between(10) == [0, 2]
    assert query.between() == [0, 2, 3]
    assert query.between(0, 0) == [3]
    assert query.between(roles="tool") == []


def test_hidden_is_the_rest_of_the_log_in_its_order() -> None:
    conversation = five()
    assert conversation.query.hidden() == []
    conversation.execute(Select(indices=[3, 1]))
    assert conversation.query.hidden() == [0, 2, 4]
    assert conversation.query.hidden(roles="assistant") == [2, 4]
    assert talk().query.hidden() == []


def test_positions_and_raw_indices_lead_to_each_other() -> None:
    query = turned().query
    assert [query.to_raw(position) for position in range(4)] == [4, 3, 1, 0]
    assert [query.to_visible(raw) for raw in range(6)] == [3, 2, None, 1, 0, None]
    assert query.to_visible(-1) is None


@pytest.mark.parametrize(
    ("ask", "sentence", "expected"),
    [
        (lambda q: q.recent(-1), "k -1 is below 0; it must be 0 or more", ("k", -1, "0 or more")),
        (lambda q: q.recent(True), "k true is not a whole number", ("k", True, "a whole number")),
        (lambda q: q.recent(2.0), "k 2.0 is not a whole number", ("k", 2.0, "a whole number")),
        (
            lambda q: q.range(-2, 1),
            "start -2 is below 0; it must be 0 or more",
            ("start", -2, "0 or more"),
        ),
        (
            lambda q: q.range(0, -1),
            "end -1 is below 0; it must be 0 or more",
            ("end", -1, "0 or more"),
        ),
        (lambda q: q.range(3, 2), "start 3 is outside 0…2 (the end)", ("start", 3, "0…2")),
        (lambda q: q.to_raw(4), "position 4 is outside 0…3", ("position", 4, "0…3")),
        (lambda q: q.to_raw(-1), "position -1 is outside 0…3", ("position", -1, "0…3")),
        (
            lambda q: q.to_visible("1"),
            "index '1' is not a whole number",
            ("index", "1", "a whole number"),
        ),
        (
            lambda q: q.between("now"),
            "start 'now' is not a whole number",
            ("start", "now", "a whole number"),
        ),
        (lambda q: q.search(""), "text '' is empty", ("text", "", "1 character or more")),
        (
            lambda q: q.search("(", regex=True),
            "text '(' is not a regular expression: missing ) at position 1",
            ("text", "(", "a regular expression"),
        ),
        (
            lambda q: q.all(roles="robot"),
            "role 'robot' is not one of system, user, assistant, tool",
            ("role", "robot", "one of system, user, assistant, tool"),
        ),
        (
            lambda q: q.marked("none", roles=["robot"]),
            "role 'robot' is not one of system, user, assistant, tool",
            ("role", "robot", "one of system, user, assistant, tool"),
        ),
        (
            lambda q: q.all(scope="all"),
            "scope 'all' is not one of visible, raw",
            ("scope", "all", "one of visible, raw"),
        ),
    ],
)
def test_a_bad_question_is_refused(
    ask: Callable[[Any], object], sentence: str, expected: tuple[str, object, str]
) -> None:
    query = turned().query
    caught = refusal(lambda: ask(query))
    assert str(caught) == sentence
    assert facts(caught) == expected


def test_nothing_visible_has_no_position() -> None:
    caught = refusal(lambda: talk().query.to_raw(0))
    assert str(caught) == "position 0 is outside the projection, which is empty"


@given(st.lists(st.sampled_from("usat"), max_size=40), st.data())
def test_recent_is_the_end_of_all(letters: list[str], data: st.DataObject) -> None:
    names = {"u": "user", "s": "system", "a": "assistant", "t": "tool"}
    conversation = talk(*[said(names[letter], letter) for letter in letters])
    if letters:
        order = data.draw(st.permutations(range(len(letters))))
        conversation.execute(Select(indices=order))
    k = data.draw(st.integers(0, 9))
    everything = conversation.query.all(roles=["user", "tool"])
    assert conversation.query.recent(k, roles=["user", "tool"]) == everything[-k:] * bool(k)
    assert conversation.query.count(roles=["user", "tool"]) == len(everything)


def test_recent_looks_back_past_long_stretches_of_other_roles() -> None:
    conversation = talk(said("system", "first"), *numbered(3000))
    assert conversation.query.recent(2, roles="system") == [0]
    assert conversation.query.recent(1500, roles="user") == list(range(1501, 3001))


def test_blame_is_none_for_a_visible_message() -> None:
    assert five().blame(0) is None


def test_blame_names_what_hid_a_message_on_this_path() -> None:
    conversation = five()
    conversation.execute(Replace(index=1, message=NEW))
    conversation.append("user", "m6")
    conversation.execute(Delete(indices=[5, 6]))
    conversation.execute(Clear())
    for raw, batch in ((1, 1), (5, 2), (6, 2), (2, 3)):
        blamed = conversation.blame(raw)
        assert blamed is not None
        assert blamed.batch == conversation.batches[batch]
        assert blamed.revision == conversation.revisions[conversation.batches[batch].opened]
        assert blamed.operation == conversation.batches[batch].operation
    blamed = conversation.blame(1)
    assert str(blamed) == "hidden by batch 1 REPLACE index 1, user message"
    assert blamed is not None
    assert blamed.to_dict() == {
        "revision": 1,
        "batch": 1,
        "operation": {"operation": "REPLACE", "index": 1, "message": NEW},
    }


def test_blame_uses_the_name_a_batch_was_given() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[1]))
    conversation.execute(Describe(batch=1, text="tidying"))
    assert str(conversation.blame(1)) == "hidden by batch 1 DELETE tidying"


def test_a_message_of_another_branch_was_never_visible_here() -> None:
    conversation = five()
    conversation.execute(Insert(position=0, messages=[NEW]))
    conversation.rollback(0)
    conversation.execute(Append(messages=[NEW]))
    conversation.execute(Clear())
    blamed = conversation.blame(5)
    assert str(blamed) == "never visible here"
    assert blamed is not None
    assert blamed.to_dict() == "never visible here"
    assert (blamed.batch, blamed.revision, blamed.operation) == (None, None, None)
    conversation.rollback(0)
    conversation.checkout(revision=0)
    assert str(conversation.blame(6)) == "never visible here"


@pytest.mark.parametrize("raw", [5, -1])
def test_blame_of_what_is_not_in_the_log_is_refused(raw: int) -> None:
    caught = refusal(lambda: five().blame(raw))
    assert str(caught) == f"index {raw} is outside 0…4"
    assert facts(caught) == ("index", raw, "0…4")


def test_an_empty_log_has_nobody_to_blame() -> None:
    caught = refusal(lambda: talk().blame(0))
    assert str(caught) == "index 0 is outside the log, which is empty"


def test_a_pattern_that_would_take_years_is_stopped_and_named() -> None:
    conversation = Conversation([{"role": "user", "content": "a" * 60 + "b"}])
    with pytest.raises(Refused, match=r"takes longer than .* on message 0 and was stopped"):
        conversation.query.search("(a|aa)+c", regex=True)
