"""LangChain itself as the judge; needs the extra ``oracles``."""

import json
from typing import Any

import pytest
from hypothesis import given

from ctxtui.core import Conversation
from ctxtui.core.formats.langchain import LangChain
from tests.core.formats.vectors import FOLDER
from tests.core.message_strategies import beginnings

messages = pytest.importorskip("langchain_core.messages")
loading = pytest.importorskip("langchain_core.load")

LANGCHAIN = LangChain()
pytestmark = pytest.mark.filterwarnings("ignore:The function `load` is in beta")


def made() -> list[Any]:
    """Return messages of every class that LangChain has."""
    call = {"name": "look", "args": {"a": 1}, "id": "c", "type": "tool_call"}
    broken = {"name": "look", "args": "{", "id": "d", "error": "cut", "type": "invalid_tool_call"}
    return [
        messages.SystemMessage("Be kind."),
        messages.HumanMessage(
            [{"type": "text", "text": "hi"}, "and", {"type": "image", "url": "u"}]
        ),
        messages.AIMessage("", tool_calls=[call], invalid_tool_calls=[broken], id="a"),
        messages.ToolMessage("seen", tool_call_id="c", artifact={"n": 1}, status="error"),
        messages.FunctionMessage(name="look", content="seen"),
        messages.ChatMessage("hm", role="critic"),
        messages.AIMessageChunk("he", tool_call_chunks=[]),
    ]


@pytest.mark.parametrize("shape", ["dict", "dumpd", "flat"])
def test_what_it_makes_is_given_back(shape: str) -> None:
    makers: dict[str, Any] = {
        "dict": messages.messages_to_dict,
        "dumpd": loading.dumpd,
        "flat": lambda rows: [row.model_dump() for row in rows],
    }
    data = json.loads(json.dumps(makers[shape](made())))
    loaded = LANGCHAIN.read_one(data)
    assert len(loaded.conversation.visible) == len(made())
    assert LANGCHAIN.write(loaded.conversation).data == data


@pytest.mark.parametrize("name", ["messages.json", "dumpd.json"])
def test_samples_are_messages_of_its_own(name: str) -> None:
    data = json.loads((FOLDER / "langchain" / name).read_text())
    written = LANGCHAIN.write(LANGCHAIN.read_one(data).conversation).data
    assert opened(written) == opened(data)


def opened(data: Any) -> list[Any]:
    if "lc" in data[0]:
        return list(loading.load(data, allowed_objects="core"))
    return list(messages.messages_from_dict(data))


@given(beginnings)
def test_any_conversation_is_written_as_messages_it_takes(given_messages: list[Any]) -> None:
    for meta in ({}, {"langchain": {"shape": "dumpd"}}):
        rows = LANGCHAIN.write(Conversation(given_messages, meta=meta)).data
        if rows:
            assert len(opened(rows)) == len(rows)
