"""Small conversations, clocks and libraries that are the same in every run."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from ctxtui.core import Conversation

Data = dict[str, Any]


def said(role: str, content: Any) -> Data:
    return {"role": role, "content": content}


def append(*texts: str) -> Data:
    return {"operation": "APPEND", "messages": [said("user", text) for text in texts]}


def ticking(start: int = 1) -> Callable[[], int]:
    ticks = count(start)
    return lambda: next(ticks)


def numbered() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"session{next(numbers):05}"


def small(*texts: str) -> Conversation:
    """Return a conversation of a few user messages."""
    messages = [said("user", text) for text in texts or ("one", "two", "three")]
    return Conversation(messages, clock=ticking())


EDITS: list[Any] = [
    append("four"),
    append("five", "six"),
    append("seven"),
    {"operation": "TRUNCATE", "keepLast": 4},
    append("eight"),
    {"operation": "REPLACE", "index": 0, "message": said("assistant", "nine")},
    {"operation": "MARK", "indices": [0, 5], "label": "kept"},
    {"operation": "DESCRIBE", "batch": 1, "text": "the cut"},
    [append("ten"), {"operation": "DELETE", "indices": [6]}, append("eleven")],
    {"operation": "ROLLBACK", "targetBatchIndex": 1},
    {"operation": "UNDO"},
    {"operation": "COMPRESS", "select": {"exceptLast": 1}, "summary": said("user", "short")},
    {"operation": "TOGGLE", "skip": [4]},
    {"operation": "CONFIGURE", "tokenLimit": 50},
    {"operation": "UNDO"},
    {"operation": "UNDO"},
    {"operation": "REDO"},
    append("lone \ud800 and " + str(2**70)),
    {"operation": "CHECKOUT", "revision": 2},
]
"""Operations of every kind, each legal after those before it."""


def edited() -> Conversation:
    """Return a conversation with branches, marks, names, calls, and something to redo."""
    conversation = small()
    for edit in EDITS:
        conversation.execute(edit)
    conversation.record_usage(12, 3)
    conversation.record_call(model="m", tools=[{"name": "look"}], usage={"input": 12, "cached": 9})
    conversation.execute({"operation": "UNDO"})
    return conversation
