"""Hugging Face messages: chat with arguments as objects, and messages with parts of a value."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Redact
from ctxtui.core.formats import Source, detect, format_named, load
from ctxtui.core.formats.warnings import sentences
from tests.core.formats.exchanges import INPUTS, JSON, exchanges, part_call, projection
from tests.core.samples import said

HF = format_named("hf")
OPENAI = format_named("openai")


def calling(arguments: Any, **more: Any) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call], **more}


def test_results_without_an_id_answer_the_call_of_their_name() -> None:
    calls = [{"function": {"name": name, "arguments": {}}} for name in "fg"]
    rows = [
        {"role": "user", "content": "u"},
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "name": "g", "content": "2"},
        {"role": "tool", "content": "1"},
    ]
    made = load({"messages": rows}).conversation
    assert [message.results for message in made.visible[2:]] == [("call_1_1",), ("call_1_0",)]
    assert made.lint() == []
    assert HF.write(made).data == {"messages": rows}
    made.execute(Redact(indices=[2], text="X"))
    assert HF.write(made).data["messages"][2] == {"role": "tool", "name": "g", "content": "X"}


def in_chat(text: str) -> list[dict[str, Any]]:
    calls = [{"function": {"name": name, "arguments": {}}} for name in "fg"]
    return [
        {"role": "user", "content": "u"},
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "content": text},
    ]


def in_values(text: str) -> list[dict[str, Any]]:
    calls = [
        {"type": "tool_call", "value": json.dumps({"name": name, "arguments": {}})} for name in "fg"
    ]
    return [
        {"role": "user", "content": [{"type": "text", "value": "u"}]},
        {"role": "assistant", "content": calls},
        {"role": "tool", "content": [{"type": "text", "value": text}]},
    ]


@pytest.mark.parametrize("rows", [in_chat, in_values])
def test_one_list_of_results_answers_as_many_calls(rows: Any) -> None:
    data = {"messages": rows('["1", {"a": 2}]')}
    made = load(data).conversation
    assert made.visible[2].results == made.visible[1].calls
    assert made.lint() == []
    assert HF.write(made).data == data
    made.execute(Redact(indices=[2], text="X"))
    assert HF.write(made).data == {"messages": rows('["X", "X"]')}


@pytest.mark.parametrize("rows", [in_chat, in_values])
def test_one_result_for_several_calls_is_told(rows: Any) -> None:
    data = {"messages": rows("both went well")}
    found = load(data)
    assert found.conversation.visible[2].results == found.conversation.visible[1].calls[:1]
    told = "there are fewer results than calls; the first calls have them (message 2)"
    assert told in sentences(found.warnings)
    assert HF.write(found.conversation).data == data


def test_reasoning_is_thinking() -> None:
    data = {"messages": [said("user", "u"), calling({}, reasoning="hm")]}
    made = load(data).conversation
    assert [part.type for part in made.visible[1].parts] == ["thinking", "tool_use"]
    assert HF.write(made).data == data
    assert "parts are left out: thinking (message 1)" in sentences(OPENAI.write(made).warnings)


def test_messages_of_others_have_arguments_as_objects_and_reasoning_beside_them() -> None:
    thought = {"type": "thinking", "thinking": {"text": "hm", "signature": "s"}}
    parts = [thought, {"type": "text", "text": "a"}, part_call("c", "f", {"a": 1})]
    made = Conversation(
        [said("user", "u"), {"role": "assistant", "content": parts}],
        meta={"tools": [{"name": "f", "parameters": {}}]},
    )
    written = HF.write(made)
    row = calling({"a": 1}, content="a", reasoning_content="hm")
    row["tool_calls"][0]["id"] = "c"
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    assert written.data == {"messages": [said("user", "u"), row], "tools": tools}
    assert sentences(written.warnings) == ("signatures of thinking are left out (message 1)",)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ([said("user", "u"), calling({})], "hf"),
        ([said("user", "u"), calling("{}")], "openai"),
        ({"messages": [said("user", "u")], "tools": "[]"}, "hf"),
        ({"messages": [said("user", "u")], "tools": []}, "openai"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "value": "u"}]}]}, "hf"),
    ],
)
def test_it_is_told_from_openai_by_what_only_it_has(data: Any, name: str) -> None:
    assert detect(Source.of_data(data)).name == name


@given(exchanges(), st.booleans())
def test_a_conversation_is_the_same_after_writing_and_reading(messages: Any, valued: bool) -> None:
    made = Conversation(messages, meta={"hf": {"messages": ["valued"]}} if valued else {})
    again = load(json.loads(HF.write(made).text), "hf").conversation
    assert projection(again, ids=not valued) == projection(made, ids=not valued)
    assert again.lint() == made.lint()


ARGUMENTS = JSON | JSON.map(json.dumps) | INPUTS
NAMES = {"name": st.text(max_size=3)}
CALLS = st.fixed_dictionaries(
    {"function": st.fixed_dictionaries(NAMES, optional={"arguments": ARGUMENTS})},
    optional={"id": st.text(max_size=3) | st.none(), "type": st.just("function"), "x": JSON},
)
CALL_TEXTS = st.fixed_dictionaries(NAMES, optional={"arguments": ARGUMENTS, "id": JSON, "x": JSON})
PARTS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["text", "reasoning", "tool_call", "image_url", "audio"]),
        "value": st.text(max_size=4) | CALL_TEXTS.map(json.dumps) | CALL_TEXTS | JSON,
    },
    optional={"x": JSON},
)
ROLES = st.sampled_from(["system", "user", "assistant", "tool", "developer", "narrator"])


def rows(content: st.SearchStrategy[Any], **more: Any) -> st.SearchStrategy[Any]:
    texts = st.text(max_size=4) | st.sampled_from(["[1, 2]", '["a","b"]'])
    optional = {"content": st.none() | texts | content, **more}
    return st.lists(st.fixed_dictionaries({"role": ROLES}, optional=optional), min_size=1)


CHAT = rows(
    st.just([{"type": "text", "text": "a"}]),
    tool_calls=st.none() | st.lists(CALLS, max_size=3),
    tool_call_id=st.none() | st.text(max_size=3),
    reasoning_content=st.none() | st.text(max_size=4),
    thinking=st.none() | st.text(max_size=4),
    name=JSON,
)


@given(CHAT | rows(st.lists(PARTS, max_size=3), loss_weight=JSON), st.booleans())
def test_data_is_the_same_after_reading_and_writing(data: Any, bare: bool) -> None:
    given = data if bare else {"messages": data, "source": "x"}
    assert HF.write(load(given, "hf").conversation).data == given
