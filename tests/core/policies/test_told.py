"""What a run under a policy tells: refusals, prices, states that were sent, data for programs."""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy, Prices
from ctxtui.core.policies.figures import FigureExpectation
from ctxtui.core.policies.policy import Sweep
from ctxtui.core.policies.runs import SimulationConfig, calls_made, run_of
from ctxtui.core.policies.simulation import (
    SimulationCancelled,
    conversation_at,
    recorded,
    recorded_script,
    run_policy,
    swept,
)
from ctxtui.core.scripts import Script
from tests.core.samples import facts, refusal, said, talk

WINDOW = Policy([{"operation": "TRUNCATE", "keepLast": 2}], name="window")
SELDOM = Policy(
    {"when": {"messagesAbove": 5}, "do": [{"operation": "TRUNCATE", "keepLast": 2}]}, name="seldom"
)

ADDED = {"operation": "INSERT", "position": 0, "messages": [said("user", "be brief")]}
BRIEF = Policy({"when": {"messagesAbove": 0}, "do": [ADDED]}, name="brief")
ONCE = Policy({"when": {"everyCalls": 3}, "do": [ADDED]}, name="once")


def chat(turns: int) -> Conversation:
    """Return questions and answers of different lengths; two messages are marked."""
    pairs = [
        (said("user", "question " * (number + 1)), said("assistant", "answer " * number + "yes"))
        for number in range(turns)
    ]
    conversation = talk(*[message for pair in pairs for message in pair])
    conversation.execute({"operation": "MARK", "indices": [0, 2], "label": "rule"})
    conversation.execute({"operation": "MARK", "indices": [2], "label": "other"})
    return conversation


def test_an_expectation_that_can_t_be_read_is_named_with_what_could() -> None:
    caught = refusal(lambda: FigureExpectation.read("calls=>3"))
    assert facts(caught) == ("expect", "calls=>3", "such as broken=0 or 'tokensSent<=900000'")
    caught = refusal(lambda: FigureExpectation.read("call=3"))
    assert (caught.field, caught.value) == ("expect", "call")
    assert (caught.legal or "").startswith("one of calls, broken, withoutMarked")


def test_a_cost_is_expected_in_fractions_and_only_with_a_price() -> None:
    figures = run_policy(SimulationConfig.about(run_of(chat(3))), WINDOW).figures
    caught = refusal(lambda: FigureExpectation.read("cost<=0.5").miss(figures))
    assert str(caught) == "cost can't be expected without a price"
    assert facts(caught) == ("expect", None, "with --price")
    priced = run_policy(
        SimulationConfig.about(run_of(chat(3)), prices=Prices.read("input=3")), WINDOW
    ).figures
    assert FigureExpectation.read("cost<=0.5").miss(priced) is None
    missed = FigureExpectation.read("cost>=0.5").miss(priced)
    assert missed == f"cost is {priced.cost}; expected is cost>=0.5"


def test_prices_without_an_input_are_named_as_they_were_typed() -> None:
    caught = refusal(lambda: Prices.read("cached=1,output=2"))
    assert str(caught) == "price 'cached=1,output=2' has no input"
    assert facts(caught) == ("price", None, "input=…")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("input=3,tokens=1", ("price", "input=3,tokens=1", "input=…, and cached=… and output=…")),
        ("input=3=4", ("price input", "3=4", "a number from 0 to 1,000,000")),
        ("input=1000000.5", ("price input", "1000000.5", "a number from 0 to 1,000,000")),
    ],
    ids=["unknown", "two signs", "too high"],
)
def test_a_price_that_can_t_be_read_is_named(text: str, told: tuple[str, str, str]) -> None:
    field, value, legal = facts(refusal(lambda: Prices.read(text)))
    assert (field, value) == told[:2]
    assert str(legal).startswith(told[2])


def test_without_a_price_answers_are_free_and_a_cache_saves_nothing() -> None:
    assert Prices.read("input=999999.5") == Prices(999999.5, 999999.5, 0.0)
    assert Prices.read("input=1000000") == Prices(1e6, 1e6, 0.0)


def test_the_same_run_can_be_told_at_other_prices() -> None:
    prices = Prices.read("input=3,output=15")
    run = run_policy(SimulationConfig.about(run_of(chat(3))), WINDOW)
    assert run.figures.cost is None
    told = run.priced(prices)
    assert told.config.prices == prices
    asked = run_policy(SimulationConfig.about(run_of(chat(3)), prices=prices), WINDOW)
    assert told.figures.cost == asked.figures.cost
    assert told.priced(None).figures.cost is None


def test_what_was_sent_can_t_be_asked_of_a_run_that_kept_only_its_figures() -> None:
    run = run_policy(SimulationConfig.about(run_of(chat(3))), WINDOW)
    told = run.without_states()
    assert told.to_dict() == run.to_dict()
    caught = refusal(lambda: told.at(1))
    assert str(caught) == "what was sent is not kept of this run"
    assert facts(caught) == ("call", None, "a run of its own")


