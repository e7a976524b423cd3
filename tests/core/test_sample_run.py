"""The sample run and the sample policies: what they must show, with nothing but operations."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import conversation_at, run_policy
from ctxtui.core.scripts import Script
from tests.core.samples import Data, said

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
POLICIES = sorted((SAMPLES / "policies").glob("*.json"))
PLAIN = {"operation": "TRUNCATE", "keepLast": 60}
CAREFUL = {**PLAIN, "keepSystem": True, "keepPairs": "drop", "keepMarks": ["rule"]}


@pytest.fixture(scope="module")
def run() -> Conversation:
    """Return the run of the coding agent."""
    return Script.from_dict(json.loads((SAMPLES / "refactor-parcel.json").read_text("utf-8"))).run()


def errors(conversation: Conversation) -> list[str]:
    """Return the rules of the lint errors."""
    return [finding.rule for finding in conversation.lint() if finding.severity == "error"]


def filled(value: Any, numbers: dict[str, int]) -> Any:
    """Return a part of a policy with its parameters put in and a text for its summary."""
    if isinstance(value, list):
        return [filled(one, numbers) for one in value]
    if isinstance(value, dict):
        given = {key: filled(one, numbers) for key, one in value.items()}
        return said(given["role"], "so far") if "template" in given else given
    named = re.fullmatch(r"\$(\w+)(?:\+(\d+))?", value) if isinstance(value, str) else None
    return numbers[named[1]] + int(named[2] or 0) if named else value


def stages(path: Path) -> list[Data]:
    """Return the stages of a policy with its own parameters."""
    policy = json.loads(path.read_text("utf-8"))
    given: list[Data] = filled(policy.get("stages", [policy]), policy.get("parameters", {}))
    return given


def walked(run: Conversation, operation: Data, *, above: int = 0) -> tuple[int, int]:
    """Return how many calls of a run are broken and how many lack the rule, cut before each."""
    conversation = Conversation(settings=run.settings)
    broken = without = 0
    (rule,) = run.marks["rule"]
    for raw, message in enumerate(run.log):
        if message.role == "assistant":
            if len(conversation.view) > above:
                conversation.execute(operation)
            broken += bool(errors(conversation))
            without += raw > rule and rule not in conversation.view
        conversation.append(message)
        if raw == rule:
            conversation.execute({"operation": "MARK", "indices": [rule], "label": "rule"})
    return broken, without


def test_the_run_is_long_and_whole(run: Conversation) -> None:
    assert len(run.log) == len(run.view) == 428
    assert len(run.batches) == 1
    assert run.query.count(roles=["assistant"]) == 171
    assert errors(run) == []


def test_the_run_has_parallel_calls_and_every_call_an_id_of_its_own(run: Conversation) -> None:
    calls = [message.calls for message in run.log]
    ids = [one for made in calls for one in made]
    assert len(ids) == len(set(ids))
    assert sorted({len(made) for made in calls}) == [0, 1, 2, 3]
    assert ids == [one for message in run.log for one in message.results]


def test_the_rule_of_the_run_is_said_early_and_marked(run: Conversation) -> None:
    assert run.marks == {"rule": [9]}
    assert run.log[9].role == "user"
    assert "The public API must not change" in run.log[9].text
    (recalled,) = run.query.search("you said at the very start")
    assert recalled > 300


def test_a_plain_window_breaks_most_calls_of_the_run_and_loses_the_rule(run: Conversation) -> None:
    assert walked(run, PLAIN) == (90, 145)


def test_the_last_window_alone_tells_nothing_of_the_broken_calls(run: Conversation) -> None:
    ended = run.copy()
    ended.execute(PLAIN)
    assert errors(ended) == []


def test_a_window_that_keeps_pairs_and_marks_does_neither(run: Conversation) -> None:
    assert walked(run, CAREFUL, above=80) == (0, 0)


def test_the_policies_have_the_windows_tested_here() -> None:
    windows = {path.stem: stages(path)[0] for path in POLICIES if "window" in path.stem}
    assert windows["plain-window"]["do"] == [PLAIN]
    assert windows["window-with-marks"]["do"] == [CAREFUL]
    assert windows["window-with-marks"]["when"] == {"messagesAbove": 80}


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_a_policy_acts_on_the_long_run_and_leaves_a_short_one_alone(
    path: Path, run: Conversation
) -> None:
    data = json.loads(path.read_text("utf-8"))
    policy = Policy.from_dict(data)
    assert policy.is_named
    long = run_policy(SimulationConfig.about(run_of(run)), policy).figures
    assert (long.acted > 0, long.refused, long.over_limit) == (True, (), 0)
    assert (long.broken > 0) is (path.stem == "plain-window")
    short = run_policy(SimulationConfig.about(run_of(Conversation(run.log[:40]))), policy).figures
    assert (short.broken, short.acted, short.refused) == (0, 0, ())


def test_there_are_eight_policies() -> None:
    assert len(POLICIES) == 8


@pytest.mark.parametrize("name", ["clear-tool-results", "two-stages"])
def test_what_a_policy_has_cleared_it_does_not_clear_again(name: str, run: Conversation) -> None:
    clearing = stages(SAMPLES / "policies" / f"{name}.json")[0]["do"]
    conversation = run.copy()
    assert conversation.execute(clearing).changed
    assert errors(conversation) == []
    assert not conversation.execute(clearing).changed


def test_a_second_summary_stands_for_the_first(run: Conversation) -> None:
    question = SimulationConfig.about(run_of(run))
    for name, start in (("summarise", "[summary of"), ("summarise-twice", "[earlier:")):
        policy = Policy.from_dict(json.loads((SAMPLES / "policies" / f"{name}.json").read_text()))
        conversation = conversation_at(question, policy, len(question.run.calls))
        summaries = [raw for raw, said in enumerate(conversation.log) if said.text.startswith("[")]
        shown = [raw for raw in summaries if raw in conversation.view]
        assert any(conversation.log[raw].text.startswith(start) for raw in shown)
        assert len(shown) < len(summaries)
