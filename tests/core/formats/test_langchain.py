"""LangChain in detail: calls that stand there several times, and messages that were changed."""

import json
from typing import Any

import pytest

from ctxtui.core import Conversation, Message
from ctxtui.core.engine.messages import ToolResultPart, ToolUsePart
from ctxtui.core.formats import Written, format_named, load
from ctxtui.core.formats.langchain import LangChain
from ctxtui.core.formats.warnings import sentences
from tests.core.formats.vectors import FOLDER
from tests.core.samples import answer, call, said

LANGCHAIN = LangChain()


def sample(name: str) -> Any:
    return json.loads((FOLDER / "langchain" / name).read_text())


def ai(content: Any = "", **body: Any) -> dict[str, Any]:
    return {"type": "ai", "data": {"content": content, **body}}


def read(*rows: Any) -> Conversation:
    return LANGCHAIN.read_one(list(rows)).conversation


def with_first(talk: Conversation, message: Message) -> Written:
    """Return what is written when the first message is another one."""
    return LANGCHAIN.write(Conversation([message, *talk.visible[1:]], meta=dict(talk.meta)))


def test_calls_and_results_are_parts_with_their_ids() -> None:
    talk = load(sample("messages.json")).conversation
    asked, seen, failed = talk.visible[2:5]
    assert asked.calls == ("call_1", "call_2")
    assert seen.results == ("call_1",)
    assert failed.results == ("call_2",)
    (result,) = failed.parts
    assert isinstance(result, ToolResultPart)
    assert result.is_error
    assert [one.id for one in talk.visible] == ["s1", None, "run--1", None, None, "run--2"]


def test_a_call_that_is_invalid_has_its_arguments_as_text() -> None:
    asked = load(sample("messages.json")).conversation.visible[2]
    broken = asked.parts[1]
    assert isinstance(broken, ToolUsePart)
    assert broken.input == '{"url": "https://maps'


def test_thinking_and_blocks_of_calls_keep_their_order() -> None:
    asked = load(sample("dumpd.json")).conversation.visible[1]
    assert [part.type for part in asked.parts] == ["thinking", "text", "tool_use", "tool_use"]


@pytest.mark.parametrize("name", ["messages.json", "dumpd.json", "state.json"])
def test_it_is_given_back_in_its_shape(name: str) -> None:
    written = LANGCHAIN.write(load(sample(name)).conversation)
    assert written.data == sample(name)
    assert sentences(written.warnings) == ()


def test_what_is_changed_is_changed_everywhere() -> None:
    raw = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    talk = read(
        ai(
            [{"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}],
            tool_calls=[{"name": "f", "args": {"a": 1}, "id": "c", "type": "tool_call"}],
            additional_kwargs={"tool_calls": [raw], "n": 1},
        )
    )
    data = talk.visible[0].to_dict()
    data["content"][0]["tool_use"]["input"] = {"a": 2}
    ((row),) = with_first(talk, Message.from_dict(data)).data
    body = row["data"]
    assert body["tool_calls"][0]["args"] == {"a": 2}
    assert body["content"][0]["input"] == {"a": 2}
    assert body["additional_kwargs"]["tool_calls"][0]["function"]["arguments"] == '{"a": 2}'
    data["content"] = "never mind"
    ((row),) = with_first(talk, Message.from_dict(data)).data
    assert row["data"] == {"content": "never mind", "additional_kwargs": {"n": 1}}


def test_a_call_that_is_mended_is_invalid_no_more() -> None:
    broken = {"name": "f", "args": "{", "id": "c", "error": "cut", "type": "invalid_tool_call"}
    talk = read(ai(invalid_tool_calls=[broken]))
    data = talk.visible[0].to_dict()
    data["content"][0]["tool_use"]["input"] = {"a": 1}
    ((row),) = with_first(talk, Message.from_dict(data)).data
    assert row["data"] == {
        "content": "",
        "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "c", "type": "tool_call"}],
    }


def test_a_changed_role_is_the_type_everywhere() -> None:
    talk = read(
        {"type": "human", "data": {"content": "hi", "type": "human"}},
        {"type": "chat", "data": {"content": "hm", "type": "chat", "role": "critic"}},
    )
    first, second = [{**one.to_dict(), "role": "system"} for one in talk.visible]
    written = LANGCHAIN.write(Conversation([first, second], meta=dict(talk.meta)))
    assert written.data == [{"type": "system", "data": {"content": text}} for text in ("hi", "hm")]


def test_new_messages_are_written_in_the_shape_of_the_others() -> None:
    talk = load(sample("dumpd.json")).conversation
    new = [call("c1"), answer("c1", role="user"), said("user", "thanks", id="u")]
    more = Conversation([*talk.visible, *new], meta=dict(talk.meta))
    asked, seen, thanks = LANGCHAIN.write(more).data[-3:]
    assert [row["id"][-1] for row in (asked, seen, thanks)] == [
        "AIMessage",
        "ToolMessage",
        "HumanMessage",
    ]
    assert seen["kwargs"] == {"content": "seen c1", "tool_call_id": "c1"}
    assert thanks["kwargs"] == {"content": "thanks", "id": "u"}


def test_what_it_can_not_hold_is_told() -> None:
    talk = Conversation(
        [said("user", "hi", timestamp=5, metadata={"n": 1}), {**call("c"), "role": "user"}],
        meta={"title": "a trip"},
    )
    assert sentences(LANGCHAIN.write(talk).warnings) == (
        "fields of the conversation are left out: title",
        "timestamps are left out (message 0)",
        "metadata is left out (message 0)",
        "tool calls outside assistant messages are left out (message 1)",
    )


def test_to_openai_the_arguments_go_as_text() -> None:
    talk = load(sample("dumpd.json")).conversation
    rows = format_named("openai").write(talk).data
    assert rows[1]["tool_calls"][0]["function"] == {
        "name": "read",
        "arguments": '{"path": "a.txt"}',
    }
    assert [row.get("tool_call_id") for row in rows[2:4]] == ["toolu_1", "toolu_2"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"type": "robot", "data": {"content": "x"}},
            "messages were read with another role: robot as user",
        ),
        (
            ai(tool_calls=[{"name": "f", "args": {}, "id": None}]),
            "tool calls without an id were given",
        ),
        (
            ai(tool_calls=[{"args": {}}]),
            "tool calls that can't be read were stored in the metadata",
        ),
        (ai([{"type": "document"}]), "parts of an unknown type were stored as data: document"),
        (ai(5), "messages that can't be read were left out: content 5 is not text"),
        (5, "messages that can't be read were left out: message 5 is not a LangChain message"),
        (
            ai(usage_metadata={"input_tokens": 1}),
            "keys of the file were stored in the metadata: metadata.langchain.",
        ),
    ],
)
def test_what_is_odd_is_told(row: Any, problem: str) -> None:
    problems = sentences(LANGCHAIN.read_one([ai("hi"), row]).warnings)
    assert any(one.startswith(problem) for one in problems), problems
