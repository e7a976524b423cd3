"""The official SDK as oracle: what is written is what its types take, and it reads what they make.

Runs where the extra ``oracles`` is installed.
"""

from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, format_named, load, load_all
from tests.core.formats.vectors import FOLDER
from tests.core.samples import answer, call, said

anthropic_types = pytest.importorskip("anthropic.types")
pydantic = pytest.importorskip("pydantic")
ANTHROPIC = format_named("anthropic")


def check(rows: list[Any]) -> None:
    """Validate messages against the SDK's own types, where iterables are checked too."""
    adapter = pydantic.TypeAdapter(anthropic_types.MessageParam)
    for row in map(adapter.validate_python, rows):
        if not isinstance(row["content"], str):
            list(row["content"])


def test_what_is_written_of_a_conversation_fits_the_types() -> None:
    parts = [
        {"type": "thinking", "thinking": {"text": "hm", "signature": "s"}},
        {"type": "text", "text": "I look."},
        {"type": "image", "image_url": {"url": "data:image/png;base64,AA"}},
    ]
    talk = [said("user", "a"), said("assistant", parts[:2]), said("user", parts[2:])]
    written = ANTHROPIC.write(Conversation([*talk, call("a", "b"), answer("a"), answer("b")]))
    check(written.data["messages"])


@pytest.mark.parametrize("name", ["request.json", "messages.json"])
def test_the_samples_are_what_the_types_take(name: str) -> None:
    loaded = next(load_all(Source.of_path(FOLDER / "anthropic" / name)))
    data = ANTHROPIC.write(loaded.conversation).data
    rows = data["messages"] if isinstance(data, dict) else data
    check([row for row in rows if row["content"]])


def test_an_answer_of_the_sdk_is_read_and_written_again() -> None:
    made = anthropic_types.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude-x",
        content=[
            anthropic_types.ThinkingBlock(type="thinking", thinking="hm", signature="s"),
            anthropic_types.TextBlock(type="text", text="hi", citations=None),
            anthropic_types.ToolUseBlock(type="tool_use", id="t1", name="f", input={"a": 1}),
        ],
        stop_reason="tool_use",
        stop_sequence=None,
        usage=anthropic_types.Usage(input_tokens=1, output_tokens=2),
    )
    data = made.model_dump(mode="json")
    loaded = load(data)
    assert loaded.format == "anthropic"
    assert loaded.conversation.visible[0].calls == ("t1",)
    written = ANTHROPIC.write(loaded.conversation).data
    assert written == data
    assert anthropic_types.Message.model_validate(written) == made
