"""OpenAI chat from conversations of any origin: the visible messages, and what is left out."""

from typing import Any

import pytest

from ctxtui.core import Clear, Conversation, Delete, Mark, Repair
from ctxtui.core.formats.openai import OpenAI
from ctxtui.core.formats.warnings import sentences
from tests.core.samples import Data, answer, call, five, said, talk

OPENAI = OpenAI()


def rows(*messages: Data) -> Any:
    return OPENAI.write(talk(*messages)).data


def problems(*messages: Data) -> tuple[str, ...]:
    return sentences(OPENAI.write(talk(*messages)).warnings)


def part(kind: str, value: Any, **fields: Any) -> Data:
    return {"type": kind, kind: value, **fields}


def chat_result(id: str, content: Any) -> Data:
    return {"role": "tool", "tool_call_id": id, "content": content}


def test_only_what_is_visible_is_written() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[1, 3]))
    conversation.execute(Mark(indices=[0], label="pin"))
    written = OPENAI.write(conversation)
    assert [row["content"] for row in written.data] == ["m0", "m2", "m4"]
    assert sentences(written.warnings) == (
        "hidden messages are left out (2)",
        "the history is left out (changes: 2)",
        "the labels are left out: pin",
    )


def test_an_empty_projection_is_an_empty_list() -> None:
    conversation = five()
    conversation.execute(Clear(keep_system_message=False))
    assert OPENAI.write(conversation).data == []


def test_settings_and_facts_about_the_conversation_are_told() -> None:
    conversation = Conversation([said("user", "u")], {"tokenLimit": 5}, meta={"title": "t"})
    assert sentences(OPENAI.write(conversation).warnings) == (
        "the settings are left out",
        "fields of the conversation are left out: title",
    )


def test_facts_of_another_format_are_told_by_their_names() -> None:
    notes = {"anthropic": {"model": "m", "stop": "end"}, "codex": {}}
    conversation = Conversation([said("user", "u")], meta=notes)
    assert sentences(OPENAI.write(conversation).warnings) == (
        "fields of the conversation are left out: fields.model, fields.stop",
    )


def test_facts_that_are_no_extras_are_left_out() -> None:
    conversation = Conversation([said("user", "u")], meta={"openai": 5})
    written = OPENAI.write(conversation)
    assert written.data == [said("user", "u")]
    assert sentences(written.warnings) == ("fields of the conversation are left out: openai",)


def test_calls_have_their_input_as_json_text() -> None:
    use = {"id": "a", "name": "look", "input": {"city": "Zürich", "n": [1, None]}}
    assert rows(said("assistant", [part("text", "wait"), part("tool_use", use)])) == [
        said(
            "assistant",
            "wait",
            tool_calls=[
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"city": "Zürich", "n": [1, null]}'},
                }
            ],
        )
    ]
    assert rows(call("a"))[0]["content"] is None


def test_results_in_user_messages_become_tool_messages_before_the_rest() -> None:
    user = said("user", [*answer("a", "b")["content"], part("text", "and now?")])
    assert rows(call("a", "b"), user)[1:] == [
        chat_result("a", "seen a"),
        chat_result("b", "seen b"),
        said("user", "and now?"),
    ]
    assert problems(call("a", "b"), user) == (
        "tool results become messages of the role tool (message 1)",
        "messages with several kinds of parts are split (message 1)",
    )


def test_a_message_with_one_result_stays_one_message() -> None:
    assert rows(call("a"), answer("a"))[1:] == [chat_result("a", "seen a")]
    assert problems(call("a"), answer("a")) == ()
    assert rows(call("a"), answer("a", role="user"))[1:] == [chat_result("a", "seen a")]


def test_several_results_of_a_tool_message_are_split() -> None:
    assert rows(call("a", "b"), answer("a", "b"))[1:] == [
        chat_result("a", "seen a"),
        chat_result("b", "seen b"),
    ]
    assert problems(call("a", "b"), answer("a", "b")) == (
        "messages with several kinds of parts are split (message 1)",
    )


def test_results_of_an_assistant_message_follow_its_calls() -> None:
    both = said("assistant", [*answer("a")["content"], *call("a")["content"]])
    assert [row["role"] for row in rows(both)] == ["assistant", "tool"]
    assert "parts are put into the order of this format (message 0)" in problems(both)


@pytest.mark.parametrize(
    ("message", "sentence", "content"),
    [
        (
            said("assistant", [part("thinking", {"text": "hm"}), part("text", "a")]),
            "parts are left out: thinking (message 0)",
            "a",
        ),
        (
            said("assistant", [part("thinking", {"text": "hm"})]),
            "parts are left out: thinking (message 0)",
            "",
        ),
        (
            said("user", [part("data", {"type": "document"}), part("text", "a")]),
            "parts are left out: data (message 0)",
            "a",
        ),
        (
            said("user", [part("tool_use", {"id": "a", "name": "f", "input": {}})]),
            "tool calls outside assistant messages are left out (message 0)",
            "",
        ),
        (said("user", "a", id="1"), "ids are left out (message 0)", "a"),
        (said("user", "a", timestamp=1), "timestamps are left out (message 0)", "a"),
        (said("user", "a", metadata={"x": 1}), "metadata is left out (message 0)", "a"),
        (said("user", "a", metadata={"openai": 1}), "metadata is left out (message 0)", "a"),
        (
            said("user", [part("text", "a", metadata={"x": 1})]),
            "metadata is left out (message 0)",
            "a",
        ),
    ],
    ids=["thinking", "only thinking", "data", "call", "id", "time", "metadata", "odd", "part"],
)
def test_what_chat_cannot_hold_is_told(message: Data, sentence: str, content: str) -> None:
    assert rows(message) == [said(message["role"], content)]
    assert problems(message) == (sentence,)


def test_what_a_result_loses_is_told() -> None:
    inner = [part("text", "1"), part("data", {"x": 1}), part("text", "2", metadata={"y": 1})]
    result = {"tool_use_id": "a", "content": inner, "is_error": True}
    message = said("tool", [part("tool_result", result)])
    assert rows(message) == [chat_result("a", [part("text", "1"), part("text", "2")])]
    assert problems(message) == (
        "tool results lose their error flag (message 0)",
        "parts are left out: data (message 0)",
        "metadata is left out (message 0)",
    )


@pytest.mark.parametrize("kind", ["input_audio", "file", "refusal"])
def test_data_that_is_a_part_of_chat_is_written_as_it_is(kind: str) -> None:
    data = {"type": kind, kind: {"x": [1]}}
    assert rows(said("user", [part("data", data)])) == [said("user", [data])]
    assert problems(said("user", [part("data", data)])) == ()


def test_pictures_are_written_by_address() -> None:
    picture = {"type": "image", "image_url": {"url": "http://pictures.test/1"}}
    assert rows(said("user", [picture])) == [said("user", [{**picture, "type": "image_url"}])]


def test_a_stub_for_an_old_function_call_is_an_old_function_result() -> None:
    asked = said("assistant", None, function_call={"name": "f", "arguments": "{}"})
    conversation = OPENAI.read_one([asked, said("user", "u")]).conversation
    conversation.execute(Repair(policy="stub"))
    assert OPENAI.write(conversation).data == [
        asked,
        said("function", "[result removed]", name="f"),
        said("user", "u"),
    ]
