"""Everything that a file may hold and that must only be shown."""

from __future__ import annotations

from typing import Any

from ctxtui.core import Conversation

HOSTILE = "".join(
    [
        "a\x1b]52;c;SGFja2Vk\x07",  # Writes the clipboard.
        "b\x9d52;c;SGFja2Vk\x9c",  # The same with C1 controls.
        "c\x1b[2J\x1b[6;6;6m\x9b2J",  # Clears the screen, changes colours.
        "d\x1b]0;title\x1b\\\x00\x08\x0b\x7f\x85",
        "e\u202e\u2066\u200f\u2028\u2029\ufeff",  # Turns the direction of writing.
        "f\ud800g\udfff",  # No UTF-8 at all.
        "[/foo] [bold]x[/bold] [@click=app.quit]y[/] [link=file:///]z[/]",
        "👩\u200d👩\u200d👧 漢字かな 한국어 e\u0301",
    ]
)
"""Everything a file may hold that a terminal or a markup parser would act on."""

LABEL = "".join(char for char in HOSTILE if ord(char) >= 0xA0 and char not in "\u2028\u2029")[:60]
"""What of it is legal in a label."""


def hostile() -> Conversation:
    """Return a conversation in which every text a file can hold is hostile."""
    message = {
        "role": "user",
        "content": [
            {"type": "text", "text": HOSTILE},
            {"type": "tool_use", "tool_use": {"id": HOSTILE, "name": HOSTILE, "input": [HOSTILE]}},
        ],
        "metadata": {HOSTILE: HOSTILE},
    }
    conversation = Conversation([{"role": "user", "content": HOSTILE}, message])
    for operation in (
        {"operation": "CONFIGURE", "toolDescription": HOSTILE, "tokenLimit": 5},
        {"operation": "MARK", "indices": [0], "label": LABEL},
        {"operation": "DELETE", "indices": [1], "description": f"{HOSTILE}!"},
    ):
        conversation.execute(operation)
    newest = conversation.batch.id
    conversation.execute({"operation": "DESCRIBE", "batch": newest, "text": HOSTILE})
    return conversation


def called() -> Conversation:
    """Return a conversation with recorded calls in which every text is hostile."""
    conversation = Conversation([{"role": "user", "content": HOSTILE}])
    step = {"operation": HOSTILE, "reason": HOSTILE, "certainty": HOSTILE}
    evil: dict[str, Any] = {
        "model": HOSTILE,
        "request": HOSTILE,
        "tools": [{"name": HOSTILE}, {HOSTILE: HOSTILE}],
        "parameters": {HOSTILE: HOSTILE, "x": [HOSTILE]},
        "answer": {"diagnostics": {"cache_miss_reason": HOSTILE}, "stop_reason": HOSTILE},
        "wire": {"path": HOSTILE, "explained": [step], "noticed": [HOSTILE]},
    }
    conversation.record_call(**evil)
    conversation.record_call(model="m", outcome="failed", answer={"error": HOSTILE})
    conversation.append("user", HOSTILE)
    conversation.record_call(**evil, usage={"input": 2**40, "cached": 7})
    return conversation