@pytest.mark.parametrize("policy", [WINDOW, SELDOM, BRIEF, ONCE], ids=lambda one: one.name)
def test_at_every_call_marks_and_messages_are_those_that_had_come(policy: Policy) -> None:
    conversation = chat(5)
    conversation.execute({"operation": "MARK", "indices": [6], "label": "rule"})
    question = SimulationConfig.about(run_of(conversation))
    run = run_policy(question, policy)
    assert [one.call for one in run.figures.per_call] == [1, 2, 3, 4, 5]
    for call in range(1, run.figures.calls + 1):
        real, sent = conversation_at(question, policy, call), run.at(call)
        assert list(sent.view) == list(real.view)
        assert sent.current.log_size == real.current.log_size
        assert [message.text for message in sent.visible] == [m.text for m in real.visible]
        assert {label: list(raws) for label, raws in sent.marks.items()} == {
            label: list(raws) for label, raws in real.marks.items()
        }


def test_data_of_a_sweep_tells_how_many_messages_a_setting_keeps() -> None:
    policy = Policy(
        {"parameters": {"keep": 2}, "do": [{"operation": "TRUNCATE", "keepLast": "$keep"}]}
    )
    family = swept(SimulationConfig.about(run_of(chat(6))), [policy], Sweep.read("keep=1:4:1"))
    data = family.to_dict()
    assert family.of("policy") == family.settings
    assert family.of("another") == ()
    assert [one["front"] for one in data["settings"]] == [
        one in family.front for one in family.settings
    ]
    assert [one["failing"] for one in data["settings"]] == [5, 5, 4, 4]
    assert family.recommended is None
    told = [one["messagesKept"] for one in data["settings"]]
    assert told == [round(one.figures.messages_kept, 1) for one in family.settings]
    assert len(set(told)) == len(told)


def test_a_recorded_script_lets_nothing_come_between_two_calls_of_the_same_state() -> None:
    conversation = talk(said("user", "hello"))
    conversation.record_call(outcome="failed")
    conversation.record_call()
    conversation.append("assistant", "hi")
    data = recorded_script(SimulationConfig.about(run_of(conversation)), WINDOW, "twice")
    assert [step.get("operation") for step in data["steps"]].count("APPEND") == 1
    script = Script.from_dict(data)
    assert [report.error for report in script.take(script.start())] == [None] * len(script.steps)


@pytest.mark.parametrize(("turns", "due"), [(2, False), (3, True)])
def test_a_policy_tells_whether_it_is_due_without_acting(turns: int, due: bool) -> None:
    later = {"when": {"everyCalls": 7}, "do": [{"operation": "CLEAR"}]}
    above = {"when": {"messagesAbove": 5}, "do": [{"operation": "TRUNCATE", "keepLast": 2}]}
    conversation, policy = chat(turns), Policy({"stages": [later, above]})
    before = conversation.copy()
    assert policy.is_due(conversation) is due
    assert policy.is_due(conversation, 7)
    assert conversation == before
    assert policy.before_call(conversation).acted is due


def recorded_calls() -> Conversation:
    """Return calls at nothing, after a gap in what is visible, again, and after an answer."""
    conversation = talk()
    conversation.record_call()
    for role, text in (("user", "a question"), ("assistant", "yes"), ("user", "another, longer")):
        conversation.append(role, text)
    conversation.execute({"operation": "DELETE", "indices": [1]})
    conversation.record_call()
    conversation.record_call()
    conversation.append("assistant", "an answer of some length")
    conversation.append("user", "thanks for all of that")
    conversation.record_call()
    conversation.execute({"operation": "MARK", "indices": [1, 3], "label": "rule"})
    return conversation


def test_what_the_history_sent_is_told_call_by_call() -> None:
    conversation = recorded_calls()
    question = SimulationConfig.about(run_of(conversation))
    told = recorded(question)
    assert told is not None
    assert told.config is question
    calls = told.figures.per_call
    assert [one.call for one in calls] == [1, 2, 3, 4]
    assert [one.acted for one in calls] == [False, True, False, False]
    assert [one.marks_missing for one in calls] == [0, 1, 1, 1]
    sizes = [one.tokens for one in calls]
    log = conversation.log
    assert sizes == [log.total(point.view, "bytes/4") for point in question.run.calls]
    assert [one.prefix_tokens for one in calls] == [0, 0, sizes[1], sizes[2]]
    assert [told.at(call).current.log_size for call in range(1, 5)] == [0, 3, 3, 5]


def test_the_output_of_a_recorded_call_is_what_the_assistant_said_then() -> None:
    conversation = recorded_calls()
    points = run_of(conversation).calls
    assert [point.at for point in points] == [0, 3, 3, 5]
    answers = [conversation.log.tokens(raw, "bytes/4") for raw in (1, 3)]
    assert [point.output for point in points] == [answers[0], 0, answers[1], 0]


