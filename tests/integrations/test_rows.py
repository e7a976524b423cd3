"""Rows of frameworks as messages and back, without the frameworks."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core import Message
from ctxtui.core.integrations import agent_messages, model_messages

RESULT = {
    "part_kind": "tool-return",
    "tool_name": "look",
    "tool_call_id": "t1",
    "content": {"size": 3},
    "outcome": "success",
}
CALL = {"part_kind": "tool-call", "tool_name": "look", "tool_call_id": "t1", "args": '{"a": 1}'}


def test_each_part_of_a_request_is_a_message() -> None:
    prompt = {"part_kind": "system-prompt", "content": "Be brief."}
    question = {"part_kind": "user-prompt", "content": ["a", {"kind": "image-url", "url": "u"}]}
    odd = {"part_kind": "instruction-delta", "content": None}
    row = {"kind": "request", "parts": [prompt, question, RESULT, odd]}
    read = model_messages.read_row(row)
    assert [message.role for message in read] == ["system", "user", "tool", "user"]
    written = [part for message in read for part in model_messages.write_row(message)["parts"]]
    assert written == row["parts"]


def test_a_response_is_one_message() -> None:
    thought = {"part_kind": "thinking", "content": "hm", "signature": "s"}
    row = {"kind": "response", "parts": [thought, CALL], "model_name": "some-model"}
    (read,) = model_messages.read_row(row)
    assert read.calls == ("t1",)
    assert model_messages.write_row(read) == row


@pytest.mark.parametrize("kind", ["request", "response"])
def test_a_row_without_parts_is_an_empty_message(kind: str) -> None:
    (read,) = model_messages.read_row({"kind": kind, "parts": []})
    assert read.text == ""


def test_a_redacted_result_holds_nothing_of_what_it_was() -> None:
    (read,) = model_messages.read_row({"kind": "request", "parts": [RESULT]})
    (part,) = model_messages.write_row(read.redacted("[cleared]"))["parts"]
    assert part == {**RESULT, "content": "[cleared]"}

    picture = {"type": "uri", "uri": "u", "media_type": "image/png"}
    items = [{"type": "text", "text": "secret"}, picture]
    content = {"type": "function_result", "call_id": "t1", "result": "secret", "items": items}
    read = agent_messages.read_row({"role": "tool", "contents": [content]})
    assert agent_messages.write_row(read)["contents"] == [content]
    assert "secret" not in str(agent_messages.write_row(read.redacted("[cleared]")))


def test_annotations_of_a_compaction_are_not_read() -> None:
    text = {"type": "text", "text": "a"}
    row: dict[str, Any] = {"role": "user", "contents": [text]}
    noted = {"_group": {"id": 1}, "colour": "red"}
    plain, annotated = (
        agent_messages.read_row({**row, "additional_properties": properties})
        for properties in ({"colour": "red"}, noted)
    )
    assert plain == annotated


def test_a_message_of_nobodys_becomes_a_row_of_either() -> None:
    message = Message("assistant", "Hi")
    assert agent_messages.write_row(message)["contents"] == [{"type": "text", "text": "Hi"}]
    assert model_messages.write_row(message)["parts"] == [{"part_kind": "text", "content": "Hi"}]
