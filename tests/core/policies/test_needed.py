"""What was needed later: estimates over runs whose facts are known, and what they count."""

import json

import pytest

from ctxtui.core import Conversation
from ctxtui.core.engine.messages import Message, ToolResultPart, ToolUsePart
from ctxtui.core.errors import Refused
from ctxtui.core.policies import Policy
from ctxtui.core.policies.figures import Estimates
from ctxtui.core.policies.needed import RunUses, terms_in
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import recorded, run_policy

from .planted_facts import WINDOW, planted_run

PRECISION, RECALL = 81, 87


def window(last: int) -> Policy:
    return Policy([{"operation": "TRUNCATE", "keepLast": last}])


def estimated(conversation: Conversation, policy: Policy, *probes: str) -> Estimates:
    run = run_of(conversation)
    judged = run_policy(SimulationConfig.about(run), policy)
    return RunUses(run).estimates(judged, probes)


def said(*texts: str) -> Conversation:
    """Return a conversation of a user and an assistant in turns."""
    roles = ("user", "assistant")
    return Conversation([{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)])


def test_precision_and_recall_on_planted_facts() -> None:
    """docs/policies.md names these figures."""
    found_right = found = planted = 0
    for seed in range(20):
        run = planted_run(seed)
        calls = {one.call for one in estimated(run.conversation, window(WINDOW)).needed}
        found += len(calls)
        planted += len(run.needed)
        found_right += len(calls & run.needed)
    precision, recall = found_right / found, found_right / planted
    assert (round(100 * precision), round(100 * recall)) == (PRECISION, RECALL)


PATH = "/srv/app/port.toml"


def test_an_answer_that_uses_words_of_a_hidden_message_only_needs_it() -> None:
    run = said(f"it is in {PATH}", "thanks", "and now?", f"I read {PATH}")
    needed = estimated(run, window(1)).needed
    assert [(one.call, one.raw_index, one.words) for one in needed] == [(2, 0, (PATH,))]
    assert needed[0].operation == "TRUNCATE keepLast 1"
    assert estimated(run, window(3)).needed == ()


@pytest.mark.parametrize("other", [f"look at {PATH}", f"see {PATH}.bak", f'"{PATH}"?'])
def test_words_that_are_sent_elsewhere_are_not_missed(other: str) -> None:
    assert not estimated(said(f"in {PATH}", "yes", other, f"I read {PATH}"), window(1)).needed


def test_words_of_a_summary_or_a_tool_definition_are_sent() -> None:
    run = said(f"it is in {PATH}", "thanks", "and now?", f"I read {PATH}")
    kept = {"role": "user", "template": "so far: {excerpt}"}
    summed = Policy([{"operation": "COMPRESS", "select": {"exceptLast": 1}, "summary": kept}])
    assert not estimated(run, summed).needed
    tools = [{"name": "read", "description": f"reads {PATH}", "input_schema": {}}]
    messages = [one.to_dict() for one in run.log]
    assert not estimated(Conversation(messages, meta={"tools": tools}), window(1)).needed


def test_a_call_made_again_needs_its_result_where_it_was_gone_when_recorded() -> None:
    def rows(number: int) -> list[Message]:
        use = ToolUsePart(f"u{number}", "read", {"at": "x"})
        result = ToolResultPart(f"u{number}", "nothing new")
        return [
            Message("assistant", (use,)),
            Message("tool", (result,)),
        ]

    there = Conversation([Message("user", "go"), *rows(1), *rows(2)])
    assert not estimated(there, window(1)).needed
    gone = Conversation([Message("user", "go"), *rows(1)])
    gone.append("user", "on")
    gone.execute({"operation": "TRUNCATE", "keepLast": 1})
    gone.execute({"operation": "APPEND", "messages": [one.to_dict() for one in rows(2)]})
    run = run_of(gone)
    judged = recorded(SimulationConfig.about(run))
    assert judged is not None
    assert [one.words for one in RunUses(run).estimates(judged).needed] == [("read again",)]


def test_a_question_asked_again_needs_the_answer_that_was_gone() -> None:
    run = said("hi", "In which city do you live?", "Rome", "Good.", "so")
    run.execute({"operation": "TRUNCATE", "keepLast": 1})
    run.append("assistant", "In which city do you live?")
    judged = recorded(SimulationConfig.about(run_of(run)))
    assert judged is not None
    (needed,) = RunUses(run_of(run)).estimates(judged).needed
    assert needed.words == ("In which city do you live?",)


def test_dead_weight_is_what_is_sent_and_no_later_answer_uses() -> None:
    run = said(f"in {PATH}", "fine day to you", "well", f"I read {PATH}", "so", "bye")
    counts = run_of(run).counts
    whole = estimated(run, window(99))
    first = counts[1] * 2 + counts[2] * 2 + counts[3] + counts[4] + counts[0]
    assert whole.dead_weight == first
    assert estimated(run, window(1)).dead_weight == counts[2] + counts[4]


def test_a_probe_says_from_which_call_on_a_text_is_lost() -> None:
    run = said("the port is 8443", "yes", "b", "c", "d", "e")
    (probe,) = estimated(run, window(1), "port is 8443").probes
    assert probe.to_dict() == {"text": "port is 8443", "calls": 2, "first": 2}
    with pytest.raises(Refused, match="no message of this run has the text 'cats'"):
        estimated(run, window(1), "cats")


def test_the_figures_say_that_they_are_estimates() -> None:
    run = run_of(said(f"in {PATH}", "thanks", "and now?", f"I read {PATH}"))
    judged = RunUses(run).judged(run_policy(SimulationConfig.about(run), window(1)))
    data = json.loads(json.dumps(judged.to_dict()))
    assert data["estimates"] == ["neededLater", "deadWeight", "payback", "cost", "summaryCalls"]
    assert data["neededLater"]["count"] == 1
    assert data["neededLater"]["rate"] == 0.5


def test_words_that_can_be_told_from_others() -> None:
    text = 'see /etc/x.conf, parcel_id, getValue, v2.1, 8443, 12, "blue door" and ask Marta there'
    assert [one.text for one in terms_in(text)] == [
        *("/etc/x.conf", "parcel_id", "getValue", "v2.1", "8443", "blue door", "Marta"),
    ]
    assert [one.text for one in terms_in("在「蓝色的门」后面，端口8443")] == ["蓝色的门", "8443"]
