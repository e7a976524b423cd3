"""Projections compared: what a conversation would teach, without what only names or dates it."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from ..conversation.conversation import Conversation
from ..messages.message import Message
from ..messages.parts import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..values.frozen import thaw

DIGEST_SIZE = 16


def projection_of(conversation: Conversation) -> str:
    """Return a hash that is equal for conversations that are the same for training.

    Ids of messages and calls, times, metadata and signatures don't count, nor whether a text is
    the content itself or its only part.
    """
    made = blake2b(digest_size=DIGEST_SIZE)
    _add(made, thaw(conversation.meta.get("tools")))
    calls: dict[str, int] = {}
    for message in conversation.visible:
        _add(made, [message.role, _content(message, calls)])
    return made.hexdigest()


def _add(made: Any, data: Any) -> None:
    made.update(json.dumps(data, sort_keys=True, separators=(",", ":")).encode())
    made.update(b"\n")


def _content(message: Message, calls: dict[str, int]) -> Any:
    if isinstance(message.content, str):
        return message.content
    if len(message.content) == 1 and isinstance(message.content[0], TextPart):
        return message.content[0].text
    return [_part(part, calls) for part in message.content]


def _part(part: Part, calls: dict[str, int]) -> Any:
    """Return a part as data; a call is known by its place among the calls, not by its id."""
    match part:
        case TextPart(text=text):
            return text
        case ThinkingPart(text=text):
            return ["thinking", text]
        case ToolUsePart():
            number = calls.setdefault(part.id, len(calls))
            return ["call", number, part.name, thaw(part.input)]
        case ToolResultPart():
            number = calls.setdefault(part.tool_use_id, len(calls))
            return ["result", number, bool(part.is_error), _result(part)]
        case ImagePart(url=url):
            return ["image", url]
        case DataPart(data=data):
            return ["data", thaw(data)]


def _result(part: ToolResultPart) -> Any:
    if isinstance(part.content, str):
        return part.content
    if len(part.content) == 1 and isinstance(part.content[0], TextPart):
        return part.content[0].text
    return [_part(inner, {}) for inner in part.content]
