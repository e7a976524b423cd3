"""Runs: what was said and when the model was called; and what the history itself has sent."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
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

Data = dict[str, Any]


def talk(turns: int) -> Conversation:
    made = Conversation([{"role": "system", "content": "be kind"}])
    for number in range(turns):
        made.append("user", f"question {number}")
        made.append("assistant", f"answer {number}")
    return made


def test_a_run_is_what_came_by_start_or_append_on_the_path() -> None:
    conversation = talk(2)
    conversation.execute(
        {"operation": "INSERT", "position": 0, "messages": [{"role": "user", "content": "x"}]}
    )
    conversation.append("user", "left")
    conversation.rollback(0)
    conversation.append("user", "more")
    run = run_of(conversation)
    assert run.raws == (0, 1, 2, 3, 4, 7)
    assert [point.at for point in run.calls] == [2, 4]
    assert not run.is_recorded


def test_a_transcript_that_was_imported_at_once_has_a_call_before_each_answer() -> None:
    whole = Conversation([message.to_dict() for message in talk(3).log])
    run = run_of(whole)
    assert [point.at for point in run.calls] == [2, 4, 6]
    assert [list(point.view) for point in run.calls] == [[0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5]]
    assert recorded(SimulationConfig.about(run)) is None


def test_what_was_recorded_is_what_the_history_showed_at_its_calls() -> None:
    conversation = talk(2)
    conversation.execute({"operation": "MARK", "indices": [1], "label": "rule"})
    conversation.execute({"operation": "TRUNCATE", "keepLast": 1})
    conversation.append("user", "and now")
    conversation.append("assistant", "well")
    told = recorded(SimulationConfig.about(run_of(conversation)))
    assert told is not None
    assert told.name == "(recorded)"
    assert [list(told.at(call).view) for call in (1, 2, 3)] == [[0, 1], [0, 1, 2, 3], [4, 5]]
    assert [one.marks_missing for one in told.figures.per_call] == [0, 0, 1]
    assert [one.acted for one in told.figures.per_call] == [False, False, True]
    assert [one.prefix_tokens for one in told.figures.per_call] == [0, 5, 0]
    assert (told.figures.calls, told.figures.without_marked, told.figures.acted) == (3, 1, 1)


def test_recorded_calls_are_the_calls_and_their_answers_are_what_was_charged() -> None:
    conversation = Conversation([{"role": "user", "content": "hello there"}])
    conversation.record_call(usage={"input": 9, "output": 7})
    conversation.append("assistant", "hi")
    conversation.append("user", "again")
    conversation.record_call()
    conversation.record_call(outcome="failed")
    conversation.append("assistant", "a longer answer")
    assert calls_made(conversation) == 3
    run = run_of(conversation)
    assert run.is_recorded
    assert [point.at for point in run.calls] == [1, 3, 3]
    assert [point.output for point in run.calls] == [7, 0, 4]
    told = recorded(SimulationConfig.about(run))
    assert told is not None
    assert [list(told.at(call).view) for call in (1, 2, 3)] == [[0], [0, 1, 2], [0, 1, 2]]
    walked = run_policy(
        SimulationConfig.about(run), Policy([{"operation": "TRUNCATE", "keepLast": 1}])
    )
    assert [one.messages for one in walked.figures.per_call] == [1, 1, 1]


def test_calls_on_a_branch_that_was_left_are_not_of_the_run() -> None:
    conversation = Conversation([{"role": "user", "content": "hello"}])
    conversation.execute({"operation": "BATCH_START"})
    conversation.record_call()
    conversation.rollback(0)
    conversation.append("assistant", "hi")
    assert [point.at for point in run_of(conversation).calls] == [1]
    assert not run_of(conversation).is_recorded


def test_only_labels_that_somebody_carries_can_be_musts() -> None:
    conversation = talk(1)
    conversation.execute({"operation": "MARK", "indices": [1], "label": "rule"})
    run = run_of(conversation)
    assert SimulationConfig.about(run).required_labels == ("rule",)
    assert SimulationConfig.about(run, required_labels=()).required_labels == ()
    with pytest.raises(Refused, match=r"must 'rul' is not a label of this run \(rule\)"):
        SimulationConfig.about(run, required_labels=["rul"])


def test_a_label_that_only_another_branch_has_is_no_must() -> None:
    conversation = talk(1)
    conversation.execute({"operation": "CLEAR"})
    conversation.append("user", "left behind")
    conversation.execute({"operation": "MARK", "indices": [3], "label": "gone"})
    conversation.rollback(0)
    run = run_of(conversation)
    assert SimulationConfig.about(run).required_labels == ()
    with pytest.raises(Refused, match="must 'gone' is not a label of this run"):
        SimulationConfig.about(run, required_labels=["gone"])


def test_a_result_that_names_no_call_gets_worse_with_a_later_call() -> None:
    use = {"type": "tool_use", "tool_use": {"id": "1", "name": "f", "input": {}}}
    told = {"type": "tool_result", "tool_result": {"tool_use_id": "1", "content": "r"}}
    conversation = Conversation(
        [
            {"role": "tool", "content": "x"},
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [use]},
            {"role": "tool", "content": [told]},
            {"role": "assistant", "content": "a"},
        ]
    )
    never = Policy({"when": {"messagesAbove": 99}, "do": [{"operation": "CLEAR"}]})
    assert run_policy(SimulationConfig.about(run_of(conversation)), never).figures.broken == 1


def test_counts_of_another_counter_are_taken_over() -> None:
    conversation = Conversation([message.to_dict() for message in talk(9).log])
    conversation.execute({"operation": "CONFIGURE", "counter": "o200k"})
    question = SimulationConfig.about(run_of(conversation))
    told = run_policy(question, Policy([{"operation": "TRUNCATE", "keepLast": 3}]))
    assert told.at(9).tokens.counter == "o200k"
    assert told.figures.per_call[0].tokens == conversation.moment.log.total(
        conversation.view[:2], "o200k"
    )


def test_prices_make_a_cost_of_what_is_sent_cached_and_answered() -> None:
    conversation = Conversation([message.to_dict() for message in talk(2).log])
    question = SimulationConfig.about(
        run_of(conversation), prices=Prices.read("input=3,cached=0.3,output=15")
    )
    figures = run_policy(question, Policy([{"operation": "TRUNCATE", "keepFirst": 99}])).figures
    sent, outside = figures.tokens_sent, figures.tokens_outside_prefix
    answers = sum(conversation.log.tokens(raw, "bytes/4") for raw in (2, 4))
    assert figures.cost == round((outside * 3 + (sent - outside) * 0.3 + answers * 15) / 1e6, 6)
    assert figures.to_dict()["cost"] == figures.cost


@pytest.mark.parametrize(
    "text", ["", "input", "input=x", "cached=1", "input=-1", "input=1,input=2"]
)
def test_prices_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="price"):
        Prices.read(text)


def test_expectations_compare_any_figure() -> None:
    question = SimulationConfig.about(run_of(talk(3)))
    figures = run_policy(question, Policy([{"operation": "TRUNCATE", "keepLast": 1}])).figures
    for text in ("calls=3", "broken==0", "acted>=1", "refused<1", "peak<9", "tokensSent!=0"):
        assert FigureExpectation.read(text).miss(figures) is None
    assert FigureExpectation.read("calls > 3").miss(figures) == "calls is 3; expected is calls>3"
    for text in ("calls", "calls=x", "calls=>3", "nothing=1"):
        with pytest.raises(Refused, match="expect"):
            FigureExpectation.read(text)
    with pytest.raises(Refused, match="cost can't be expected without a price"):
        FigureExpectation.read("cost<1").miss(figures)


def test_nobody_waits_for_an_answer_that_is_not_wanted_any_more() -> None:
    question = SimulationConfig.about(run_of(Conversation([m.to_dict() for m in talk(120).log])))
    with pytest.raises(SimulationCancelled):
        run_policy(question, Policy([{"operation": "CLEAR"}]), wanted=lambda: False)


def test_a_call_that_was_never_made_can_t_be_looked_at() -> None:
    question = SimulationConfig.about(run_of(talk(2)))
    policy = Policy([{"operation": "CLEAR"}])
    with pytest.raises(Refused, match="call 3 is outside 1…2"):
        run_policy(question, policy).at(3)
    with pytest.raises(Refused, match="call 0 is outside 1…2"):
        conversation_at(question, policy, 0)


class TestSweeps:
    def family(self) -> Any:
        conversation = Conversation(
            [message.to_dict() for message in talk(30).log], {"tokenLimit": 100}
        )
        conversation.execute({"operation": "MARK", "indices": [1], "label": "rule"})
        plain = Policy([{"operation": "TRUNCATE", "keepLast": 5}], name="plain")
        kept = Policy(
            {
                "name": "marks",
                "parameters": {"keepLast": 5},
                "when": {"messagesAbove": "$keepLast+4"},
                "do": [{"operation": "TRUNCATE", "keepLast": "$keepLast", "keepMarks": ["rule"]}],
            }
        )
        question = SimulationConfig.about(run_of(conversation))
        return swept(question, [plain, kept], Sweep.read("keepLast=5:60:5"))

    def test_the_front_has_what_nothing_beats(self) -> None:
        family = self.family()
        assert len(family.settings) == 24
        assert len(family.of("plain")) == 12
        for one in family.settings:
            beaten = any(other.beats(one) for other in family.settings)
            assert (one in family.front) is not beaten

    def test_the_widest_clean_setting_with_room_ships(self) -> None:
        family = self.family()
        recommended = family.recommended
        assert recommended.policy.name == "marks"
        assert (recommended.figures.failing, recommended.has_room) == (0, True)
        wider = [
            one
            for one in family.of("marks")
            if one.figures.messages_kept > recommended.figures.messages_kept
        ]
        assert wider
        assert all(one.figures.failing or not one.has_room for one in wider)

    def test_nothing_ships_where_every_setting_fails(self) -> None:
        question = SimulationConfig.about(run_of(talk(30)), required_labels=())
        policy = Policy(
            [
                {"operation": "CLEAR", "keepSystemMessage": True},
                {"operation": "TRUNCATE", "keepLast": 1},
            ]
        )
        family = swept(question, [policy], Sweep("keepLast", 0, 1))
        assert family.recommended is None
        assert family.to_dict()["ship"] is None

    def test_the_rules_say_when_one_that_is_not_on_the_front_ships(self) -> None:
        family = self.family()
        assert (family.recommended not in family.front) is any(
            "ships" in one for one in family.rules
        )
        unlimited = swept(
            SimulationConfig.about(run_of(talk(30))),
            [Policy([{"operation": "TRUNCATE", "keepLast": 5}])],
            Sweep("keepLast", 5, 6),
        )
        assert "no limit" in unlimited.rules[1]

    def test_data_tells_the_rules_and_the_policy_to_ship(self) -> None:
        told = self.family().to_dict()
        assert told["sweep"] == "keepLast=5:60:5"
        (recommended,) = [one for one in told["settings"] if one["ship"]]
        assert told["ship"]["value"] == recommended["value"]
        assert told["ship"]["policy"]["parameters"] == {"keepLast": recommended["value"]}
        assert told["rules"] == list(self.family().rules)

    @pytest.mark.parametrize(
        "text", ["k", "k=", "k=1", "k=5:1", "k=1:9:0", "=1:2", "k=1:9999:1", "k=a:b", "k=1:2:3:4"]
    )
    def test_a_sweep_that_leads_nowhere_is_refused(self, text: str) -> None:
        with pytest.raises(Refused):
            Sweep.read(text)


def test_a_recorded_script_tells_refusals_and_the_number_of_the_call() -> None:
    conversation = Conversation([{"role": "user", "content": "hello"}])
    for number in range(4):
        conversation.record_call(outcome="failed" if number % 2 else "complete")
        conversation.append("assistant", f"answer {number}")
        conversation.record_call()
        conversation.append("user", f"question {number}")
    policy = Policy(
        {
            "stages": [
                {"do": [{"operation": "DELETE", "indices": [99]}]},
                {"when": {"everyCalls": 3}, "do": [{"operation": "TRUNCATE", "keepLast": 1}]},
            ]
        }
    )
    data = recorded_script(SimulationConfig.about(run_of(conversation)), policy, "talk")
    steps = [step for step in data["steps"] if "policy" in step]
    assert [step["call"] for step in steps] == list(range(1, 9))
    assert all(step["refused"] for step in steps)
    script = Script.from_dict(data)
    assert [report.error for report in script.take(script.start())] == [None] * len(script.steps)


def test_a_recorded_script_passes_today_and_fails_when_the_policy_changes() -> None:
    conversation = Conversation([message.to_dict() for message in talk(6).log])
    conversation.execute({"operation": "MARK", "indices": [3], "label": "rule"})
    question = SimulationConfig.about(run_of(conversation), profile="anthropic")
    policy = Policy([{"operation": "TRUNCATE", "keepLast": 3, "keepMarks": ["rule"]}], name="w")
    data = recorded_script(question, policy, "talk")
    script = Script.from_dict(data)
    assert [report.error for report in script.take(script.start())] == [None] * len(script.steps)
    assert data["settings"]["profile"] == "anthropic"
    named = recorded_script(question, policy, "talk", "policies/w.json")
    assert {one["policy"] for one in named["steps"] if "policy" in one} == {"policies/w.json"}
    wider = Policy([{"operation": "TRUNCATE", "keepLast": 4, "keepMarks": ["rule"]}]).to_dict()
    for step in named["steps"]:
        if "policy" in step:
            step["policy"] = wider
    changed = Script.from_dict(named)
    assert any(report.error for report in changed.take(changed.start()))
