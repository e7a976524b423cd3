"""Lint profiles: what providers, chat templates and training data ask for beyond G1 to G9."""

from typing import Any

import pytest

from ctxtui.core import Configure, Delete, Finding
from ctxtui.core.engine.settings import PROFILES
from tests.core.exchanges import ASK, NAMELESS, TELL, result, text, told, use
from tests.core.samples import Data, answer, call, facts, refusal, said, talk

SYSTEM = said("system", "be brief")
EMPTY: list[Data] = [text("")]
THINKING: Data = {"type": "thinking", "thinking": {"text": "hm"}}

OWN = {
    "generic": set(),
    "openai": {"O1"},
    "anthropic": {"A1", "A2", "A3", "A4", "A6", "A7", "A8"},
    "gemini": {"M1", "M3", "M4"},
    "strict-template": {"T1", "T2", "T3"},
    "fine-tuning": {"F1", "F2", "F3", "F4"},
}


def own(profile: str, *messages: Data) -> list[tuple[str, str, int | None]]:
    """Return what a profile finds beyond the rules that all share."""
    return [one for one in told(talk(*messages), profile=profile) if one[0][0] != "G"]


def the(profile: str, rule: str, *messages: Data) -> Finding:
    """Return the one finding of a rule."""
    (finding,) = [one for one in talk(*messages).lint(profile) if one.rule == rule]
    return finding


def test_o1_is_no_content_and_no_call() -> None:
    finding = the("openai", "O1", ASK, said("assistant", EMPTY))
    assert finding == Finding("O1", "warning", 1, 1, "No content and no call.")
    assert own("openai", ASK, said("user", "  ")) == [("O1", "warning", 1)]
    assert own("openai", ASK, said("assistant", [text(""), use("a")])) == []
    assert own("openai", ASK, said("user", [text(""), text("x")]), answer("a")) == []


def test_a1_is_a_system_message_after_the_first_user_message() -> None:
    finding = the("anthropic", "A1", SYSTEM, SYSTEM, ASK, TELL, SYSTEM, ASK)
    sentence = "A system message after the first user message is lifted to the top."
    assert finding == Finding("A1", "warning", 4, 4, sentence)
    assert own("anthropic", SYSTEM, SYSTEM, ASK) == []


@pytest.mark.parametrize(
    ("messages", "position", "whose"),
    [
        ([TELL, ASK], 0, "assistant"),
        ([SYSTEM, SYSTEM, TELL, ASK], 2, "assistant"),
        ([NAMELESS, ASK], 0, "tool"),
    ],
)
def test_a2_is_a_first_message_not_from_the_user(
    messages: list[Data], position: int, whose: str
) -> None:
    finding = the("anthropic", "A2", *messages)
    assert (finding.severity, finding.position) == ("error", position)
    assert finding.message == f"The first message is the {whose}'s; it must be the user's."


def test_a2_accepts_a_user_after_system_messages_and_has_no_say_about_nothing() -> None:
    assert own("anthropic", SYSTEM, SYSTEM, ASK) == []
    assert own("anthropic", SYSTEM) == []


def test_a3_is_a_result_not_in_the_turn_after_its_call() -> None:
    finding = the("anthropic", "A3", ASK, call("a"), ASK, answer("a"))
    assert (finding.severity, finding.position, finding.raw_index) == ("error", 3, 3)
    assert finding.message == "The result of position 1 is not in the next message."
    assert finding.repairs == ("drop",)


def test_a3_is_a_result_that_is_not_first_in_its_message() -> None:
    late = said("user", [text("here it is"), result("a")])
    finding = the("anthropic", "A3", ASK, call("a"), late)
    sentence = "A result is not first in its message."
    assert finding == Finding("A3", "error", 2, 2, sentence)


@pytest.mark.parametrize(
    "results",
    [
        [answer("a", "b", role="user")],
        [answer("a"), answer("b")],
        [said("user", [result("a"), result("b"), text("and now?")])],
    ],
)
def test_a3_accepts_results_first_in_the_next_turn(results: list[Data]) -> None:
    assert own("anthropic", ASK, call("a", "b"), *results) == []


def test_a3_accepts_a_result_in_the_calling_message_itself() -> None:
    assert own("anthropic", ASK, said("assistant", [use("a"), result("a"), text("x")]), ASK) == []


def test_a4_is_empty_content_anywhere_but_in_a_final_assistant_message() -> None:
    finding = the("anthropic", "A4", ASK, said("assistant", EMPTY), ASK)
    assert finding == Finding("A4", "error", 1, 1, "This message is empty.")
    assert own("anthropic", ASK, TELL, said("user", EMPTY)) == [("A4", "error", 2)]
    assert own("anthropic", ASK, said("assistant", EMPTY)) == [("A6", "warning", 1)]


