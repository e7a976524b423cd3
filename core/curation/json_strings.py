"""The strings within a text that is JSON: they are read and changed, all around them stays.

Tools are often given JSON as text, and answer with it. Replacing something in such a text as it is
could break it, and would miss what is written with escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?', re.DOTALL)
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.",
    re.DOTALL,
)
"""What stands for one character within a string."""


class JsonString(NamedTuple):
    """A string of a JSON text: what it says, and where it is written."""

    text: str
    start: int
    end: int
    is_name: bool
    """Whether it names a field, and is no value."""


def json_strings(text: str) -> list[JsonString]:
    """Return the strings of a text that is a JSON object or list; none if it is anything else."""
    if text.lstrip()[:1] not in ("{", "["):
        return []
    try:
        json.loads(text)
        return [
            JsonString(json.loads(f'"{found[1]}"'), *found.span(1), found[2] is not None)
            for found in _STRING.finditer(text)
        ]
    except (ValueError, RecursionError):
        return []


def with_strings(text: str, changes: Mapping[int, str]) -> str:
    """Return a JSON text in which the strings of some numbers say something else."""
    pieces, at = [], 0
    for number, old in enumerate(json_strings(text)):
        if number in changes:
            pieces += [
                text[at : old.start],
                _rewritten(text[old.start : old.end], old.text, changes[number]),
            ]
            at = old.end
    return "".join([*pieces, text[at:]])


def _rewritten(written: str, old: str, new: str) -> str:
    """Return how a string is written that was changed; what is the same is written the same."""
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    places = [0, *(unit.end() for unit in _UNIT.finditer(written))]
    fresh = json.dumps(new[first : len(new) - last], ensure_ascii=written.isascii())[1:-1]
    return written[: places[first]] + fresh + written[places[len(old) - last] :]


def _common(a: str, b: str) -> int:
    """Return how many characters two texts begin with together."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
