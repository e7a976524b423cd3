"""Facts about a message, found once when it is added, so that nobody has to open it again."""

from __future__ import annotations

from typing import NamedTuple

from core.messages.message import Message
from core.messages.parts import Part, TextPart, ThinkingPart, ToolResultPart, ToolUsePart

CALLS = 1
RESULTS = 2
UNCOUNTED = 4
EMPTY_TEXT = 8
ODD_INPUT = 16
VOID = 32
THINKING = 64
LATE_RESULT = 128
LINKED = CALLS | RESULTS


class Links(NamedTuple):
    """The ids of the tool calls a message makes and of those it holds results of."""

    calls: tuple[str, ...]
    results: tuple[str, ...]


NO_LINKS = Links((), ())


def links_of(message: Message) -> Links:
    """Return what ties a message to others."""
    if isinstance(message.content, str):
        return NO_LINKS
    return Links(message.calls, message.results)


def flags_of(message: Message) -> int:
    """Return the facts about a message as one byte."""
    if isinstance(message.content, str):
        return EMPTY_TEXT | VOID if message.content.isspace() else 0
    flags = 0
    seen_others = False
    is_silent = True
    for part in message.content:
        if isinstance(part, ToolResultPart):
            flags |= RESULTS | (LATE_RESULT if seen_others else 0)
            is_silent = False
            continue
        seen_others = True
        if isinstance(part, TextPart):
            if is_blank(part):
                flags |= EMPTY_TEXT
            else:
                is_silent = False
        elif isinstance(part, ThinkingPart):
            flags |= THINKING
        else:
            is_silent = False
            if isinstance(part, ToolUsePart) and message.role == "assistant":
                flags |= CALLS | (0 if isinstance(part.input, dict) else ODD_INPUT)
    if message.uncounted:
        flags |= UNCOUNTED
    return flags | (VOID if is_silent else 0)


def is_unnamed_result(message: Message) -> bool:
    """Tell whether a message is a tool's, and names no call that it is the result of."""
    return message.role == "tool" and not message.results


def is_blank(part: Part) -> bool:
    """Tell whether a part is a text without a single letter."""
    return isinstance(part, TextPart) and (not part.text or part.text.isspace())
