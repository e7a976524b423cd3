"""Anthropic in detail: where the system prompt, tools and results go, and what is told."""

import json
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import Layout, Source, detect, format_named, load, load_all
from ctxtui.core.formats.warnings import WarningCollector, sentences
from tests.core.formats.projecting import projected
from tests.core.formats.vectors import FOLDER
from tests.core.samples import answer, call, refusal, said

ANTHROPIC = format_named("anthropic")
ASKED = said("user", "Where?")
USE = {"type": "tool_use", "id": "c1", "name": "look", "input": {"q": "x"}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "there"}


def read(data: Any) -> Conversation:
    return load(data, "anthropic").conversation


def test_a_request_becomes_messages_that_can_be_linted() -> None:
    found = load(Source.of_path(FOLDER / "anthropic" / "request.json")).conversation
    assert [message.role for message in found.visible] == [
        *("system", "user", "user", "assistant", "user", "assistant", "tool", "tool"),
        *("assistant", "user"),
    ]
    assert found.visible[3].calls == ("toolu_01", "toolu_02")
    assert found.visible[4].results == ("toolu_01", "toolu_02")
    assert [tool.get("name") for tool in found.meta["tools"]] == ["find_sheet", None]
    picture = found.visible[2].to_dict()["content"][0]
    assert picture["image_url"]["url"] == "data:image/png;base64,iVBORw0KGgo="
    assert found.lint("anthropic")


def test_the_first_and_the_last_message_may_be_changed_and_the_rest_stays() -> None:
    path = FOLDER / "anthropic" / "request.json"
    given = Source.of_path(path).document()
    found = load(given).conversation
    found.execute({"operation": "DELETE", "indices": [0, 9]})
    found.append(said("user", "And now?"))
    data = ANTHROPIC.write(found).data
    assert data["messages"] == [*given["messages"][:-1], said("user", "And now?")]
    assert "system" not in data
    assert data["tools"] == given["tools"]


def test_system_messages_go_to_the_top_unless_they_stood_among_the_others() -> None:
    several = Conversation([said("system", "a"), ASKED, said("system", "b")])
    written = ANTHROPIC.write(several)
    assert written.data == {
        "system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "messages": [ASKED],
    }
    assert sentences(written.warnings) == ("system messages are moved before all others",)
    inside = [ASKED, said("system", "b"), said("assistant", [USE])]
    assert ANTHROPIC.write(read(inside)).data == inside


@pytest.mark.parametrize("empty", ["", [], None, 5])
def test_an_empty_system_prompt_is_no_message(empty: Any) -> None:
    given = {"system": empty, "messages": [ASKED]}
    found = read(given)
    assert len(found.log) == 1
    assert ANTHROPIC.write(found).data == given


def test_conversations_with_and_without_a_prompt_are_read_from_one_file() -> None:
    talk = [said("user", "u"), said("assistant", "a")]
    several = [Conversation(talk), Conversation([said("system", "s"), *talk])]
    for layout in (Layout.LINES, Layout.LIST):
        text = "".join(ANTHROPIC.write_all(several, layout, WarningCollector()))
        found = [one.conversation for one in load_all(Source.of_text(text))]
        assert list(map(projected, found)) == list(map(projected, several))


@pytest.mark.parametrize("join", ["lines", "list"])
def test_bare_lists_in_one_file_stay_bare(join: str) -> None:
    talk = [ASKED, said("user", [RESULT])]
    text = (
        f"[{json.dumps(talk)},\n{json.dumps(talk)}]\n"
        if join == "list"
        else (f"{json.dumps(talk)}\n{json.dumps(talk)}\n")
    )
    found = list(load_all(Source.of_text(text), "anthropic"))
    conversations = [one.conversation for one in found]
    again = "".join(ANTHROPIC.write_all(conversations, found[0].layout, WarningCollector()))
    assert again == text


def test_results_of_parallel_calls_are_put_into_one_message() -> None:
    talk = Conversation([ASKED, call("a", "b"), answer("a"), answer("b"), said("user", "x")])
    written = ANTHROPIC.write(talk)
    rows = written.data["messages"]
    assert [row["role"] for row in rows] == ["user", "assistant", "user", "user"]
    assert [block["tool_use_id"] for block in rows[2]["content"]] == ["a", "b"]
    assert sentences(written.warnings) == (
        "successive tool results become one message (message 3)",
    )
    apart = [said("user", [RESULT]), said("user", [RESULT])]
    assert ANTHROPIC.write(read(apart)).data == apart


def test_an_answer_alone_is_given_back_alone_until_something_is_added() -> None:
    given = Source.of_path(FOLDER / "anthropic" / "answer.json").document()
    found = load(given).conversation
    assert found.visible[0].calls == ("toolu_09",)
    assert ANTHROPIC.write(found).data == given
    found.append(said("user", "x"))
    assert ANTHROPIC.write(found).data == [given, said("user", "x")]


def test_a_log_with_answers_in_it_is_one_conversation_and_answers_are_several() -> None:
    layouts = {
        name: [one.layout for one in load_all(Source.of_path(FOLDER / "anthropic" / name))]
        for name in ("messages.jsonl", "answers.jsonl", "requests.jsonl")
    }
    assert layouts == {
        "messages.jsonl": [Layout.ITEMS],
        "answers.jsonl": [Layout.LINES] * 2,
        "requests.jsonl": [Layout.LINES] * 3,
    }


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"model": "claude-x", "messages": [ASKED]}, "anthropic"),
        ({"stop_sequences": [], "messages": [ASKED]}, "anthropic"),
        ({"model": "claude-x", "messages": [said("system", "a"), ASKED]}, "openai"),
        ({"model": "claude-x", "messages": [said("assistant", None, tool_calls=[])]}, "openai"),
        ({"model": "gpt-x", "messages": [ASKED]}, "openai"),
        ([ASKED], "native"),
        ([ASKED, said("assistant", [USE])], "anthropic"),
    ],
)
def test_a_request_is_told_from_chat(data: Any, name: str) -> None:
    assert detect(Source.of_data(data)).name == name


def test_what_is_no_conversation_is_refused() -> None:
    assert str(refusal(lambda: read({"messages": 5}))) == "messages 5 is not a list of messages"
    sentence = "messages[0]: the message has no role"
    assert str(refusal(lambda: read([{"content": "x"}]))) == sentence


def test_chat_is_written_as_blocks_and_what_is_left_out_is_told() -> None:
    chat = {
        "messages": [
            said("system", "Be brief."),
            said("user", [{"type": "image_url", "image_url": {"url": "data:image/gif;base64,AA"}}]),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "ok", "name": "f"},
        ],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }
    written = ANTHROPIC.write(load(chat).conversation)
    source = {"type": "base64", "media_type": "image/gif", "data": "AA"}
    assert written.data == {
        "system": "Be brief.",
        "tools": [{"name": "f", "input_schema": {"type": "object", "properties": {}}}],
        "messages": [
            said("user", [{"type": "image", "source": source}]),
            said("assistant", [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]),
            said("user", [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]),
        ],
    }
    assert sentences(written.warnings) == ("metadata is left out (message 3)",)
