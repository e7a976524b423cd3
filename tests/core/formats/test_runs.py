"""Logs of runs that are only read: LangGraph, Inspect, SWE-agent and tau-bench."""

from typing import Any

import pytest

from ctxtui.core.engine.messages import ImagePart, Message, ThinkingPart, ToolResultPart
from ctxtui.core.formats import Loaded, Source, load_all
from ctxtui.core.formats.warnings import sentences
from tests.core.formats.vectors import FOLDER
from tests.core.samples import refusal, said

ATTACHMENT = "attachment://" + "0" * 32


def opened(name: str) -> list[Loaded]:
    return list(load_all(Source.of_path(FOLDER / name)))


def of_data(data: Any) -> list[Loaded]:
    return list(load_all(Source.of_data(data)))


def result_of(message: Message) -> ToolResultPart:
    (part,) = message.parts
    assert isinstance(part, ToolResultPart)
    return part


def pairs(one: Loaded) -> tuple[list[str], list[str]]:
    """Return the ids of calls and those of results."""
    log = one.conversation.log
    return [id for row in log for id in row.calls], [id for row in log for id in row.results]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("langgraph/state.json", 1),
        ("langgraph/history.json", 1),
        ("inspect/log.json", 2),
        ("inspect/sample.json", 1),
        ("swe-agent/fix.traj", 1),
        ("tau-bench/results.json", 2),
        ("tau-bench/lines.jsonl", 2),
    ],
)
def test_every_run_is_a_conversation_whose_results_have_their_calls(name: str, count: int) -> None:
    found = opened(name)
    assert len(found) == count
    calls, results = pairs(found[0])
    assert calls
    assert calls == results


def test_a_state_keeps_what_stands_beside_its_messages() -> None:
    (one,) = opened("langgraph/state.json")
    kept = one.conversation.meta["fields"]
    assert kept["config"]["configurable"]["thread_id"] == "t1"
    assert kept["values"] == {"llm_calls": 3}


def test_a_state_may_have_chat_messages() -> None:
    (one,) = of_data({"values": {"messages": [said("user", "hi"), said("assistant", "ho")]}})
    assert [row.role for row in one.conversation.visible] == ["user", "assistant"]


def test_long_texts_of_a_log_stand_where_they_stood() -> None:
    first, second = opened("inspect/log.json")
    asked, thought, seen, failed = first.conversation.visible[1:5]
    assert any(isinstance(part, ImagePart) and part.url.startswith("data:") for part in asked.parts)
    assert isinstance(thought.parts[0], ThinkingPart)
    assert result_of(seen).content == "a.txt\nb.txt\n"
    assert result_of(failed).is_error
    assert result_of(failed).content == "Command timed out."
    assert (first.title, second.title) == (
        "count_files, sample a",
        "count_files, sample a, epoch 2",
    )
    assert first.conversation.meta["tools"][0]["name"] == "bash"
    assert "the events of the run were left out; the messages were read" in sentences(
        first.warnings
    )


def test_an_attachment_that_is_not_there_is_told() -> None:
    (one,) = of_data({"samples": [{"messages": [said("user", f"see {ATTACHMENT}")]}]})
    assert one.conversation.visible[0].text == f"see {ATTACHMENT}"
    assert sentences(one.warnings)[0].startswith("attachments that are missing in the log")


def test_a_log_without_samples_is_refused() -> None:
    caught = refusal(lambda: list(load_all(Source.of_data({"samples": []}), "inspect")))
    assert str(caught) == "samples null is not a list of samples with messages"


def test_a_trajectory_has_its_thinking_and_says_that_steps_are_left_out() -> None:
    (one,) = opened("swe-agent/fix.traj")
    first = one.conversation.visible[2].parts[0]
    assert first == ThinkingPart("The test adds.", "c2ln")
    assert one.conversation.meta["fields"]["info"]["exit_status"] == "submitted"
    assert sentences(one.warnings)[0] == "the steps were left out; the history has the messages (1)"


def test_results_of_a_benchmark_are_named_by_task_and_trial() -> None:
    assert [one.title for one in opened("tau-bench/lines.jsonl")] == [
        "task 0, trial 0",
        "task 0, trial 1",
    ]
