"""OpenAI chat: read without loss, so that writing it again gives the same data."""

import re
from typing import Any

import pytest

from ctxtui.core import Conversation, Redact
from ctxtui.core.engine.messages import DataPart, ImagePart, ToolResultPart, ToolUsePart
from ctxtui.core.formats import dump_json, load
from ctxtui.core.formats.native import Native
from ctxtui.core.formats.openai import OpenAI
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.values.frozen import FrozenDict
from tests.core.samples import Data, refusal, said

OPENAI = OpenAI()
URL = "http://pictures.test/1"


def call(arguments: Any = "{}", id: str = "a", **extra: Any) -> Data:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}} | extra


def calling(*calls: Data, **fields: Any) -> Data:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **fields}


def result(content: Any, **fields: Any) -> Data:
    return {"role": "tool", "tool_call_id": "a", "content": content, **fields}


def image(**fields: Any) -> Data:
    return {"type": "image_url", "image_url": {"url": URL, **fields}}


def text(words: str, **fields: Any) -> Data:
    return {"type": "text", "text": words, **fields}


SAME: dict[str, Any] = {
    "plain": [said("system", "s"), said("user", "u"), said("assistant", "a")],
    "nothing": [],
    "object": {"messages": [said("user", "u")]},
    "object of nothing": {"messages": []},
    "extras": {"messages": [said("user", "u")], "tools": [{"type": "function"}], "model": None},
    "developer": [said("developer", "d")],
    "empty": [said("assistant", ""), said("user", [])],
    "null": [said("assistant", None), said("user", None)],
    "absent": [{"role": "assistant"}, {"role": "user"}, {"role": "tool"}],
    "one text part": [said("user", [text("u")])],
    "one empty text part": [said("user", [text("")])],
    "text parts": [said("system", [text("a"), text("")])],
    "text part with more": [said("user", [text("u", cache_control={"type": "ephemeral"})])],
    "picture": [said("user", [text("see"), image()])],
    "picture with detail": [said("user", [image(detail="low", size=3) | {"x": 1}])],
    "picture without object": [said("user", [{"type": "image_url", "image_url": URL}])],
    "other parts": [said("user", [{"type": "input_audio", "input_audio": {"data": "…"}}])],
    "refusal part": [said("assistant", [{"type": "refusal", "refusal": "no"}])],
    "part without type": [said("user", [{"words": [1]}, {"type": "text"}, {"type": None}])],
    "name and weight": [said("user", "u", name="ann"), said("assistant", "a", weight=0)],
    "refusal": [said("assistant", None, refusal="no"), said("assistant", "a", refusal=None)],
    "audio": [said("assistant", None, audio={"id": "x"}, annotations=[])],
    "core's own keys": [said("user", "u", id="1", timestamp=-1, metadata={"openai": 1}, parts=[])],
    "call": [calling(call('{"x": [1, "ß"]}')), result("1")],
    "calls with text": [calling(call(), call(id="b"), content="look")],
    "calls with parts": [calling(call(), content=[text("look")])],
    "calls with empty content": [
        calling(call(), content=""),
        calling(call(), content=[]),
        calling(call(), content=[text("")]),
        {"role": "assistant", "tool_calls": [call()]},
    ],
    "calls with more": [calling(call(index=0) | {"function": {"name": "f", "strict": True}})],
    "call named like a note": [calling(call(function_call={"x": 1}, custom=2))],
    "no calls": [calling(content="a"), said("assistant", "a", tool_calls=None, function_call=None)],
    "call without type": [calling({"id": "a", "function": {"name": "f", "arguments": "{}"}})],
    "custom call": [
        calling({"id": "a", "type": "custom", "custom": {"name": "f", "input": "{"}}),
        calling({"id": "a", "type": "custom", "custom": {"name": "f", "x": 1}, "function": 3}),
    ],
    "calls of others": [said("user", "u", tool_calls=[call()], function_call={})],
    "result of nothing": [result(""), result(None), {"role": "tool", "tool_call_id": "a"}],
    "result of parts": [result([]), result([text("1")]), result([text("a", x=1), image()])],
    "result of other parts": [result([{"type": "file", "file": {}}], name="f")],
    "result without id": [said("tool", "1"), said("tool", "1", tool_call_id=None)],
    "function call": [
        said("assistant", None, function_call={"name": "f", "arguments": "{ }", "x": 1}),
        said("function", "1", name="f"),
        said("function", None),
        said("function", [text("1")], tool_call_id="z"),
        {"role": "function"},
    ],
    "roles of others": [said("ipython", "1"), said("robot", "x", tool_call_id="a")],
    "calls without an id": [
        calling({"type": "function", "function": {"name": "f", "arguments": "{}"}}),
        calling(call(), call() | {"id": None}, {"function": {"name": "f"}, "made": 1}),
    ],
    "tools": {
        "messages": [said("user", "u")],
        "parallel_tool_calls": False,
        "tools": [
            {"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}},
            {"type": "function", "x": 1, "function": {"name": "f", "strict": None}},
            {"function": {"name": "f"}},
            {"type": "web_search"},
            {"type": "function", "function": 5},
            5,
            None,
        ],
    },
    "tools that are none": {"messages": [], "tools": []},
    "tools that are no list": {"messages": [], "tools": "[]"},
    "both kinds of calls": [calling(call(), function_call={"name": "g", "arguments": ""})],
}


@pytest.mark.parametrize("data", SAME.values(), ids=SAME.keys())
def test_what_is_read_is_written_again(data: Any) -> None:
    loaded = OPENAI.read_one(data)
    written = OPENAI.write(loaded.conversation)
    assert written.data == data
    assert sentences(written.warnings) == ()
    native = Native()
    kept = native.read_one(native.write(loaded.conversation).data).conversation
    assert OPENAI.write(kept).data == data


ARGUMENTS = [
    *('{"a": 1}', '{"a":1}', ' {"a" : 1}\n', '{"b": 1, "a": 2}', '{"a": 1, "a": 2}', "{}", "[1]"),
    *("", "{", "hello", '{"a": NaN}', "1e999", "9" * 5000, "[" * 5000 + "]" * 5000),
    *("5", "5.0", "-0", "1E2", "true", "null", '"5"', '"hello"', r'"\u00e9"', '"é"', r'"\ud800"'),
    *("\ufeff{}", "[" * 100 + "]" * 100, "[" * 101 + "]" * 101, "\ud800"),
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda text: ascii(text[:20]))
def test_arguments_come_back_to_the_letter(arguments: str) -> None:
    for row in (
        calling(call(arguments)),
        said("assistant", None, function_call={"name": "f", "arguments": arguments}),
    ):
        assert OPENAI.write(OPENAI.read_one([row]).conversation).data == [row]


@pytest.mark.parametrize("value", [{}, {"a": [1]}, [], None, 5, True, 1.5], ids=str)
def test_arguments_that_are_no_text_stay_what_they_are(value: Any) -> None:
    row = calling(call(value))
    conversation = OPENAI.read_one([row]).conversation
    assert dump_json(OPENAI.write(conversation).data) == dump_json([row])


def test_arguments_are_read_as_the_value_they_hold() -> None:
    rows = [calling(call('{"a":1}'), call("{", id="b"), call('"5"', id="c"), call("", id="d"))]
    loaded = OPENAI.read_one(rows)
    uses = [part for part in loaded.conversation.log[0].parts if isinstance(part, ToolUsePart)]
    assert [use.input for use in uses] == [{"a": 1}, "{", "5", ""]
    assert [use.id for use in uses] == ["a", "b", "c", "d"]
    assert sentences(loaded.warnings) == (
        "tool call arguments that are not JSON were read as text (message 0)",
    )


def test_messages_are_read_as_core_messages() -> None:
    rows = [
        said("developer", "d"),
        said("user", [text("see"), image(detail="low"), {"type": "file", "file": {"id": 1}}]),
        calling(call(), content="look"),
        result("seen"),
        said("assistant", ""),
    ]
    log = OPENAI.read_one(rows).conversation.log
    assert [message.role for message in log] == ["system", "user", "assistant", "tool", "assistant"]
    assert [message.text for message in log] == ["d", "see", "look", "", ""]
    detail = FrozenDict({"openai": FrozenDict({"image_url": FrozenDict({"detail": "low"})})})
    assert log[1].parts[1] == ImagePart(URL, detail)
    assert isinstance(log[1].parts[2], DataPart)
    assert log[1].parts[2].data == {"type": "file", "file": {"id": 1}}
    assert log[2].calls == log[3].results == ("a",)
    assert log[3].content == (ToolResultPart("a", "seen"),)
    assert log[4].to_dict() == said("assistant", [text("")])


def test_plain_messages_carry_no_notes() -> None:
    rows = [said("user", "u"), calling(call('{"a": 1}')), result("1"), said("assistant", "")]
    for message in OPENAI.read_one(rows).conversation.log:
        assert message.metadata is None
        assert all(part.metadata is None for part in message.parts)


def test_keys_without_a_place_are_kept_under_their_own_names() -> None:
    loaded = OPENAI.read_one({"messages": [said("user", "u", name="ann")], "model": "m"})
    assert loaded.conversation.log[0].metadata == {"openai": {"name": "ann"}}
    assert loaded.conversation.meta == {"openai": {}, "fields": {"model": "m"}}


def test_an_old_function_result_belongs_to_the_call_before_it() -> None:
    asked = said("assistant", None, function_call={"name": "f", "arguments": "{}"})
    rows = [asked, said("function", "1"), asked, said("function", "2"), said("function", "3")]
    loaded = OPENAI.read_one(rows)
    log = loaded.conversation.log
    assert log[0].calls == log[1].results
    assert log[2].calls == log[3].results
    assert log[0].calls != log[2].calls
    assert log[4].results not in (log[0].calls, log[2].calls)
    assert "tool calls without an id were given one (messages 0, 2)" in sentences(loaded.warnings)


def test_what_was_adapted_is_told_once_for_each_kind() -> None:
    rows = [
        said("developer", "d"),
        *[said("user", [{"type": "file"}, {"type": "input_audio"}], name="ann", x=1)] * 7,
        said("assistant", None, refusal="no", audio=None),
    ]
    assert sentences(OPENAI.read_one(rows).warnings) == (
        "messages were read with another role: developer as system (message 0)",
        "parts of an unknown type were stored as data: file, input_audio "
        "(messages 1, 2, 3, 4, 5 and 2 more)",
        "keys of the file were stored in the metadata: metadata.openai.name, metadata.openai.x, "
        "metadata.openai.refusal (messages 1, 2, 3, 4, 5 and 3 more)",
    )


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (5, "message 5 is not an object with a role"),
        ({}, "the message has no role"),
        (said(["user"], "x"), "role a list of 1 is not one of system"),  # type: ignore[arg-type]
        (said("user", 5), "content 5 is not text, a list of parts or null"),
        (said("user", {"type": "text"}), "content an object with 'type' is not text, a list"),
        (result(5), "content 5 is not text, a list of parts or null"),
        (said("user", [text("a"), "b"]), "content[1] 'b' is not an object with a type"),
        (calling(tool_calls={"a": 1}), "tool_calls an object with 'a' is not a list of tool calls"),
        (calling(5), "tool_calls[0] 5 is not an object with id and function"),  # type: ignore[arg-type]
        (calling(call(), {"id": 5}), "tool_calls[1].id 5 is not text"),
        (calling({"id": "a", "type": "x"}), "tool_calls[0].type 'x' is not function or custom"),
        (calling({"id": "a"}), "tool_calls[0].function null is not an object with a name"),
        (calling({"id": "a", "function": {}}), "tool_calls[0].function.name null is not text"),
        (calling({"id": "a", "type": "custom", "custom": 1}), "tool_calls[0].custom 1 is not an"),
        (said("assistant", "", function_call={}), "function_call.name null is not text"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_message_is_left_out_and_told_and_alone_refused_by_its_index(
    row: Any, sentence: str
) -> None:
    loaded = load({"messages": [said("user", "u"), row, said("user", "v")]})
    assert [message.text for message in loaded.conversation.log] == ["u", "v"]
    (told,) = sentences(loaded.warnings)
    why = re.sub(r"'\w+'", "…", sentence)  # A warning says what is wrong without the value.
    assert told.startswith(f"messages that can't be read were left out: {why}")
    assert told.endswith(" (message 1)")
    caught = refusal(lambda: OPENAI.read_one({"messages": [row]}))
    assert str(caught).startswith(f"messages[0]: {sentence}")
    assert "\n" not in str(caught)
    assert caught.field is not None
    assert caught.field.startswith("messages[0]")


def test_nesting_that_no_message_can_hold_is_refused() -> None:
    deep: Any = []
    for _ in range(150):
        deep = [deep]
    caught = refusal(lambda: load([said("user", "u", x=deep)]))
    assert str(caught).startswith("messages[0]: metadata is nested deeper than 100 levels")


def test_a_cleared_message_is_written_with_what_it_says_now() -> None:
    rows = [
        said("developer", None, name="d"),
        calling(call('{"a":1}'), content=[text("look", x=1), image()]),
        result(None, name="f"),
    ]
    conversation = OPENAI.read_one(rows).conversation
    conversation.execute(Redact(indices=[0, 1, 2]))
    assert OPENAI.write(conversation).data == [
        said("developer", "[cleared]", name="d"),
        calling(call('{"a":1}'), content="[cleared]"),
        result("[cleared]", name="f"),
    ]


def test_noted_arguments_count_only_while_they_are_those_of_the_input() -> None:
    message = OPENAI.read_one([calling(call('{"a":1}'))]).conversation.log[0].to_dict()
    message["content"][0]["tool_use"]["input"] = {"a": True}
    written = OPENAI.write(Conversation([message])).data
    assert written[0]["tool_calls"][0]["function"]["arguments"] == '{"a": true}'
