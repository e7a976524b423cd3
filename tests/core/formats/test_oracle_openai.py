"""The official SDK as oracle for chat: what is written is what its types take and make.

Runs where the extra ``oracles`` is installed.
"""

from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, format_named, load
from tests.core.formats.vectors import FOLDER
from tests.core.samples import answer, call, said

types = pytest.importorskip("openai.types.chat")
pydantic = pytest.importorskip("pydantic")
OPENAI = format_named("openai")


def check(rows: list[Any]) -> None:
    adapter = pydantic.TypeAdapter(types.ChatCompletionMessageParam)
    for row in rows:
        adapter.validate_python(row)


def test_what_is_written_of_a_conversation_fits_the_types() -> None:
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image", "image_url": {"url": "data:image/png;base64,AA"}},
    ]
    talk = [said("system", "s"), said("user", parts), said("assistant", "A cat.")]
    check(OPENAI.write(Conversation([*talk, call("a", "b"), answer("a"), answer("b")])).data)


@pytest.mark.parametrize("name", ["anthropic", "gemini", "hf", "langchain"])
def test_samples_of_other_formats_are_written_as_chat_that_fits_the_types(name: str) -> None:
    for path in sorted((FOLDER / name).iterdir()):
        if not path.name.startswith("dirt"):
            data = OPENAI.write(load(Source.of_path(path)).conversation).data
            check(data["messages"] if isinstance(data, dict) else data)


def test_a_message_of_the_sdk_is_read_and_written_again() -> None:
    function = {"name": "run", "arguments": '{"cmd": "ls"}'}
    calls = [{"id": "call_1", "type": "function", "function": function}]
    made = types.ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": None, "tool_calls": calls}
    )
    rows = [{"role": "user", "content": "ls?"}, made.model_dump(mode="json")]
    loaded = load(rows, "openai")
    assert OPENAI.write(loaded.conversation).data == rows
    assert loaded.conversation.lint("openai")[0].rule == "G2"
