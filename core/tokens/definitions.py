"""Tokens of tool definitions: they are sent with every request, beside the messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..messages.message import Message
from ..values.frozen import thaw
from .counters import counter_named

SENT = ("name", "description", "parameters", "data")
"""What a model is told of a tool; its notes stay here."""


def count_tools(tools: object, counter: str) -> int:
    """Return the tokens that a conversation's ``meta.tools`` take, by a counter; 0 for none."""
    if not isinstance(tools, Sequence) or isinstance(tools, str) or not tools:
        return 0
    return count_definitions([_sent(tool) for tool in tools], counter)


def count_definitions(definitions: Sequence[Any], counter: str) -> int:
    """Return the tokens of definitions as a request had them, by a counter; 0 for none."""
    if not definitions:
        return 0
    text = json.dumps(definitions, ensure_ascii=False, separators=(",", ":"))
    return counter_named(counter).count(Message("system", text))


def _sent(tool: object) -> Any:
    plain = thaw(tool)
    if not isinstance(plain, Mapping):
        return plain
    return {key: plain[key] for key in SENT if key in plain}
