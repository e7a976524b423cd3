"""What damaging sample files at random has shown, once and for all."""

import json

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, format_named, load_all


def test_a_lone_surrogate_is_written_to_a_chatgpt_export() -> None:
    written = format_named("chatgpt").write(Conversation([{"role": "user", "content": "\ud800"}]))
    (again,) = load_all(Source.of_text(written.text))
    assert [message.text for message in again.conversation.visible] == ["\ud800"]


def test_a_plain_text_with_a_tools_role_is_read_from_a_transcript() -> None:
    row = {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s"}
    said = {"role": "user", "content": "hello"}
    lines = [
        {**row, "message": said},
        {**row, "uuid": "b", "parentUuid": "a", "message": {"role": "tool", "content": "x"}},
    ]
    text = "\n".join(map(json.dumps, lines))
    (found,) = load_all(Source.of_text(text), "claude-code")
    assert [message.text for message in found.conversation.visible] == ["hello", "x"]


GEMINI_CLI = [
    {"sessionId": "s", "projectHash": "h"},
    {"id": "1", "type": "user", "content": [{"text": "hi"}, {"functionResponse": {"id": [1]}}]},
]
COPILOT = [
    {"type": "session.start", "id": "0", "data": {"producer": "copilot-agent"}},
    {"type": "user.message", "id": "1", "data": {"content": "hi"}},
    {
        "type": "assistant.reasoning",
        "id": "3",
        "data": {"content": "so", "parentToolCallId": {"a": 1}},
    },
    {
        "type": "assistant.message",
        "id": "2",
        "data": {"content": "hi", "toolRequests": [{"toolCallId": []}], "parentToolCallId": {}},
    },
    {"type": "tool.execution_start", "id": "4", "data": {"toolCallId": [1], "toolName": "ls"}},
]
PYDANTIC_AI = [
    {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]},
    {"kind": "request", "parts": [{"part_kind": ["x"], "content": "hi"}]},
]


@pytest.mark.parametrize(
    ("name", "rows"),
    [("gemini-cli", GEMINI_CLI), ("copilot", COPILOT), ("pydantic-ai", PYDANTIC_AI)],
)
def test_what_stands_for_an_id_may_be_anything(name: str, rows: list[object]) -> None:
    source = Source.of_data(rows) if name == "pydantic-ai" else Source.of_items(rows)
    (loaded,) = load_all(source, name)
    assert loaded.conversation.log[0].text == "hi"


def test_calls_of_smolagents_that_are_no_list_are_none() -> None:
    steps = [{"system_prompt": "Be kind."}, {"task": "hi"}, {"step_number": 1, "tool_calls": 1.5}]
    (loaded,) = load_all(Source.of_data(steps), "smolagents")
    assert [message.text for message in loaded.conversation.log][:2] == ["Be kind.", "hi"]
