"""Lint rules G1 to G9, which every profile shares, and an independent reading of G1 to G4."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from ctxtui.core import Clear, Conversation, Delete, Finding, Select
from tests.core.exchanges import (
    ASK,
    NAMELESS,
    PAIR_RULES,
    TELL,
    Told,
    messages,
    naive,
    result,
    text,
    told,
    use,
)
from tests.core.samples import Data, answer, call, five, said, talk


def only(conversation: Conversation, rule: str) -> Finding:
    """Return the one finding of a rule."""
    (finding,) = [one for one in conversation.lint() if one.rule == rule]
    return finding


def found(*messages: Data) -> list[Told]:
    """Return what there is to say about some messages."""
    return told(talk(*messages))


@pytest.mark.parametrize(
    "messages",
    [
        [ASK, TELL],
        [ASK, call("a"), answer("a"), TELL],
        [ASK, call("a"), answer("a", role="user"), TELL],
        [ASK, call("a", "b"), answer("a"), answer("b"), TELL],
        [ASK, call("a", "b"), answer("b"), answer("a"), TELL],
        [ASK, call("a", "b"), answer("a", "b", role="user"), TELL],
        [ASK, call("a"), answer("a"), call("b"), answer("b")],
        [ASK, said("assistant", [use("a"), result("a"), text("done")]), ASK],
        [ASK, call("a"), said("user", [result("a"), text("and go on")]), TELL],
        [ASK, said("user", [use("a")])],
    ],
)
def test_a_sound_conversation_has_no_findings(messages: list[Data]) -> None:
    assert found(*messages) == []


def test_g1_is_a_result_without_its_call_before_it() -> None:
    conversation = talk(ASK, call("a"), answer("a"), TELL)
    conversation.execute(Delete(indices=[1]))
    assert conversation.lint() == [
        Finding("G1", "error", 2, 1, "This result has no call 'a' before it.", ("drop", "restore"))
    ]


def test_g1_does_not_take_a_call_that_comes_later() -> None:
    assert found(ASK, answer("a"), call("a")) == [("G1", "error", 1), ("G2", "warning", 2)]


def test_g1_counts_each_result_of_a_message() -> None:
    assert found(ASK, answer("a", "b"), TELL) == [("G1", "error", 1)] * 2


def test_g1_of_a_tool_message_that_names_no_call() -> None:
    finding = only(talk(ASK, call("a"), answer("a"), NAMELESS), "G1")
    assert (finding.severity, finding.position, finding.repairs) == ("error", 3, ("drop",))
    assert finding.message == "This tool message names no call."


def test_g1_is_a_warning_where_no_call_is_visible_at_all() -> None:
    conversation = talk(ASK, call("a"), answer("a"), NAMELESS)
    conversation.execute(Delete(indices=[1, 2]))
    assert told(conversation) == [("G1", "warning", 1)]
    assert found(ASK, answer("a"), NAMELESS) == [("G1", "error", 1), ("G1", "warning", 2)]


def test_a_tool_message_with_other_parts_names_no_call_either() -> None:
    assert found(ASK, said("tool", [text("it rains")])) == [("G1", "warning", 1)]


def test_g2_is_a_call_without_a_result() -> None:
    conversation = talk(ASK, call("a"), answer("a"), TELL)
    conversation.execute(Delete(indices=[2]))
    assert conversation.lint() == [
        Finding("G2", "error", 1, 1, "Call 'a' has no result.", ("drop", "stub"))
    ]


def test_g2_is_told_for_each_call() -> None:
    assert told(talk(ASK, call("a", "b", "c"), answer("b"), TELL), "G2") == [("G2", "error", 1)] * 2


def test_g2_is_waiting_where_only_own_results_come_after() -> None:
    finding = only(talk(ASK, call("a")), "G2")
    assert (finding.severity, finding.position) == ("warning", 1)
    assert finding.message == "Call 'a' is waiting for a result."
    assert finding.repairs == ("drop", "stub")
    assert told(talk(ASK, call("a", "b"), answer("a"))) == [
        ("G2", "warning", 1),
        ("G4", "warning", 1),
    ]


@pytest.mark.parametrize("last", [ASK, TELL, said("system", "x"), call("b"), answer("z")])
def test_g2_is_an_error_as_soon_as_anything_else_comes_after(last: Data) -> None:
    assert ("G2", "error", 1) in found(ASK, call("a"), last)


def test_g2_is_an_error_where_a_nameless_tool_message_comes_after() -> None:
    assert found(ASK, call("a"), NAMELESS) == [("G2", "error", 1), ("G1", "error", 2)]


def test_g2_waits_though_the_calling_message_itself_holds_an_older_result() -> None:
    late = said("assistant", [result("a"), use("b")])
    assert found(ASK, call("a"), late) == [("G2", "warning", 2), ("G3", "error", 2)]


@pytest.mark.parametrize("between", [ASK, TELL, said("system", "x")])
def test_g3_is_a_result_with_something_between(between: Data) -> None:
    conversation = talk(ASK, call("a"), between, answer("a"))
    sentence = "This result of 'a' does not come right after its call at position 1."
    assert conversation.lint() == [Finding("G3", "error", 3, 3, sentence, ("drop",))]


def test_g3_is_not_disturbed_by_results_between() -> None:
    assert told(talk(ASK, call("a"), answer("z"), answer("a")), "G3") == []


def test_g3_is_told_for_each_displaced_result() -> None:
    messages = talk(ASK, call("a", "b"), TELL, answer("a"), answer("b"))
    assert told(messages) == [("G4", "error", 1), ("G3", "error", 3), ("G3", "error", 4)]


def test_g3_sees_a_call_of_the_assistant_between() -> None:
    crossed = talk(ASK, call("a"), call("b"), answer("a"), answer("b"))
    assert told(crossed) == [("G3", "error", 3)]


def test_g3_sees_a_result_that_the_assistant_holds() -> None:
    assert found(ASK, call("a"), answer("a", role="assistant")) == [("G3", "error", 2)]


def test_g4_wants_all_results_of_parallel_calls_right_after() -> None:
    finding = only(talk(ASK, call("a", "b", "c"), answer("c"), answer("a"), ASK), "G4")
    assert (finding.severity, finding.position, finding.raw_index) == ("error", 1, 1)
    assert finding.message == "2 of 3 parallel calls have their result right after."
    assert finding.repairs == ("drop",)


def test_g4_stands_beside_g2_and_g3_and_only_for_parallel_calls() -> None:
    assert found(ASK, call("a", "b"), answer("a"), ASK, answer("b")) == [
        ("G4", "error", 1),
        ("G3", "error", 4),
    ]
    assert found(ASK, call("a", "b"), ASK) == [
        ("G2", "error", 1),
        ("G2", "error", 1),
        ("G4", "error", 1),
    ]
    assert found(ASK, call("a"), ASK) == [("G2", "error", 1)]


def test_g4_is_a_warning_in_mid_turn() -> None:
    finding = only(talk(ASK, call("a", "b"), answer("a")), "G4")
    assert finding.severity == "warning"
    assert finding.message == "Waiting: 1 of 2 parallel calls have their result right after."


def test_g5_is_a_second_result_for_a_call() -> None:
    conversation = talk(ASK, call("a"), answer("a"), answer("a"))
    sentence = "This call has its result twice: 'a'."
    assert conversation.lint() == [Finding("G5", "warning", 3, 3, sentence)]


def test_g5_is_a_call_id_that_is_used_again() -> None:
    conversation = talk(ASK, call("a"), answer("a"), call("a"), answer("a"))
    sentence = "This call id is used twice: 'a'."
    assert conversation.lint() == [Finding("G5", "warning", 3, 3, sentence)]
    assert told(talk(ASK, call("a", "a"), answer("a"), TELL)) == [("G5", "warning", 1)]


def test_g6_is_nothing_to_send() -> None:
    conversation = five()
    conversation.execute(Clear())
    sentence = "Only system messages are visible."
    assert conversation.lint() == [Finding("G6", "error", None, None, sentence)]
    conversation.execute(Clear(keep_system_message=False))
    assert conversation.lint() == [Finding("G6", "error", None, None, "Nothing is visible.")]
    assert talk(NAMELESS).lint()[0].rule == "G1"


@pytest.mark.parametrize("odd", ["{}", ["x"], 7, True])
def test_g7_is_tool_input_that_is_no_object(odd: object) -> None:
    conversation = talk(ASK, said("assistant", [use("a"), use("b", odd)]), answer("a", "b"))
    sentence = "The input of a call is not a JSON object."
    assert conversation.lint() == [Finding("G7", "warning", 1, 1, sentence)]


@pytest.mark.parametrize("content", [" ", "\n\t", [text("")], [text("x"), text("  ")]])
def test_g8_is_an_empty_text(content: Any) -> None:
    conversation = talk(ASK, said("assistant", content))
    sentence = "A text of this message is empty."
    assert conversation.lint() == [Finding("G8", "warning", 1, 1, sentence)]


def test_g9_is_more_tokens_than_the_limit() -> None:
    long = said("user", "x" * 4000)
    assert talk(long, tokenLimit=1000).lint() == []
    sentence = "1,000 tokens are above the limit of 999."
    conversation = talk(long, tokenLimit=999)
    assert conversation.lint() == [Finding("G9", "warning", None, None, sentence)]


def test_findings_name_raw_index_and_position_and_come_from_top_to_bottom() -> None:
    conversation = talk(ASK, said("user", " "), call("a"), said("user", "\n"), tokenLimit=1)
    conversation.execute(Select(indices=[3, 2, 1, 0]))
    places = [(one.rule, one.raw_index, one.position) for one in conversation.lint()]
    assert places == [("G9", None, None), ("G8", 3, 0), ("G2", 2, 1), ("G8", 1, 2)]


def test_a_finding_as_json_and_back() -> None:
    finding = only(talk(ASK, call("a")), "G2")
    assert finding.to_dict() == {
        "rule": "G2",
        "severity": "warning",
        "rawIndex": 1,
        "position": 1,
        "message": "Call 'a' is waiting for a result.",
        "repairs": ["drop", "stub"],
    }


def test_the_findings_a_preview_would_leave_are_those_it_leaves() -> None:
    conversation = talk(ASK, call("a"), answer("a"), TELL)
    before = conversation.lint()
    conversation.preview(Delete(indices=[1]))
    assert conversation.lint() == before == []


@given(messages)
def test_calls_and_results_are_judged_as_a_naive_reading_judges_them(given: list[Data]) -> None:
    assert Counter(told(talk(*given), *PAIR_RULES)) == naive(given)
