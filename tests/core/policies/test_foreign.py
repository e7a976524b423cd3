"""Strategies of other people's code: what they send, in their own process, at every call."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.policies import Policy
from ctxtui.core.policies.foreign import equal_requests, run_strategy
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import PolicyRun, run_policy

CODE = """
import asyncio

def last(messages):
    print("chatter on stdout")
    return messages[-3:]

class Window:
    def __init__(self, size, start=0):
        self.size, self.start = size, start
    def __call__(self, messages):
        return messages[: self.start] + messages[self.start:][-self.size :]

async def later(messages):
    await asyncio.sleep(0)
    return messages

def factory():
    return Window(3)

def shout(messages):
    return [{**one, "content": one["content"].upper()} if at == 1 else one
            for at, one in enumerate(messages)]

def summed(messages):
    if len(messages) < 4:
        return messages
    return [{"role": "user", "content": f"{len(messages) - 2} before"}, *messages[-2:]]

def backwards(messages):
    return messages[::-1]

def raising(messages):
    if len(messages) > 4:
        raise ValueError("too much")
    return messages

def wrong(messages):
    return "text"

def dying(messages):
    import os
    os._exit(3)

number = 7
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    path = tmp_path / "agent.py"
    path.write_text(CODE)
    return path


def talk(turns: int) -> Conversation:
    rows = [{"role": "system", "content": "be kind"}]
    for number in range(turns):
        rows.append({"role": "user", "content": f"question {number}"})
        rows.append({"role": "assistant", "content": f"answer {number}"})
    return Conversation(rows)


def ran(code: Path, name: str, state: str | None = None, turns: int = 4) -> PolicyRun:
    config = SimulationConfig.about(run_of(talk(turns)))
    return run_strategy(config, f"{code}:{name}", state=state)[0]


def sent(run: PolicyRun, call: int) -> list[tuple[str, str]]:
    return [(one.role, one.text) for one in run.at(call).visible]


@pytest.mark.parametrize("name", ["last", "Window(3)", "Window(size=3)", "factory"])
def test_a_function_a_class_with_arguments_and_a_factory(code: Path, name: str) -> None:
    run = ran(code, name)
    assert [list(run.at(call).view) for call in (1, 2, 4)] == [[0, 1], [1, 2, 3], [5, 6, 7]]
    assert [one.acted for one in run.figures.per_call] == [False, True, True, True]
    assert [one.prefix_tokens for one in run.figures.per_call] == [0, 0, 0, 0]


def test_a_module_of_the_working_folder_is_found_and_coroutines_are_awaited(
    code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(code.parent)
    config = SimulationConfig.about(run_of(talk(2)))
    run, note = run_strategy(config, "agent:later", sys.executable)
    assert list(run.at(2).view) == [0, 1, 2, 3]
    assert (run.figures.acted, note) == (0, None)


def test_what_is_rewritten_or_made_is_new_and_the_same_while_it_is_equal(code: Path) -> None:
    run = ran(code, "shout")
    assert list(run.at(1).view) == [0, 9]
    assert list(run.at(4).view) == [0, 9, 2, 3, 4, 5, 6, 7]
    assert sent(run, 4)[1] == ("user", "QUESTION 0")
    assert [one.acted for one in run.figures.per_call] == [True, False, False, False]
    made = ran(code, "summed")
    assert sent(made, 2) == [
        ("user", "2 before"),
        ("assistant", "answer 0"),
        ("user", "question 1"),
    ]
    assert sent(made, 3)[0] == ("user", "4 before")


def test_moved_messages_keep_their_index(code: Path) -> None:
    assert list(ran(code, "backwards").at(2).view) == [3, 2, 1, 0]


def test_both_states_are_tried_and_a_difference_is_reported(code: Path) -> None:
    config = SimulationConfig.about(run_of(talk(4)))
    run, note = run_strategy(config, f"{code}:summed")
    assert sent(run, 4)[0] == ("user", "6 before")
    assert note is not None
    assert "sends something else from call 3 on" in note
    kept = ran(code, "summed", "kept")
    assert sent(kept, 4)[0] == ("user", "3 before")
    assert run_strategy(config, f"{code}:last")[1] is None


def test_a_strategy_that_raises_ends_there_and_the_calls_before_are_judged(code: Path) -> None:
    run = ran(code, "raising")
    assert run.figures.calls == 2
    assert run.to_dict()["error"] == {
        "call": 3,
        "message": f"{code}:raising: ValueError: too much",
    }
    for name, why in (
        ("wrong", "it returned str, not a list of message dicts"),
        ("dying", "ended"),
    ):
        error = ran(code, name).figures.error
        assert error is not None
        assert error.call == 1
        assert why in error.reason


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("missing", "has no missing"),
        ("number", "a int is no strategy that is known here"),
        ("Window(open('x'))", "ValueError"),
    ],
)
def test_what_is_no_strategy_is_refused(code: Path, name: str, why: str) -> None:
    with pytest.raises(Refused, match=why.replace("(", r"\(")):
        ran(code, name)


