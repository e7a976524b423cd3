"""What authors of formats share: times, tools, remarks, and files of several conversations."""

import json
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.engine.tokens import count_tools
from ctxtui.core.formats import Layout, Source, format_named, load, load_all
from ctxtui.core.formats.fields import read_timestamp
from ctxtui.core.formats.losses import conversation_losses
from ctxtui.core.formats.tools import ToolShape
from ctxtui.core.formats.warnings import WarningCollector, sentences
from ctxtui.core.values.times import LATEST
from tests.core.samples import refusal, said

OPENAI = format_named("openai")


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        (1_700_000_000, 1_700_000_000_000),
        (1_700_000_000.25, 1_700_000_000_250),
        (1_700_000_000_000, 1_700_000_000_000),
        (1_700_000_000_000_000, 1_700_000_000_000),
        (1_700_000_000_000_000_000, 1_700_000_000_000),
        ("1700000000", 1_700_000_000_000),
        ("2023-11-14T22:13:20Z", 1_700_000_000_000),
        ("2023-11-14T22:13:20.5+00:00", 1_700_000_000_500),
        ("2023-11-14T23:13:20+01:00", 1_700_000_000_000),
        ("2023-11-14 22:13:20", 1_700_000_000_000),
        (0, 0),
        (None, None),
        (True, None),
        (-1, None),
        ("soon", None),
        ("inf", None),
        ("", None),
        ([], None),
        (float("nan"), None),
        (10**30, None),
        (10**400, None),
        ("0001-01-01T00:00:00", None),
        ("9999-12-31T23:59:59Z", None),
    ],
    ids=str,
)
def test_a_moment_is_read_in_any_unit(value: Any, moment: int | None) -> None:
    found = read_timestamp(value)
    assert found == moment
    assert found is None or found <= LATEST


SCHEMA = {"type": "object"}
SHAPES = {
    "openai": (
        ToolShape("openai", outer="function", type="function"),
        [
            {"type": "function", "function": {"name": "f", "parameters": SCHEMA, "strict": True}},
            {"function": {"name": "f", "description": None}, "x": 1},
            {"type": "web_search"},
        ],
    ),
    "responses": (
        ToolShape("responses", type="function"),
        [{"type": "function", "name": "f", "parameters": SCHEMA, "strict": None}, {"type": "mcp"}],
    ),
    "anthropic": (
        ToolShape("anthropic", parameters="input_schema"),
        [
            {"name": "f", "description": "d", "input_schema": SCHEMA, "cache_control": {"a": 1}},
            {"type": "custom", "name": "f", "input_schema": SCHEMA},
            {"type": "bash_20250124", "name": "bash"},
        ],
    ),
}


@pytest.mark.parametrize(("shape", "tools"), SHAPES.values(), ids=SHAPES.keys())
def test_tools_come_back_as_they_were(shape: ToolShape, tools: list[Any]) -> None:
    meta = Conversation(meta={"tools": shape.read(tools)}).meta
    assert shape.write(meta) == ({"tools": tools}, ())


def test_tools_of_one_format_are_written_by_another_except_those_of_its_provider() -> None:
    shape, tools = SHAPES["anthropic"]
    meta = Conversation(meta={"tools": shape.read(tools)}).meta
    entry, (lost,) = SHAPES["openai"][0].write(meta)
    rows = entry["tools"]
    assert rows[0] == {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": SCHEMA},
    }
    assert (len(rows), lost.names) == (2, ("bash",))


def test_tools_of_a_chat_stay_with_the_conversation_and_are_counted() -> None:
    tools = SHAPES["openai"][1]
    chat = {"messages": [said("user", "u")], "tools": tools}
    conversation = load(chat).conversation
    found = conversation.meta["tools"]
    assert found[0]["name"] == "f"
    assert OPENAI.write(conversation).data == chat
    sent = '[{"name":"f","parameters":{"type":"object"}},{"name":"f","description":null},'
    sent += '{"data":{"type":"web_search"}}]'
    assert count_tools(found, "bytes/4") == -(-len(sent) // 4)
    assert [count_tools(none, "bytes/4") for none in (None, (), "x", 5)] == [0] * 4


def test_a_conversation_with_tools_but_no_notes_is_written_with_them() -> None:
    plain = Conversation([said("user", "u")], meta={"tools": [{"name": "f"}, {"data": {"a": 1}}]})
    written = OPENAI.write(plain)
    assert written.data["tools"] == [{"type": "function", "function": {"name": "f"}}]
    assert sentences(written.warnings) == ("tools of another provider are left out: unnamed",)


def test_recorded_usage_is_among_what_is_left_out() -> None:
    conversation = Conversation([said("user", "u")])
    conversation.record_usage(10, 5)
    assert sentences(conversation_losses(conversation)) == (
        "recorded token usage is left out (requests: 1)",
    )


CHATS = (
    b'{"messages": [{"role": "user", "content": "a"}]}\n{"messages": 5}\n{"messages": [{"role": '
)
CHATS += b'"user", "content": "b"}]}\n'


def test_conversations_that_can_not_be_read_are_told_with_their_line() -> None:
    source = Source.of_bytes(CHATS)
    found = list(load_all(source))
    assert [(one.place, one.layout) for one in found] == [(1, Layout.LINES), (3, Layout.LINES)]
    assert sentences(source.warnings) == (
        "conversations that can't be read were left out: messages 5 is not a list of chat messages "
        "(line 2)",
    )


def test_if_no_conversation_can_be_read_the_first_reason_is_told() -> None:
    lines = Source.of_bytes(b'{"messages": 5}\n{"messages": 6}\n')
    caught = refusal(lambda: list(load_all(lines, "openai")))
    assert str(caught) == "line 1: messages 5 is not a list of chat messages"


def test_several_conversations_are_written_piece_by_piece() -> None:
    two = [Conversation([said("user", text)]) for text in "ab"]
    remarks = WarningCollector("conversation")
    two[1].record_usage(1)
    lines = list(OPENAI.write_all(iter(two), Layout.LINES, remarks))
    objects = [{"messages": OPENAI.write(one).data} for one in two]
    assert [json.loads(line) for line in "".join(lines).splitlines()] == objects
    assert sentences(remarks.found()) == (
        "recorded token usage is left out (requests: 1) (conversation 2)",
    )
    listed = Source.of_text("".join(OPENAI.write_all(two, Layout.LIST, WarningCollector())))
    assert listed.document() == objects
