"""The language of policies: numbers, names, what is refused, and what is remembered."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.amounts import Expression
from ctxtui.core.engine.messages import ThinkingPart
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import recorded_script, run_policy
from ctxtui.core.scripts import Script
from tests.core.samples import Data, answer, call, refusal, said, talk

WINDOW: Data = {"operation": "TRUNCATE", "keepLast": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("85% * limit", 850),
        ("limit - 16.5", Fraction(1967, 2)),
        ("-rows / 4", Fraction(-5, 4)),
        ("min(rows, 2) + max(1, rows)", 7),
        ("floor(rows / 2) + ceil(rows / 2)", 5),
        ("0.1 * 3", Fraction(3, 10)),
        ("12.5%", Fraction(1, 8)),
        ("--1", 1),
    ],
)
def test_arithmetic_is_exact(text: str, value: Any) -> None:
    known = {"limit": 1000, "rows": 5}
    assert Expression.read(text, "n").value(known.__getitem__) == value


@pytest.mark.parametrize(
    "text", ["", "1 +", "(1", "1 2", "min(1)", "floor(1, 2)", "a.b.c", "2 ** 3"]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    assert "a number or an expression" in str(refusal(lambda: Expression.read(text, "n")))


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (
            [{"operation": "TRUNCATE", "keepLast": "2 * row"}],
            "keepLast '2 * row' names row; an expression may name messages, tokens,",
        ),
        (
            [{"operation": "TRUNCATE", "keepLast": {"turns": 1, "edge": "here"}}],
            "keepLast: edge 'here' is not one of split, back, forward,",
        ),
        (
            [{"operation": "TRUNCATE", "keepLast": {"turns": 1, "rows": 1}}],
            "keepLast: a tail or head has rows and turns; it takes one of messages,",
        ),
        (
            [{"operation": "DELETE", "select": "old"}],
            "'old' is no selection of this policy; there are a policy with selections",
        ),
        (
            {"selections": {"a": {"among": "a"}}, "do": [WINDOW]},
            "selections.a: 'a' contains itself; there are a",
        ),
        (
            {"selections": {"a": {}}, "do": [{"operation": "TRUNCATE", "keepLast": "b.tokens"}]},
            "keepLast 'b.tokens' names b.tokens",
        ),
        ({"when": {"rows": {}}, "do": [WINDOW]}, "rows: no bound is given; give one of above,"),
        ({"when": {"all": []}, "do": [WINDOW]}, "all [] is not a list of conditions"),
        ({"do": [WINDOW], "on": "answer"}, "on 'answer' is not one of call, message"),
        ({"do": [WINDOW], "act": "last"}, "act 'last' is not one of all, first"),
        ({"do": [WINDOW], "ensures": {"x": 1}}, "ensures: 'x' is not a field of when"),
        (
            [{"operation": "REDACT", "select": {}, "parts": ["words"]}],
            "parts 'words' is not one of texts, results,",
        ),
        (
            [{"operation": "COMPRESS", "select": {}, "summary": {"template": "x", "copyOf": {}}}],
            "an entry of a summary has a template or copyOf",
        ),
        ([{"operation": "DELETE", "select": {}, "note": "x"}], "note has no meaning without pairs"),
    ],
)
def test_what_is_wrong_names_the_field_and_what_is_allowed(policy: Any, sentence: str) -> None:
    assert sentence in str(refusal(lambda: Policy(policy)))


def test_a_number_without_its_limit_refuses_the_stage_when_it_happens() -> None:
    conversation = talk(said("user", "one"), said("user", "two"))
    for number in ("limit - 1", "output", "1 / (messages - 2)"):
        policy = Policy([{"operation": "TRUNCATE", "keepLast": number}])
        (refused,) = policy.before_call(conversation).refused
        assert any(words in refused.reason for words in ("is set", "divided by 0"))
    assert (
        Policy([{"operation": "TRUNCATE", "keepLast": "output"}])
        .before_call(conversation, output=1)
        .acted
    )
    assert conversation.view == [1]


def test_what_a_stage_wrote_for_one_request_is_gone_at_the_next_call() -> None:
    conversation = talk(said("user", "one"), call("a"), answer("a"), said("user", "two"))
    clear = {"operation": "REDACT", "select": {"roles": ["tool"]}, "parts": ["results"]}
    policy = Policy({"lasting": False, "when": {"messages": {"atMost": 4}}, "do": [clear]})
    before = conversation.copy()
    acted = policy.before_call(conversation)
    assert acted.acted
    assert acted.raws == (0, 1, None, 3)
    assert [message.search_text for message in acted.messages][2] == "[cleared]"
    assert conversation == before
    conversation.append("assistant", "done")
    assert list(policy.before_call(conversation).messages) == list(conversation.visible)


def test_a_policy_remembers_what_it_sent_and_heard_of_each_conversation() -> None:
    policy = Policy({"when": {"used": {"atLeast": 6}}, "do": [WINDOW]})
    first, other = (talk(*[said("user", "four" * 2) for _ in range(2)]) for _ in range(2))
    assert not policy.before_call(first).acted
    first.append("assistant", "four" * 2)
    first.append("user", "four")
    assert policy.before_call(first).acted
    assert not policy.before_call(other).acted


def test_a_stage_that_gives_up_is_not_tried_again() -> None:
    policy = Policy(
        {
            "ensures": {"messages": {"atMost": "messages - 2"}},
            "giveUp": 1,
            "do": [{"operation": "DELETE", "select": {"first": 1}}],
        }
    )
    conversation = talk(*[said("user", str(n)) for n in range(5)])
    assert not policy.before_call(conversation).acted
    other = Policy({"do": [{"operation": "DELETE", "select": {"first": 2}}], "giveUp": 1})
    assert other.before_call(conversation).acted
    assert not policy.before_call(conversation).acted
    assert len(conversation.view) == 3


def test_a_stage_acts_as_each_message_comes() -> None:
    policy = Policy({"on": "message", "when": {"messages": {"above": 2}}, "do": [WINDOW]})
    conversation = Conversation()
    for text in "abcd":
        conversation.append("user", text)
    assert [one.text for one in policy.before_call(conversation).messages] == ["c", "d"]
    wide = Policy(
        {
            "on": "message",
            "when": {"messages": {"above": 2}},
            "do": [{"operation": "COMPRESS", "select": {}, "summary": {"template": "{count}"}}],
        }
    )
    conversation = Conversation([{"role": "user", "content": text} for text in "abcde"])
    assert [one.text for one in wide.before_call(conversation).messages] == ["3"]


def test_operations_of_the_language_are_operations_like_all_others() -> None:
    conversation = talk(
        *(one for name in "abc" for one in (said("user", name), call(name), answer(name)))
    )
    asked: list[Data] = [
        {"operation": "REDACT", "select": {"roles": ["tool"], "first": 1}, "parts": ["results"]},
        {
            "operation": "COMPRESS",
            "each": "exchange",
            "select": {"in": "exchange", "exceptLast": {"exchanges": 1}},
            "summary": {"template": "[{results}]", "each": "{tool}: {result}"},
        },
        {"operation": "DELETE", "select": {"roles": ["tool"], "last": 1}, "pairs": "calls"},
        {"operation": "TRUNCATE", "keepLast": {"turns": "turns - 1"}},
    ]
    for one in asked:
        conversation.execute(one)
    assert not conversation.check()
    assert Conversation.from_dict(conversation.to_dict()) == conversation
    assert Conversation.replay(conversation.journal) == conversation
    sent = [message.text for message in conversation.visible]
    for _ in asked:
        conversation.undo()
    assert len(conversation.view) == 9
    for _ in asked:
        conversation.redo()
    assert [message.text for message in conversation.visible] == sent
    with pytest.raises(Refused):
        conversation.execute({"operation": "TRUNCATE", "keepLast": "sent"})


def test_a_summary_counts_as_at_least_as_many_tokens_as_it_says() -> None:
    conversation = talk(*[said("user", "words " * 90) for _ in range(4)], said("assistant", "so"))
    summary = {"role": "user", "template": "{count} gone", "tokens": "30% * tokens"}
    short = {"operation": "COMPRESS", "select": {"roles": ["user"]}, "summary": summary}
    policy, least = Policy({"do": [short]}), 162
    figures = run_policy(SimulationConfig.about(run_of(conversation)), policy).figures
    assert figures.tokens_sent == least
    copy = Conversation([one.to_dict() for one in conversation.log[:4]])
    assert policy.before_call(copy).acted
    assert copy.tokens.total == least
    assert Conversation.from_dict(copy.to_dict()).tokens.total == least
    copy.execute({"operation": "REDACT", "indices": list(copy.view), "parts": ["texts"]})
    assert copy.tokens.total == 3, "what is rewritten stands for nothing longer"


@pytest.mark.parametrize("least", [-1, True, 10**30, "many", None])
def test_what_is_no_number_of_tokens_is_not_counted(least: Any) -> None:
    message = {**said("user", "four"), "metadata": {"tokensAtLeast": least}}
    assert Conversation([message]).tokens.total == 1


def test_a_stage_of_a_provider_shows_what_the_model_would_have_seen() -> None:
    conversation = talk(
        said("user", "go"), *(one for name in "abcd" for one in (call(name), answer(name)))
    )
    rule = {
        "trigger": {"type": "tool_uses", "value": 3},
        "keep": {"type": "tool_uses", "value": 1},
    }
    policy = Policy({"stages": [{"provider": {"clear_tool_uses": rule, "clear_thinking": {}}}]})
    sent = [one.search_text for one in policy.before_call(conversation).messages]
    assert sent.count("[cleared]") == 3
    assert len(conversation.log) == 9
    assert Policy.from_dict(policy.to_dict()) == policy
    least = {**rule, "clear_at_least": {"type": "input_tokens", "value": 500}}
    assert (
        not Policy({"stages": [{"provider": {"clear_tool_uses": least}}]})
        .before_call(conversation)
        .acted
    )
    wrong: Data = {"stages": [{"provider": {"clear_results": {}}}]}
    assert "it takes clear_tool_uses, clear_thinking, compact" in str(
        refusal(lambda: Policy(wrong))
    )


def thinking(text: str, *names: str) -> Data:
    thought = {"type": "thinking", "thinking": {"text": text}}
    uses = [call(name)["content"][0] for name in names]
    return said("assistant", [thought, {"type": "text", "text": "so"}, *uses])


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ({}, ["c", "d"]),
        ({"keep": {"type": "thinking_turns", "value": 2}}, ["b", "c", "d"]),
        ({"keep": {"type": "thinking_turns", "value": 9}}, ["a", "b", "c", "d"]),
        ({"keep": "all"}, ["a", "b", "c", "d"]),
    ],
)
def test_thinking_is_kept_of_the_newest_turns_that_have_some(rule: Data, kept: list[str]) -> None:
    plain = [said("user", "and?"), said("assistant", "well")]
    conversation = talk(
        *(said("user", "one"), thinking("a"), *plain, said("user", "two"), thinking("b"), *plain),
        *(said("user", "three"), thinking("c", "k"), answer("k"), thinking("d"), *plain),
        said("user", "last"),
    )
    policy = Policy({"stages": [{"provider": {"clear_thinking": rule}}]})
    messages = policy.before_call(conversation).messages
    left = [p.text for one in messages for p in one.parts if isinstance(p, ThinkingPart)]
    assert left == kept
    assert len(messages) == len(conversation.view)


def test_a_provider_compacts_above_its_trigger_for_good() -> None:
    rule = {"trigger": {"type": "input_tokens", "value": 50}}
    policy = Policy({"stages": [{"provider": {"compact": rule}}]})
    turn = [said("user", "four" * 20), said("assistant", "four" * 20)]
    conversation = talk(said("system", "rules"), *turn)
    assert not policy.before_call(conversation).acted
    conversation.append("user", "four" * 20)
    sent = policy.before_call(conversation).messages
    assert [one.text for one in sent] == ["rules", "summary of 3 messages"]
    assert conversation.tokens.total == 3_002
    figures = run_policy(SimulationConfig.about(run_of(talk(*turn * 2))), policy).figures
    assert figures.acted == figures.summary_calls == 1
    usual = Policy({"stages": [{"provider": {"compact": {}}}]})
    assert usual.stages[0].when.in_words() == "above 150,000 tokens"


def test_a_script_repeats_a_policy_that_remembers_its_last_request() -> None:
    pairs = [(said("user", "ask " * 9), said("assistant", "say " * 9)) for _ in range(6)]
    conversation = talk(*(one for pair in pairs for one in pair))
    policy = Policy({"name": "used", "when": {"used": {"atLeast": 40}}, "do": [WINDOW]})
    config = SimulationConfig.about(run_of(conversation))
    assert run_policy(config, policy).figures.acted == 2
    script = Script.from_dict(recorded_script(config, policy, "run"))
    assert [report.error for report in script.take(script.start())] == [None] * len(script.steps)
    passing = Policy({"name": "passing", "lasting": False, "do": [WINDOW]})
    sentence = str(refusal(lambda: recorded_script(config, passing, "run")))
    assert sentence.startswith("passing has stages that do not last")
