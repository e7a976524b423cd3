"""Events: the pieces in which an answer is streamed, whatever way they are told apart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from ...errors import Refused
from ..json_text import read_dirty_json
from ..objects import is_object

DONE = b"[DONE]"
MOST_LINES = 600_000
"""Lines of a stream that are read: more than the longest answers have, at three for a token."""
TOO_MANY_LINES = "answer-too-many-lines"
"""The warning that the rest was left out."""
LINE_END = re.compile(rb"\r\n|\n|\r")
ITEM_START = re.compile(r"[\s,]*")
ITEMS = json.JSONDecoder(parse_constant=lambda _: None)
"""Reads the items of a list one by one."""
Note = Callable[[str], None]


class Event(NamedTuple):
    """A piece of an answer; ``data`` is None where a stream only says that it is over."""

    name: str
    data: dict[str, Any] | None


def read_value(text: bytes) -> Any:
    """Return the value of JSON as it comes, or refuse it."""
    return read_dirty_json(text, lambda _: None)


def lines_of(content: bytes, note: Note) -> Iterator[bytes]:
    """Yield the lines of a stream without their ends, up to a hard limit, which is noted."""
    start = 0
    for number, end in enumerate(LINE_END.finditer(content)):
        if number == MOST_LINES:
            note(TOO_MANY_LINES)
            return
        yield content[start : end.start()]
        start = end.end()
    if start < len(content):
        yield content[start:]


def server_events(content: bytes, note: Note) -> Iterator[Event]:
    """Yield the server-sent events of a stream; what is no JSON object, or is cut off, is skipped.

    Lines may end as they like, data may be spread over several, comments are passed over.
    """
    name, lines = "", list[bytes]()
    for line in chain(lines_of(content, note), (b"",)):
        if not line:
            if lines:
                yield from _read(b"\n".join(lines), name)
            name, lines = "", []
            continue
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            lines.append(value)
        elif field == b"event":
            name = value.decode("utf-8", "replace")


def json_lines(content: bytes, note: Note) -> Iterator[Event]:
    """Yield the objects that stand in a line each."""
    for line in lines_of(content, note):
        yield from _read(line, "")


def listed(content: bytes) -> Iterator[Event]:
    """Yield the objects of a list, also of one that ends in the middle."""
    try:
        found = read_value(content)
    except Refused:
        found = list(_begun(content))
    for one in found if isinstance(found, list) else ():
        if is_object(one):
            yield Event("", dict(one))


def _begun(content: bytes) -> Iterator[Any]:
    """Yield the items of a list that are whole, up to the first that is not."""
    text = content.decode("utf-8", "replace")
    place = text.find("[") + 1
    while place and (found := ITEM_START.match(text, place)):
        try:
            value, place = ITEMS.raw_decode(text, found.end())
        except (ValueError, RecursionError):
            return
        yield value


def _read(text: bytes, name: str) -> Iterator[Event]:
    if text.strip() == DONE:
        yield Event(name, None)
        return
    try:
        value = read_value(text)
    except Refused:
        return
    if is_object(value):
        yield Event(name, dict(value))