def test_a_file_or_a_python_that_is_not_there_is_refused(code: Path) -> None:
    with pytest.raises(Refused, match="there is no such file"):
        ran(code.with_name("none.py"), "last")
    config = SimulationConfig.about(run_of(talk(1)))
    with pytest.raises(Refused, match="can't be started"):
        run_strategy(config, f"{code}:last", str(code.parent / "python"))


def test_equal_requests_of_a_policy_and_a_strategy(code: Path) -> None:
    config = SimulationConfig.about(run_of(talk(4)))
    policy = run_policy(config, Policy([{"operation": "TRUNCATE", "keepLast": 3}]))
    assert equal_requests(policy, ran(code, "last")) == (4, 4)
    assert equal_requests(policy, ran(code, "later")) == (1, 4)


def test_calls_and_results_keep_their_keys(code: Path) -> None:
    use = {"type": "tool_use", "tool_use": {"id": "u", "name": "look", "input": {"at": 1}}}
    result = {"type": "tool_result", "tool_result": {"tool_use_id": "u", "content": "seen"}}
    conversation = Conversation(
        [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "text", "text": "I look"}, use]},
            {"role": "tool", "content": [result]},
            {"role": "assistant", "content": "done"},
        ]
    )
    run, _ = run_strategy(SimulationConfig.about(run_of(conversation)), f"{code}:later")
    assert list(run.at(2).view) == [0, 1, 2]


def langchain_edit() -> str:
    pytest.importorskip("langchain")
    return "langchain.agents.middleware:ClearToolUsesEdit(trigger=1, keep=1)"


def agent_framework() -> str:
    pytest.importorskip("agent_framework")
    return "agent_framework:SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1)"


def openai_agents() -> str:
    pytest.importorskip("agents")
    return (
        "agents.extensions:ToolOutputTrimmer(recent_turns=1, max_output_chars=9, preview_chars=1)"
    )


@pytest.mark.parametrize("strategy", [langchain_edit, agent_framework, openai_agents])
def test_strategies_of_frameworks_act_on_results(strategy: object) -> None:
    assert callable(strategy)
    named = strategy()
    rows: list[dict[str, object]] = []
    for number in range(3):
        use = {"id": f"u{number}", "name": "look", "input": {}}
        result = {"tool_use_id": f"u{number}", "content": "much to see here " * 9}
        rows += [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "tool_use": use}]},
            {"role": "tool", "content": [{"type": "tool_result", "tool_result": result}]},
            {"role": "assistant", "content": "well"},
        ]
    run, _ = run_strategy(SimulationConfig.about(run_of(Conversation(rows))), named)
    assert run.figures.error is None
    assert run.figures.acted
    assert 2 not in run.at(6).view