def test_a6_is_the_assistant_having_the_last_word() -> None:
    finding = the("anthropic", "A6", ASK, TELL)
    assert finding == Finding("A6", "warning", 1, 1, "The last message is the assistant's.")
    assert own("anthropic", ASK, TELL, ASK) == []


def test_a7_is_a_final_assistant_text_that_ends_in_white_space() -> None:
    finding = the("anthropic", "A7", ASK, said("assistant", "the answer is "))
    assert finding == Finding("A7", "error", 1, 1, "The final text ends in white space.")
    parts = [text("the answer"), text("is\n")]
    assert ("A7", "error", 1) in own("anthropic", ASK, said("assistant", parts))


@pytest.mark.parametrize(
    "messages",
    [
        [ASK, said("assistant", "the answer is")],
        [ASK, said("assistant", [text("first "), text("last")])],
        [ASK, said("assistant", "done "), ASK],
        [ASK, TELL, said("user", "go ")],
    ],
)
def test_a7_leaves_other_white_space_alone(messages: list[Data]) -> None:
    assert "A7" not in {rule for rule, _, _ in own("anthropic", *messages)}


def test_a7_leaves_a_text_alone_that_a_call_follows() -> None:
    assert own("anthropic", ASK, said("assistant", [text("I look. "), use("a")])) == [
        ("A6", "warning", 1)
    ]


def thought(*parts: Data) -> Data:
    return said("assistant", [THINKING, *parts])


def test_a8_is_thinking_of_the_latest_tool_loop_that_is_not_first() -> None:
    odd = said("assistant", [text("so"), THINKING, use("a")])
    finding = the("anthropic", "A8", ASK, odd, answer("a"))
    sentence = "Thinking is not first in its message."
    assert finding == Finding("A8", "warning", 1, 1, sentence)
    assert own("anthropic", ASK, odd, answer("a"), TELL, ASK) == []


def test_a8_is_thinking_of_the_latest_tool_loop_that_was_removed() -> None:
    loop = [call("a"), answer("a"), thought(use("b")), answer("b")]
    finding = the("anthropic", "A8", ASK, *loop)
    assert finding == Finding("A8", "warning", 1, 1, "The thinking before this call was removed.")
    assert own("anthropic", ASK, *loop, TELL, ASK) == []


def test_a8_accepts_a_loop_that_thinks_first_or_not_at_all() -> None:
    assert own("anthropic", ASK, thought(use("a")), answer("a")) == []
    assert own("anthropic", ASK, call("a"), answer("a"), call("b"), answer("b")) == []


@pytest.mark.parametrize("before", [[], [SYSTEM], [ASK, TELL]])
def test_m1_is_a_call_that_follows_neither_user_nor_result(before: list[Data]) -> None:
    at = len(before)
    finding = the("gemini", "M1", *before, call("a"), answer("a"))
    assert finding == Finding("M1", "error", at, at, "A call must follow a user or result turn.")


@pytest.mark.parametrize(
    "before",
    [[ASK], [ASK, call("z"), answer("z")], [ASK, call("z"), answer("z", role="user")]],
)
def test_m1_accepts_a_call_after_a_user_or_result_turn(before: list[Data]) -> None:
    assert own("gemini", *before, call("a"), answer("a")) == []


def test_m3_is_as_many_results_as_calls() -> None:
    finding = the("gemini", "M3", ASK, call("a", "b", "c"), answer("a", "b"), ASK)
    sentence = "Calls: 3; results right after: 2."
    assert finding == Finding("M3", "error", 1, 1, sentence)
    assert own("gemini", ASK, call("a"), answer("a", "a"), ASK) == [("M3", "error", 1)]
    assert own("gemini", ASK, call("a", "b"), answer("a"), answer("b"), ASK) == []


def test_m4_is_the_model_having_the_last_turn() -> None:
    finding = the("gemini", "M4", ASK, TELL)
    assert finding == Finding("M4", "error", 1, 1, "The last turn is the model's.")
    assert own("gemini", ASK, TELL, ASK) == []
    assert own("gemini", ASK, call("a"), answer("a")) == []


def test_t1_is_a_system_message_that_is_not_first_or_not_the_only_one() -> None:
    finding = the("strict-template", "T1", ASK, TELL, SYSTEM)
    sentence = "Only one system message is allowed, at the start."
    assert finding == Finding("T1", "error", 2, 2, sentence)
    assert own("strict-template", SYSTEM, SYSTEM, ASK) == [("T1", "error", 1)]
    assert own("strict-template", SYSTEM, ASK) == []


def test_t2_is_user_and_assistant_not_taking_turns() -> None:
    finding = the("strict-template", "T2", SYSTEM, ASK, TELL, TELL, ASK)
    assert finding == Finding("T2", "error", 3, 3, "Two assistant messages in a row.")
    assert own("strict-template", ASK, ASK, ASK) == [("T2", "error", 1), ("T2", "error", 2)]


