"""Identity: the ten ways in which the same message may be written, and what is another one."""

from typing import Any

import pytest

from ctxtui.core.requests.bodies import SentMessage
from tests.core.requests.traffic import Row, asked, called, result, said, sent


def one(row: Row) -> SentMessage:
    return sent(row)[0]


def anthropic(row: Row) -> SentMessage:
    return asked("messages", {"messages": [row]}).sent[0]


def text(words: str, **more: Any) -> Row:
    return {"type": "text", "text": words, **more}


MARKER = {"cache_control": {"type": "ephemeral"}}
SAME_CHAT = {
    "a text is a list of one text": (said("user", "hi"), said("user", [text("hi")])),
    "so it is in results": (result("c", "found"), result("c", [text("found")])),
    "null fields": (said("assistant", "a"), said("assistant", "a", refusal=None, audio=None)),
    "nothing beside calls": (called("c"), {**called("c"), "content": ""}),
    "arguments written anew": (called("c", '{"a": 1, "b": 2}'), called("c", '{"b":2,"a":1}')),
    "results written anew": (result("c", '{"a": [1], "b": 2}'), result("c", '{"b":2,"a":[1]}')),
    "developers are the system": (said("system", "s"), said("developer", "s")),
    "markers": (said("user", [text("hi")]), said("user", [text("hi", **MARKER)])),
    "ids of messages": (said("user", "hi"), said("user", "hi", id="m1")),
}
OTHER_CHAT = {
    "other text": (said("user", "hi"), said("user", "ho")),
    "another role": (said("user", "hi"), said("assistant", "hi")),
    "another name": (said("user", "hi", name="Ann"), said("user", "hi", name="Ben")),
    "other calls": (called("c1"), called("c2")),
    "other arguments": (called("c", '{"a": 1}'), called("c", '{"a": 2}')),
    "results of other calls": (result("c1"), result("c2")),
    "two texts are not one": (said("user", [text("a"), text("b")]), said("user", "a\nb")),
}


@pytest.mark.parametrize("rows", SAME_CHAT.values(), ids=SAME_CHAT)
def test_the_same_message_written_differently_has_the_same_key(rows: tuple[Row, Row]) -> None:
    before, after = map(one, rows)
    assert before.key == after.key


@pytest.mark.parametrize("rows", OTHER_CHAT.values(), ids=OTHER_CHAT)
def test_another_message_has_another_key(rows: tuple[Row, Row]) -> None:
    before, after = map(one, rows)
    assert before.key != after.key


@pytest.mark.parametrize("name", ["a text is a list of one text", "null fields"])
def test_a_prompt_cache_sees_what_keys_do_not(name: str) -> None:
    before, after = map(one, SAME_CHAT[name])
    assert before.strict != after.strict


def test_a_prompt_cache_does_not_see_its_own_markers() -> None:
    before, after = map(one, SAME_CHAT["markers"])
    assert before.strict == after.strict
    assert before.wire != after.wire


def test_arguments_may_have_a_key_that_markers_go_by() -> None:
    use = {"type": "tool_use", "id": "t", "name": "look"}
    plain = said("assistant", [{**use, "input": {}}])
    named = said("assistant", [{**use, "input": MARKER}])
    assert anthropic(plain).key != anthropic(named).key
    assert anthropic(plain).strict != anthropic(named).strict


def test_the_loose_key_leaves_out_the_ids_of_calls() -> None:
    assert one(called("c1")).loose == one(called("c2")).loose
    assert one(result("c1")).loose == one(result("c2")).loose
    assert one(called("c1")).loose != one(called("c1", '{"q": 2}')).loose


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It is 12:03.", "It is 9:47."),
        ("Today is 2026-01-02T03:04:05Z", "Today is 2027-11-12T13:14:15Z"),
        (
            "id 123e4567-e89b-12d3-a456-426614174000",
            "id 0e4567ff-e89b-12d3-a456-42661417400f",
        ),
        ("at deadbeef0123", "at 0123456789ab"),
        ("Skipped 2 messages.", "Skipped 14 messages."),
        ("a  b\n c", "a b c"),
    ],
)
def test_the_masked_key_hides_what_changes_by_itself(before: str, after: str) -> None:
    assert one(said("user", before)).masked == one(said("user", after)).masked
    assert one(said("user", before)).key != one(said("user", after)).key


def test_thinking_is_no_part_of_a_message_unless_there_is_nothing_else() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    hidden = {"type": "redacted_thinking", "data": "x"}
    bare = anthropic(said("assistant", "yes"))
    assert anthropic(said("assistant", [thought, text("yes")])).key == bare.key
    assert anthropic(said("assistant", [hidden, text("yes")])).key == bare.key
    other = {**thought, "thinking": "ho"}
    assert anthropic(said("assistant", [thought])).key != anthropic(said("assistant", [other])).key


def test_a_billing_line_is_no_part_of_the_prompt() -> None:
    def prompt(line: str) -> SentMessage:
        blocks = [text(f"x-anthropic-billing-header: {line}"), text("You help.")]
        return asked("messages", {"system": blocks, "messages": []}).sent[0]

    assert prompt("cch=1;").key == prompt("cch=2;").key
    bare = asked("messages", {"system": "You help.", "messages": []}).sent[0]
    assert prompt("cch=1;").key == bare.key
    assert prompt("cch=1;").strict != prompt("cch=2;").strict


def test_ids_that_were_made_while_reading_are_no_part_of_the_key() -> None:
    call = {"function": {"name": "look", "arguments": {"q": 1}}}
    rows = [said("user", "hi"), said("assistant", "", tool_calls=[call]), said("tool", "found")]
    whole = asked("ollama", {"messages": rows}).sent
    later = asked("ollama", {"messages": rows[1:]}).sent
    assert [one.key for one in whole[1:]] == [one.key for one in later]
    assert not any(one.ids for one in whole)
    assert whole[1].message.calls == whole[2].message.results
