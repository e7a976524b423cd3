"""Frameworks: pydantic-ai and the AI SDK, whose rows hold several messages each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxtui.core import Conversation, Message, Refused, Replace
from ctxtui.core.engine.messages import ToolResultPart
from ctxtui.core.formats import detect, format_named, load, load_all
from ctxtui.core.formats.source import Source
from tests.core.formats.vectors import FOLDER
from tests.core.samples import said

RUN = json.loads((FOLDER / "pydantic-ai" / "run.json").read_text())
SEEN = json.loads((FOLDER / "ai-sdk" / "seen.json").read_text())["messages"]
SENT = json.loads((FOLDER / "ai-sdk" / "sent.json").read_text())


def read(data: Any) -> Conversation:
    return load(data).conversation


def test_each_part_of_a_request_is_a_message_and_a_response_is_one() -> None:
    roles = [message.role for message in read(RUN[:4]).log]
    assert roles == ["system", "system", "user", "assistant", "tool", "tool", "user", "assistant"]


def test_instructions_are_a_system_message_that_is_replaced_where_they_change() -> None:
    talk = read(RUN)
    shown = [message.text for message in talk.visible if message.role == "system"]
    assert shown == ["You know every map of the county.", "Name the survey as well, please."]
    first = talk.calls.all[0]
    assert [message.text for message in talk.at(first.revision).visible[:2]] == [
        "You know every map of the county.",
        "Answer in one or two sentences.",
    ]


def test_the_usage_of_each_response_is_a_call() -> None:
    talk = read(RUN)
    assert len(talk.calls.all) == 3
    usage = talk.calls.all[0].usage
    assert usage is not None
    assert (usage.input, usage.cached, usage.output) == (67, 10, 25)


def test_a_tool_that_asks_again_has_failed() -> None:
    results = [
        part for message in read(RUN).log for part in message.parts
        if isinstance(part, ToolResultPart)
    ]  # fmt: skip
    assert [part.is_error for part in results] == [None, True]


def test_a_changed_message_is_written_changed_and_keeps_nothing_of_the_old_one() -> None:
    talk = read(RUN)
    at = next(i for i, one in enumerate(talk.visible) if "1902" in one.text)
    talk.execute(Replace(index=at, message=Message("user", "And of 1903?")))
    text = json.dumps(format_named("pydantic-ai").write(talk).data)
    assert "1903" in text
    assert "1902" not in text


def test_messages_of_others_are_written_as_pydantic_ai_has_them() -> None:
    adapter = pytest.importorskip("pydantic_ai.messages").ModelMessagesTypeAdapter
    for name in ("openai", "anthropic", "langchain"):
        for path in (FOLDER / name).glob("[!d]*.json"):
            talk = load(Source.of_path(path)).conversation
            data = format_named("pydantic-ai").write(talk).data
            assert len(adapter.validate_python(data)) == len(data)


def test_a_step_that_users_see_is_a_message_with_its_results() -> None:
    log = read(SEEN).log
    assert [message.role for message in log] == [
        *("user", "assistant", "tool", "tool"),
        *("assistant", "assistant"),
    ]
    assert log[1].calls == ("c1", "c2", "c3")
    assert (log[2].results, log[3].results) == (("c1",), ("c2",))


def test_results_in_one_row_are_messages_of_their_own() -> None:
    log = read(SENT).log
    assert [message.role for message in log] == [
        *("system", "user", "assistant", "tool", "tool", "tool"),
        *("assistant", "user"),
    ]


@pytest.mark.parametrize("rows", [SENT, SEEN], ids=["sent", "seen"])
def test_a_row_whose_first_message_is_hidden_is_written_without_it(rows: Any) -> None:
    talk = read(rows)
    at = next(i for i, one in enumerate(talk.log) if one.role == "assistant")
    talk.execute({"operation": "DELETE", "indices": [at]})
    written = format_named("ai-sdk").write(talk).data
    again = load(written, "ai-sdk").conversation
    assert "Let me look." not in json.dumps(written)
    assert again.check() == []


@pytest.mark.parametrize("name", ["pydantic-ai", "ai-sdk", "bedrock"])
def test_a_plain_talk_is_written_and_read_again(name: str) -> None:
    rows = [said("system", "Be brief."), said("user", "hi"), said("assistant", "hello")]
    written = format_named(name).write(Conversation(rows)).data
    again = load(written, name).conversation
    assert [(one.role, one.text) for one in again.visible] == [
        (row["role"], row["content"]) for row in rows
    ]
    if name != "ai-sdk":  # Plain messages are chat, too.
        assert detect(Source.of_data(written)).name == name


def test_what_is_out_of_the_context_of_an_agent_is_hidden() -> None:
    talk = load(Source.of_path(FOLDER / "letta" / "agent.af")).conversation
    assert [message.id for message in talk.visible] == [
        *("message-0", "message-2", "message-3", "message-4"),
    ]
    assert talk.blame(1) is not None
    assert talk.meta["title"] == "keeper of the maps"
    assert talk.meta["tools"][0]["name"] == "find_sheet"
    assert talk.log[2].parts[0].type == "thinking"


def test_the_steps_of_an_agent_are_messages_and_their_usage_is_a_call() -> None:
    talk = load(Source.of_path(FOLDER / "smolagents" / "steps.json")).conversation
    roles = [message.role for message in talk.log]
    assert roles == ["system", "user", *("assistant", "tool") * 3]
    assert [call.usage.input for call in talk.calls.all if call.usage] == [10, 20, 30]
    failed = talk.log[5].parts[0]
    assert isinstance(failed, ToolResultPart)
    assert (failed.is_error, failed.content) == (True, "there is no such place")


def state(step: int, *texts: str, thread: str = "t") -> dict[str, Any]:
    return {
        "values": {"messages": [said("user", text) for text in texts]},
        "config": {"configurable": {"thread_id": thread}},
        "created_at": f"2026-11-18T10:00:0{step}Z",
        "metadata": {"step": step, "source": "the loop of the graph"},
    }


def test_the_states_of_a_thread_are_one_timeline() -> None:
    states = [state(3, "c", "d"), state(1, "a"), state(2, "a", "b", "c")]
    (found,) = load_all(Source.of_data(states))
    talk = found.conversation
    assert [message.text for message in talk.visible] == ["c", "d"]
    assert [message.text for message in talk.log] == ["a", "b", "c", "d"]
    assert [len(revision.view) for revision in talk.revisions] == [1, 3, 1, 2]
    assert len(talk.meta["fields"]["states"]) == 3


def test_a_state_that_others_replaced_is_hidden() -> None:
    (found,) = load_all(Source.of_data([state(1, "a", "b"), state(2, "b", "a")]))
    assert [message.text for message in found.conversation.visible] == ["b", "a"]


def test_states_of_several_threads_are_conversations() -> None:
    states = [state(1, "a"), state(1, "b", thread="u")]
    assert len(list(load_all(Source.of_data(states)))) == 2


def test_one_message_of_a_strands_session_is_refused_by_name() -> None:
    row = {"message": {"role": "user", "content": [{"text": "hi"}]}, "message_id": 0}
    with pytest.raises(Refused, match="one message of a Strands session"):
        load(row)
