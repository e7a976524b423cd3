"""The strings and numbers within a text that is JSON: they are changed, all around them stays.

Tools are often given JSON as text, and answer with it. Replacing something in such a text as it is
could break it, and would miss what is written with escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

_STRING = re.compile(
    r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)', re.DOTALL
)
_UNIT = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.",
    re.DOTALL,
)
"""What stands for one character within a string."""


class JsonString(NamedTuple):
    """A string or a number of a JSON text: what it says, and where it is written."""

    text: str
    start: int
    end: int
    is_name: bool
    """Whether it names a field, and is no value."""
    is_number: bool = False


def json_strings(text: str) -> list[JsonString]:
    """Return the strings and numbers of a text that is a JSON object or list, else none."""
    if text.lstrip()[:1] not in ("{", "["):
        return []
    try:
        json.loads(text)
        return [_read(found) for found in _STRING.finditer(text)]
    except (ValueError, RecursionError):
        return []


def _read(found: re.Match[str]) -> JsonString:
    if found[3] is not None:
        return JsonString(found[3], *found.span(3), is_name=False, is_number=True)
    written = found[1]
    said = json.loads(f'"{written}"') if "\\" in written else written
    return JsonString(said, *found.span(1), found[2] is not None)


def with_strings(text: str, changes: Mapping[int, str]) -> str:
    """Return a JSON text in which some strings say something else; a number becomes a string."""
    pieces, at = [], 0
    for number, old in enumerate(json_strings(text)):
        if number in changes:
            pieces += [text[at : old.start], _written_anew(text, old, changes[number])]
            at = old.end
    return "".join([*pieces, text[at:]])


def _written_anew(text: str, old: JsonString, new: str) -> str:
    if old.is_number:
        return json.dumps(new, ensure_ascii=text.isascii())
    return _rewritten(text[old.start : old.end], old.text, new)


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


class Written(NamedTuple):
    """A string as it is written within a text, with escapes: what it says, and where."""

    text: str
    places: tuple[int, ...]
    """Where each of its characters is written, and where the last one ends."""


def escaped_strings(text: str) -> Iterator[Written]:
    """Yield the strings in quotes within any text that are written with escapes of JSON."""
    if "\\" not in text:
        return
    for found in _STRING.finditer(text):
        written = found[1]
        if written and "\\" in written:
            with suppress(ValueError):
                said = json.loads(f'"{written}"', strict=False)
                ends = (unit.end() for unit in _UNIT.finditer(written))
                places = tuple(found.start(1) + end for end in (0, *ends))
                if len(places) == len(said) + 1:
                    yield Written(said, places)