def test_t2_accepts_turns_and_passes_over_calls_and_results() -> None:
    loop = [call("a"), answer("a"), call("b"), answer("b", role="user")]
    assert own("strict-template", SYSTEM, ASK, *loop, TELL, ASK) == []


def test_t3_is_the_assistant_beginning() -> None:
    finding = the("strict-template", "T3", SYSTEM, TELL, ASK)
    assert finding == Finding("T3", "error", 1, 1, "The first message is the assistant's.")
    assert own("strict-template", SYSTEM, ASK, TELL) == []


def test_f1_is_nothing_to_learn_from() -> None:
    finding = the("fine-tuning", "F1", SYSTEM, ASK)
    assert finding == Finding("F1", "error", None, None, "No assistant message is visible.")
    assert own("fine-tuning", SYSTEM, ASK, TELL) == []


def test_f2_is_an_empty_assistant_message_without_a_call() -> None:
    finding = the("fine-tuning", "F2", ASK, said("assistant", EMPTY), ASK, TELL)
    assert finding == Finding("F2", "error", 1, 1, "This assistant message is empty.")
    called = said("assistant", [text(""), use("a")])
    assert own("fine-tuning", said("user", EMPTY), called, answer("a"), TELL) == []


def test_f3_is_a_last_message_not_from_the_assistant() -> None:
    finding = the("fine-tuning", "F3", ASK, TELL, ASK)
    sentence = "The last message is not the assistant's."
    assert finding == Finding("F3", "warning", 2, 2, sentence)
    assert own("fine-tuning", ASK, TELL) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_only_training_minds_a_conversation_in_which_nothing_was_said(profile: str) -> None:
    finding = Finding("F1", "error", None, None, "No assistant message is visible.")
    assert talk().lint(profile) == ([finding] if profile == "fine-tuning" else [])


def of_role(role: str) -> Data:
    return {**said("user", "abracadabra"), "metadata": {"openai": {"role": role}}}


def test_f4_is_a_role_that_no_trainer_knows() -> None:
    finding = the("fine-tuning", "F4", ASK, of_role("wizard"), TELL)
    assert finding == Finding("F4", "error", 1, 1, "No trainer knows the role 'wizard'.")
    assert own("fine-tuning", ASK, of_role("developer"), TELL) == []
    assert own("openai", ASK, of_role("wizard"), TELL) == []


BROKEN = (
    [said("assistant", [THINKING, text("x "), use("a", 7)]), SYSTEM, answer("a"), answer("a")],
    [said("assistant", EMPTY), said("assistant", [text("x "), THINKING]), call("p", "q"), ASK],
    [TELL, NAMELESS, SYSTEM, ASK, ASK, call("r"), answer("r"), said("assistant", "y ")],
    [ASK, said("assistant", [text("hm"), THINKING, use("s")]), SYSTEM, ASK, answer("z")],
    [ASK, said("assistant", [text("hm"), THINKING, use("s")]), answer("s"), TELL],
    [SYSTEM],
    [ASK, {**ASK, "metadata": {"openai": {"role": "wizard"}}}],
)


def rules(profile: str, messages: list[Data]) -> set[str]:
    return {one.rule for one in talk(*messages, tokenLimit=1).lint(profile)}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_the_shared_rules_and_its_own(profile: str) -> None:
    for messages in BROKEN:
        found, shared = rules(profile, messages), rules("generic", messages)
        assert found >= shared
        assert found - shared <= OWN[profile]
    every = set().union(*(rules(profile, messages) for messages in BROKEN))
    assert every == OWN[profile] | {f"G{number}" for number in range(1, 10)}


def test_the_profile_of_the_settings_is_the_one_that_is_asked_without_a_name() -> None:
    conversation = talk(ASK, TELL)
    assert told(conversation) == []
    conversation.execute(Configure(profile="anthropic"))
    assert told(conversation) == [("A6", "warning", 1)]
    assert told(conversation, profile="gemini") == [("M4", "error", 1)]


@pytest.mark.parametrize("name", ["mistral", "Anthropic", ""])
def test_an_unknown_profile_is_refused(name: str) -> None:
    caught = refusal(lambda: talk(ASK).lint(name))
    legal = "one of generic, openai, anthropic, gemini, strict-template, fine-tuning"
    assert str(caught) == f"profile {name!r} is not {legal}"
    assert facts(caught) == ("profile", name, legal)


@pytest.mark.parametrize("profile", PROFILES)
def test_only_what_is_visible_is_judged(profile: str) -> None:
    odd: list[Any] = [said("assistant", EMPTY), SYSTEM, answer("z"), call("a")]
    conversation = talk(*odd, ASK, TELL, ASK)
    conversation.execute(Delete(indices=[0, 1, 2, 3]))
    findings = {rule for rule, _, _ in told(conversation, profile=profile)}
    assert findings == ({"F3"} if profile == "fine-tuning" else set())
