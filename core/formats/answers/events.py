"""Events: the pieces in which an answer is streamed, whatever way they are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from core.errors import Refused
from core.formats.json_text import read_dirty_json
from core.formats.objects import is_object

DONE = b"[DONE]"


class Event(NamedTuple):
    """A piece of an answer; ``data`` is None where a stream only says that it is over."""

    name: str
    data: dict[str, Any] | None


def read_value(text: bytes) -> Any:
    """Return the value of JSON as it comes, or refuse it."""
    return read_dirty_json(text, lambda _: None)


def server_events(content: bytes) -> Iterator[Event]:
    """Yield the server-sent events of a stream; what is no JSON object, or is cut off, is skipped.

    Lines may end as they like, data may be spread over several, comments are passed over.
    """
    name, lines = "", list[bytes]()
    for line in (*content.splitlines(), b""):
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


def json_lines(content: bytes) -> Iterator[Event]:
    """Yield the objects that stand in a line each."""
    for line in content.splitlines():
        yield from _read(line, "")


def listed(content: bytes) -> Iterator[Event]:
    """Yield the objects of a list, also of one that ends in the middle."""
    try:
        found = read_value(content)
    except Refused:
        found = _begun(content)
    for one in found if isinstance(found, list) else ():
        if is_object(one):
            yield Event("", dict(one))


def _begun(content: bytes) -> Any:
    """Return the items of a list that are whole: it is closed behind the last one that is."""
    end = len(content)
    while (end := content.rfind(b"}", 0, end)) > 0:
        try:
            return read_value(content[: end + 1] + b"]")
        except Refused:
            continue
    return []


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