def test_a_run_is_what_was_said_and_each_answer_of_it_is_a_call() -> None:
    conversation = chat(2)
    note = {"role": "assistant", "content": "a note"}
    conversation.execute({"operation": "INSERT", "position": 0, "messages": [note]})
    conversation.append("user", "more?")
    conversation.append("assistant", "no")
    assert run_of(conversation).raws == (0, 1, 2, 3, 5, 6)
    assert calls_made(conversation) == 3


def test_a_label_nobody_carries_is_named_with_those_there_are() -> None:
    run = run_of(chat(2))
    assert run.marked(["none"]) == []
    legal = "a label of this run (other, rule)"
    assert facts(refusal(lambda: run.labels(("none",)))) == ("must", "none", legal)
    bare = run_of(talk(said("user", "hello")))
    legal = "a label of this run (no label: nothing of it is marked)"
    assert facts(refusal(lambda: bare.labels(("none",)))) == ("must", "none", legal)


def test_a_recorded_script_marks_the_same_messages_behind_what_a_policy_added() -> None:
    data = recorded_script(SimulationConfig.about(run_of(chat(3))), BRIEF, "a chat")
    assert data["meta"] == {
        "title": "brief over a chat",
        "about": "What brief sends at each of 3 calls.",
    }
    marks = [step for step in data["steps"] if step.get("operation") == "MARK"]
    assert [(step["indices"], step["label"]) for step in marks] == [
        ([0], "rule"),
        ([3], "rule"),
        ([3], "other"),
    ]


def test_at_every_call_marks_stand_behind_what_a_policy_added() -> None:
    question = SimulationConfig.about(run_of(chat(3)))
    real = conversation_at(question, BRIEF, 3, clock=lambda: 7)
    assert {label: list(raws) for label, raws in real.marks.items()} == {
        "rule": [0, 3],
        "other": [3],
    }
    assert {batch.time for batch in real.batches} == {7}


def test_a_long_run_asks_every_hundred_calls_whether_it_is_still_wanted() -> None:
    question, asked = SimulationConfig.about(run_of(chat(201))), []

    def wanted() -> bool:
        asked.append(True)
        return True

    assert run_policy(question, WINDOW, wanted).policy is WINDOW
    assert len(asked) == 2
    with pytest.raises(SimulationCancelled):
        swept(question, [WINDOW], Sweep.read("keepLast=1:2"), lambda: False)


def test_data_of_a_sweep_names_the_policy_to_ship() -> None:
    question = SimulationConfig.about(run_of(chat(4)), required_labels=())
    family = swept(question, [WINDOW], Sweep.read("keepLast=2:3"))
    data = family.to_dict()
    assert family.recommended is not None
    assert (data["ship"]["name"], data["ship"]["value"]) == ("window", family.recommended.value)
    assert [one["ship"] for one in data["settings"]].count(True) == 1


def test_what_a_policy_did_is_told_with_its_results() -> None:
    conversation = chat(3)
    done = WINDOW.before_call(conversation)
    assert done.to_dict() == {
        "acted": True,
        "results": [result.to_dict() for result in done.results],
        "refused": [],
    }
    assert WINDOW.before_call(conversation).to_dict()["acted"] is False


def test_the_number_of_a_call_that_is_given_counts() -> None:
    policy = Policy({"when": {"everyCalls": 7}, "do": [{"operation": "CLEAR"}]})
    assert not policy.before_call(chat(3)).acted
    assert policy.before_call(chat(3), 7).acted


@pytest.mark.parametrize("policy", [WINDOW, BRIEF], ids=lambda one: one.name)
def test_what_was_never_really_sent_has_no_time(policy: Policy) -> None:
    sent = run_policy(SimulationConfig.about(run_of(chat(3))), policy).at(3)
    assert {batch.time for batch in sent.batches} == {0}
    assert {revision.time for revision in sent.revisions} == {0}


def test_messages_that_come_alone_stand_alone_in_the_journal() -> None:
    real = conversation_at(SimulationConfig.about(run_of(chat(3))), SELDOM, 3)
    assert [record.listed for record in real.journal] == [False, True, True, False]


def test_a_policy_has_acted_where_only_its_first_stage_changed_anything() -> None:
    stages = [{"do": [{"operation": "TRUNCATE", "keepLast": count}]} for count in (1, 99)]
    figures = run_policy(
        SimulationConfig.about(run_of(chat(3))), Policy({"stages": stages})
    ).figures
    assert [one.acted for one in figures.per_call] == [False, True, True]


def test_a_policy_may_name_a_batch() -> None:
    named = {"operation": "DESCRIBE", "batch": 0, "text": "the start"}
    run = run_policy(SimulationConfig.about(run_of(chat(3))), Policy([named]))
    assert run.figures.refused == ()
    assert run.at(1).batch.description == "the start"
