"""The words of a part: what search, filters and token counts look at."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..values.frozen import FrozenDict
from .parts import Json, Part, TextPart, ThinkingPart, ToolResultPart, ToolUsePart

LITERALS = {True: "true", False: "false", None: "null"}


def searchable(part: Part) -> Sequence[str]:
    """Return the texts of a part that search, filters and token counts look at."""
    if isinstance(part, ToolUsePart):
        return (part.name, *leaves(part.input))
    if isinstance(part, ToolResultPart):
        if isinstance(part.content, str):
            return (part.content,)
        return [text for inner in part.content for text in searchable(inner)]
    if isinstance(part, (TextPart, ThinkingPart)):
        return (part.text,)
    return ()


def leaves(value: Json) -> list[str]:
    """Return every leaf of a frozen JSON value: text as it is, anything else as JSON."""
    found: list[str] = []
    _add_leaves(value, found)
    return found


def _add_leaves(value: Json, found: list[str]) -> None:
    kind = type(value)
    if kind is str:
        found.append(value)
    elif kind is FrozenDict:
        for item in value.values():
            _add_leaves(item, found)
    elif kind is tuple:
        for item in value:
            _add_leaves(item, found)
    elif kind is int:
        found.append(repr(value))
    elif kind is bool or value is None:
        found.append(LITERALS[value])
    else:
        found.append(value if isinstance(value, str) else json.dumps(value))
