"""Facts about a message, found once when it is added, so that nobody has to open it again."""

from __future__ import annotations

from typing import NamedTuple

from .message import UNCOUNTED_PARTS, Message
from .parts import Part, TextPart, ThinkingPart, ToolResultPart, ToolUsePart

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


class Facts(NamedTuple):
    """What is known of a message without opening it: its flags as one byte, and its links."""

    flags: int
    links: Links


PLAIN = Facts(0, NO_LINKS)
BLANK = Facts(EMPTY_TEXT | VOID, NO_LINKS)


def links_of(message: Message) -> Links:
    """Return what ties a message to others."""
    return facts_of(message).links


def facts_of(message: Message) -> Facts:
    """Return the facts about a message, found in one pass over its parts."""
    content = message.content
    if isinstance(content, str):
        return BLANK if content.isspace() else PLAIN
    flags, is_silent, seen_others = 0, True, False
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    for part in content:
        if isinstance(part, ToolResultPart):
            flags |= RESULTS | (LATE_RESULT if seen_others else 0) | _unseen(part)
            results += (part.tool_use_id,)
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
            if not isinstance(part, ToolUsePart):
                flags |= UNCOUNTED
            elif message.role == "assistant":
                flags |= CALLS | (0 if isinstance(part.input, dict) else ODD_INPUT)
                calls += (part.id,)
    links = Links(calls, results) if flags & LINKED else NO_LINKS
    return Facts(flags | (VOID if is_silent else 0), links)


def _unseen(result: ToolResultPart) -> int:
    """Return the flag of a result with parts that no token counter can see."""
    if isinstance(result.content, str):
        return 0
    return UNCOUNTED if any(isinstance(one, UNCOUNTED_PARTS) for one in result.content) else 0


def is_unnamed_result(message: Message) -> bool:
    """Tell whether a message is a tool's, and names no call that it is the result of."""
    return message.role == "tool" and not message.results


def is_blank(part: Part) -> bool:
    """Tell whether a part is a text without a single letter."""
    return isinstance(part, TextPart) and (not part.text or part.text.isspace())
