"""Responses in detail: what the assistant says in a row, instructions, results, random items."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.formats import Layout, Source, dump_json, format_named, load, load_all, read_json
from ctxtui.core.formats.warnings import sentences
from tests.core.formats.projecting import in_a_row
from tests.core.formats.vectors import FOLDER
from tests.core.message_strategies import beginnings
from tests.core.samples import answer, call, refusal, said
from tests.core.test_formats_openai_random import sorted_text, texts, values, with_more
from tests.core.test_formats_random import conversations

RESPONSES = format_named("responses")


def sample(name: str) -> Conversation:
    return load(Source.of_path(FOLDER / "responses" / name)).conversation


def test_what_the_assistant_says_in_a_row_is_one_message() -> None:
    found = sample("request.json")
    assert [message.role for message in found.visible] == [
        *("system", "system", "user", "assistant", "tool", "tool", "assistant", "tool"),
        *("assistant", "assistant", "user"),
    ]
    thinking, *calls = found.visible[3].parts
    assert thinking.body() == {"thinking": {"text": "Look it up.\n\nTwice."}}
    assert [part.id for part in calls] == ["call_1", "call_2"]  # type: ignore[union-attr]
    assert found.visible[5].results == ("call_2",)
    assert [part.type for part in found.visible[8].parts] == [
        *("tool_use", "thinking", "text", "data")
    ]


def test_instructions_are_the_first_message_and_may_be_removed() -> None:
    found = sample("request.json")
    found.execute({"operation": "DELETE", "indices": [0]})
    data = RESPONSES.write(found).data
    assert "instructions" not in data
    assert data["input"] == Source.of_path(FOLDER / "responses" / "items.json").document()


def test_a_text_as_input_becomes_items_when_more_is_said() -> None:
    found = sample("text.json")
    found.append(said("assistant", "In drawer 4."))
    assert RESPONSES.write(found).data["input"] == [
        {"role": "user", "content": "Where is sheet 12?"},
        {"type": "message", "role": "assistant", "content": "In drawer 4."},
    ]


def test_lines_of_items_are_one_conversation_and_lines_of_responses_several() -> None:
    layouts = {
        name: [one.layout for one in load_all(Source.of_path(FOLDER / "responses" / name))]
        for name in ("items.jsonl", "responses.jsonl")
    }
    assert layouts == {"items.jsonl": [Layout.ITEMS], "responses.jsonl": [Layout.LINES] * 2}


def test_another_formats_messages_are_written_as_items() -> None:
    talk = Conversation([said("system", "s"), call("a"), answer("a"), said("assistant", "done")])
    written = RESPONSES.write(talk)
    assert written.data == [
        {"type": "message", "role": "system", "content": "s"},
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "seen a"},
        {"type": "message", "role": "assistant", "content": "done"},
    ]
    assert sentences(written.warnings) == ()


def test_a_thought_that_was_changed_loses_what_was_encrypted() -> None:
    found = sample("response.json")
    found.execute({"operation": "REDACT", "indices": [0], "text": "gone"})
    item = RESPONSES.write(found).data["output"][0]
    assert item == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "gone"}],
    }


@pytest.mark.parametrize("data", [{"a": 1}, [5], {"input": 5}, 5])
def test_what_has_no_items_is_refused(data: Any) -> None:
    assert str(refusal(lambda: load(data, "responses")))


part = st.one_of(
    with_more({"type": st.sampled_from(["input_text", "output_text", "text"]), "text": texts}),
    with_more({"type": st.just("input_image")}, image_url=texts | values),
    with_more({"type": st.sampled_from(["refusal", "input_file", "input_text"])}),
)
content = st.none() | texts | st.lists(part, max_size=2)
role = st.sampled_from(["user", "assistant", "system", "developer", "tool", "robot"])
kind = st.sampled_from(["function_call", "custom_tool_call", "local_shell_call", "shell_call"])
item = st.one_of(
    with_more({"role": role}, "id", "status", type=st.just("message"), content=content),
    with_more(
        {"type": kind, "call_id": texts, "name": texts | values},
        "id",
        arguments=texts | values,
        input=texts | values,
        action=values,
    ),
    with_more(
        {"type": kind.map(lambda one: f"{one}_output"), "call_id": texts},
        "id",
        output=texts | values | st.lists(part, max_size=2),
    ),
    with_more({"type": st.just("reasoning")}, summary=values | st.lists(part, max_size=2)),
    with_more({"type": st.sampled_from(["web_search_call", "function_call", "compaction"])}),
)
items = st.lists(item, max_size=5)
data = st.one_of(
    items,
    with_more({"input": items | texts}, "model", instructions=texts | values, tools=values),
    with_more({"output": items, "object": st.just("response")}, instructions=values),
)


@given(data)
def test_reading_and_writing_gives_the_same_data(given_data: Any) -> None:
    loaded = RESPONSES.read_one(read_json(dump_json(given_data)))  # type: ignore[attr-defined]
    written = RESPONSES.write(loaded.conversation)
    assert sorted_text(written.data) == sorted_text(given_data)


@given(conversations())
def test_any_conversation_is_written_in_a_way_that_can_be_read(conversation: Conversation) -> None:
    rows = read_json(dump_json(RESPONSES.write(conversation).data))
    again = RESPONSES.write(load(rows, "responses").conversation)
    assert dump_json(again.data) == dump_json(rows)


@given(beginnings)
def test_what_is_not_reported_is_held(messages: list[Any]) -> None:
    conversation = Conversation(messages)
    written = RESPONSES.write(conversation)
    again = load(written.data, "responses").conversation
    assert sentences(written.warnings) or in_a_row(again) == in_a_row(conversation)
