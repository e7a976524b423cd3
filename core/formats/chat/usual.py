"""Usual tool calls and results: those that core holds as they came, read without further questions.

Agents write them by the thousand. The long way, which finds a place for whatever else a message has
and says what is wrong with it, takes several times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import Refused
from ...messages.message import Message, of_parts
from ...messages.parts import Part, TextPart, ToolResultPart, ToolUsePart
from ...values.frozen import freeze, of_frozen
from ..json_text import read_json
from ..notes import Notes
from .calls import FUNCTION, arguments_text

RESULT_KEYS = {"role", "tool_call_id", "content"}
CALLS_KEYS = {"role", "content", "tool_calls"}
CALL_KEYS = {"id", "type", FUNCTION}
BODY_KEYS = {"name", "arguments"}
WIDE = '": '
"""What stands between a key and its value where arguments are written here."""


def usual_result(row: Mapping[str, Any]) -> Message | None:
    """Return a tool's message that names its call and is a text, else None."""
    if row.keys() != RESULT_KEYS or row["role"] != "tool":
        return None
    id, content = row["tool_call_id"], row["content"]
    if type(id) is not str or type(content) is not str:
        return None
    return of_parts("tool", (ToolResultPart(id, content),))


def usual_calls(own: Notes, row: Mapping[str, Any]) -> Message | None:
    """Return an assistant's message of functions to be called, with or without a text, else None.

    Dialects, which have rules of their own for calls, are not asked about.
    """
    if row.keys() != CALLS_KEYS or row["role"] != "assistant" or type(own) is not Notes:
        return None
    content, calls = row["content"], row["tool_calls"]
    if type(calls) is not list or not calls:
        return None
    parts: list[Part] = []
    if content is not None:
        if type(content) is not str or not content:
            return None
        parts.append(TextPart(content))
    for call in calls:
        part = _usual_call(own, call)
        if part is None:
            return None
        parts.append(part)
    return of_parts("assistant", tuple(parts))


def _usual_call(own: Notes, call: object) -> ToolUsePart | None:
    if type(call) is not dict or call.keys() != CALL_KEYS or call["type"] != FUNCTION:
        return None
    id, body = call["id"], call[FUNCTION]
    if type(id) is not str or type(body) is not dict or body.keys() != BODY_KEYS:
        return None
    name, text = body["name"], body["arguments"]
    if type(name) is not str or type(text) is not str:
        return None
    try:
        value = read_json(text)
        kept = freeze(value, "input")
    except Refused:
        return None
    if _is_written_so(value, text):
        return ToolUsePart(id, name, kept)
    form = of_frozen({FUNCTION: of_frozen({"arguments": text})})
    return ToolUsePart(id, name, kept, of_frozen({own.key: form}))


def _is_written_so(value: object, text: str) -> bool:
    """Tell whether arguments would be written as they came; a narrow text is told at a glance."""
    if type(value) is dict and value and WIDE not in text:
        return False
    return arguments_text(value) == text
