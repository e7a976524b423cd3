"""The quick walk through a run gives what a slow one gives that computes everything anew."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Message, Refused
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.policies import Policy
from ctxtui.core.policies.figures import CallFigures
from ctxtui.core.policies.runs import CallEvaluator, SimulationConfig, run_of
from ctxtui.core.policies.simulation import conversation_at, run_policy, simulate
from tests.core.policies.naive_simulation import naive_simulation
from tests.core.policies.strategies import runs, stages
from tests.core.samples import Words, answer, call, registered, said

Data = dict[str, Any]


def conversation_of(messages: list[Data], marks: list[int], profile: str) -> Conversation:
    made = Conversation(messages, {"tokenLimit": 40, "profile": profile})
    marked = sorted({raw % len(messages) for raw in marks}) if messages else []
    if marked:
        made.execute({"operation": "MARK", "indices": marked, "label": "m"})
    return made


@given(runs(), st.lists(st.integers(0, 40), max_size=3), stages(), st.sampled_from(PROFILES))
def test_every_figure_is_that_of_the_slow_way(
    messages: list[Data], marks: list[int], made: list[Data], profile: str
) -> None:
    original = conversation_of(messages, marks, profile)
    told = run_policy(SimulationConfig.about(run_of(original)), Policy({"stages": made})).to_dict()
    assert told.pop("name") == "policy"
    assert told == naive_simulation(original, made, list(original.marks))


SELDOM: Data = {"everyCalls": 2}
UNTOLD: Data = {"operation": "FILTER", "roles": ["system", "user", "assistant"]}
REDACTED: Data = {"operation": "REDACT", "select": {"roles": ["user", "assistant"]}}
NOTE: Data = {"operation": "INSERT", "position": 0, "messages": [said("user", "be brief")]}
NOTED: Data = {"when": {"everyCalls": 3}, "do": [NOTE]}
STRAY: Data = {"operation": "INSERT", "position": 0, "messages": [said("tool", "of nothing")]}
STRAYED: Data = {"operation": "REPLACE", "index": 0, "message": said("tool", "of nothing")}
NEVER: Data = {"when": {"messagesAbove": 99}, "do": [{"operation": "CLEAR"}]}
ASKED = [said("user", "go on"), said("assistant", "yes"), said("user", "and?")]


@pytest.mark.parametrize(
    ("messages", "made", "profile", "errors"),
    [
        (
            [*ASKED, said("assistant", "well"), said("system", "late"), said("assistant", "end")],
            *([NEVER], "strict-template", [0, 0, 1]),
        ),
        (
            [said("system", "be kind"), said("assistant", "hello"), *ASKED],
            *([NEVER], "generic", [1, 0]),
        ),
        (
            [said("user", "look"), call("a"), answer("a"), said("assistant", "it is"), *ASKED],
            *([{"when": SELDOM, "do": [UNTOLD]}], "generic", [0, 0, 1]),
        ),
        (
            [said("user", "look"), call("a"), answer("a"), said("assistant", "it is"), *ASKED],
            *([{"when": SELDOM, "do": [REDACTED, UNTOLD]}], "generic", [0, 0, 1]),
        ),
        (
            [*ASKED, *ASKED[1:], call("a", "b"), answer("a"), answer("b"), *ASKED[1:], *ASKED[1:]],
            *([NOTED, {"when": {"everyCalls": 4}, "do": [UNTOLD]}], "generic", [0, 0, 0, 0, 3]),
        ),
        (
            [said("user", "look"), said("assistant", "I do"), call("a"), answer("a"), *ASKED],
            *([{"when": SELDOM, "do": [STRAY]}], "generic", [0, 0, 1]),
        ),
        (
            [said("user", "look"), said("assistant", "I do"), call("a"), answer("a"), *ASKED],
            *([{"when": SELDOM, "do": [STRAYED]}], "generic", [0, 0, 1]),
        ),
    ],
    ids=[
        "a rule of the profile is broken by what comes",
        "the first that can be sent comes",
        "the call that is sent last gets no result any more",
        "the same with copies of what was sent",
        "the same behind what the policy added",
        "the policy itself brings a result of nothing",
        "the policy makes one of a message",
    ],
)
def test_errors_are_not_carried_on_where_what_comes_makes_more_or_fewer(
    messages: list[Data], made: list[Data], profile: str, errors: list[int]
) -> None:
    original = conversation_of(messages, [], profile)
    told = run_policy(SimulationConfig.about(run_of(original)), Policy({"stages": made})).to_dict()
    assert told.pop("name") == "policy"
    assert told == naive_simulation(original, made, [])
    assert [one["errors"] for one in told["perCall"]] == errors


def test_calls_before_which_nothing_is_due_and_nothing_odd_comes_are_judged_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged: list[int] = []
    judge = CallEvaluator.judge

    def counted(self: CallEvaluator, number: int, *args: Any, acted: bool) -> CallFigures:
        judged.append(number)
        return judge(self, number, *args, acted=acted)

    monkeypatch.setattr(CallEvaluator, "judge", counted)
    messages = [*ASKED[:2] * 3, said("user", "look"), call("a"), answer("a"), *ASKED[:2] * 3]
    made = [{"when": {"everyCalls": 6}, "do": [NOTE]}]
    original = conversation_of(messages, [], "generic")
    told = run_policy(SimulationConfig.about(run_of(original)), Policy({"stages": made})).to_dict()
    assert judged == [1, 6]
    assert told == {"name": "policy", **naive_simulation(original, made, [])}


def test_messages_of_a_run_are_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with registered(Words()):
        made = Conversation([*ASKED, said("assistant", "well")], {"counter": "words"})
        question = SimulationConfig.about(run_of(made))
        counted: list[str] = []

        def count(self: Words, message: Message) -> int:
            counted.append(message.text)
            return 100

        monkeypatch.setattr(Words, "count", count)
        figures = run_policy(question, Policy({"when": SELDOM, "do": [NOTE]})).figures
        assert [one.tokens for one in figures.per_call] == [2, 104]
        assert counted == ["be brief"]


@given(runs(), st.lists(st.integers(0, 40), max_size=3), stages())
def test_a_real_conversation_under_the_policy_sends_the_same(
    messages: list[Data], marks: list[int], made: list[Data]
) -> None:
    original = conversation_of(messages, marks, "generic")
    question, policy = SimulationConfig.about(run_of(original)), Policy({"stages": made})
    walked = run_policy(question, policy)
    for number, (real, _) in enumerate(simulate(question, policy), start=1):
        sent = walked.at(number)
        assert list(sent.visible) == list(real.visible)
        assert list(sent.view) == list(real.view)
        assert sent.tokens == real.tokens
        assert sent.marks == real.marks
        assert sent.lint() == real.lint()
        assert real.check() == []
    assert len(list(original.log)) == len(messages)


def test_what_a_call_sends_is_counted_and_linted_with_what_is_pending() -> None:
    texts = [said("assistant", f"answer {place}") for place in range(3)]
    question = SimulationConfig.about(run_of(Conversation([*texts, call("a")])))
    sent = run_policy(question, Policy({"when": {"tokensAbove": 999}, "do": [NOTE]})).at(4)
    assert list(sent.view) == [0, 1, 2]
    assert sent.tokens.total == sent.moment.total(sent.current) == 6
    assert sent.stats().current_batch_messages == 3
    assert sent.mark_map().original_indices == [0, 1, 2]


@given(runs(), stages(), st.data())
def test_the_conversation_at_a_call_is_the_one_of_that_call(
    messages: list[Data], made: list[Data], data: st.DataObject
) -> None:
    question = SimulationConfig.about(run_of(Conversation(messages)))
    if not question.run.calls:
        return
    policy = Policy({"stages": made})
    call = data.draw(st.integers(1, len(question.run.calls)))
    real = conversation_at(question, policy, call, meta={"title": "x"})
    assert list(real.view) == list(run_policy(question, policy).at(call).view)
    assert real.meta["title"] == "x"


def test_a_run_without_its_states_has_the_same_figures_and_refuses_to_show_a_call() -> None:
    made = conversation_of(
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], [], "generic"
    )
    walked = run_policy(SimulationConfig.about(run_of(made)), Policy([{"operation": "CLEAR"}]))
    light = walked.without_states()
    assert light.figures is walked.figures
    with pytest.raises(Refused, match="not kept"):
        light.at(1)


def test_a_policy_tells_the_numbers_a_sweep_can_vary() -> None:
    policy = Policy(
        {
            "parameters": {"k": 60},
            "stages": [
                {
                    "when": {"messagesAbove": "$k+20", "tokensAbove": 900},
                    "do": [{"operation": "TRUNCATE", "keepLast": "$k", "keepSystem": True}],
                },
                {"do": [{"operation": "REDACT", "select": {"exceptLast": 4}}]},
            ],
        }
    )
    assert policy.numbers == {"k": 60, "tokensAbove": 900, "exceptLast": 4}
    assert next(iter(policy.numbers)) == "k"
    assert policy.with_value("exceptLast", 2).numbers["exceptLast"] == 2
