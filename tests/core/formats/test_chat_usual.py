"""Usual calls and results of chat messages: the quick way to read them gives what the long does."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.errors import Refused
from ctxtui.core.formats import openai
from ctxtui.core.formats.openai import ChatDialect, read_chat, usual_calls, usual_result

OWN = ChatDialect("openai")
DEEP = "[" * 101 + "]" * 101
ARGUMENTS = (
    '{"path": "a.py"}',
    '{"path":"a.py"}',
    "{}",
    '{ "path" : 1e2 }',
    '{"path": {"deep": [1, -9223372036854775809, true, null]}}',
    '{"a": 1, "a": 2}',
    '{"é": "\\u00e9"}',
    '"a text"',
    "[1, 2]",
    "null",
    "3",
    '{"n": NaN}',
    '{"n": 1e999}',
    '{"broken": ',
    "",
    DEEP,
    "1" * 4400,
)


def calling(arguments: object = "{}", **more: object) -> dict[str, Any]:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call], **more}


def result(**more: object) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "a", "content": "out", **more}


def call_with(**more: object) -> dict[str, Any]:
    return calling(tool_calls=[calling()["tool_calls"][0] | more])


USUAL = (
    *map(calling, ARGUMENTS[:6]),
    calling(content="Let me see."),
    calling(tool_calls=calling()["tool_calls"] * 3),
    result(),
    result(content=""),
)
ODD = (
    *map(calling, (*ARGUMENTS[6:], None, {}, 3)),
    calling(content=""),
    calling(content=[{"type": "text", "text": "parts"}]),
    calling(content=3),
    calling(name="somebody"),
    calling(role="developer"),
    calling(tool_calls=[]),
    calling(tool_calls=None),
    calling(tool_calls=[None]),
    calling(function_call={"name": "f", "arguments": "{}"}),
    call_with(id=None),
    call_with(id=3),
    call_with(type="custom"),
    call_with(index=0),
    call_with(function=None),
    call_with(function={"name": "f"}),
    call_with(function={"name": None, "arguments": "{}"}),
    call_with(function={"name": "f", "arguments": "{}", "strict": True}),
    result(role="function"),
    result(role="ipython"),
    result(role="user"),
    result(tool_call_id=None),
    result(tool_call_id=3),
    result(content=None),
    result(content=[]),
    result(content=[{"type": "text", "text": "out"}]),
    result(name="f"),
    {"role": "tool", "content": "out"},
)
OWNS = (OWN, ChatDialect("hf", pairs=True), ChatDialect("hf", object_arguments=True))


def outcome(rows: list[Any], own: ChatDialect) -> object:
    try:
        return read_chat(rows, own)
    except Refused as refusal:
        return str(refusal)


def the_long_way(rows: list[Any], own: ChatDialect) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai, "usual_calls", lambda own, row: None)
        patch.setattr(openai, "usual_result", lambda row: None)
        return outcome(rows, own)


@given(st.lists(st.sampled_from((*USUAL, *ODD)), max_size=6), st.sampled_from(OWNS))
def test_the_quick_way_gives_the_same_messages_and_remarks_as_the_long_one(
    rows: list[Any], own: ChatDialect
) -> None:
    assert outcome(rows, own) == the_long_way(rows, own)


@pytest.mark.parametrize("row", [*USUAL, *ODD], ids=repr)
def test_each_row_alone_is_read_alike_by_both_ways(row: Any) -> None:
    for own in OWNS:
        assert outcome([row], own) == the_long_way([row], own)


@pytest.mark.parametrize("row", USUAL, ids=repr)
def test_usual_rows_are_read_the_quick_way(row: Any) -> None:
    assert (usual_result(row) or usual_calls(OWN, row)) is not None


def test_a_message_read_the_quick_way_is_frozen_and_can_be_copied() -> None:
    row = calling('{"list":[1,{"a":2}]}')
    (message,), _ = read_chat([row])
    (part,) = message.parts
    with pytest.raises(TypeError, match="frozen"):
        part.input["list"] = 1  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="frozen"):
        part.metadata["openai"] = 1  # type: ignore[index]
    assert hash(message) == hash(type(message).from_dict(message.to_dict()))


def test_reading_leaves_the_garbage_collector_as_it_was() -> None:
    assert gc.isenabled()
    with pytest.raises(Refused):
        read_chat([3])
    assert gc.isenabled()
