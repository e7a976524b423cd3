"""Streamed answers: their events, whatever separates them, and what they add up to."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from ..errors import Refused
from ..requests.exchange import Outcome
from .fields import is_object
from .json_text import read_dirty_json

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
    """Return the value of JSON as programs write it, or refuse it."""
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
    """Yield the objects of a stream with one in each line."""
    for line in lines_of(content, note):
        yield from _read(line, "")


def listed(content: bytes) -> Iterator[Event]:
    """Yield the objects of a list, also of one that ends in the middle."""
    try:
        found = read_value(content)
    except Refused:
        found = list(_whole_items(content))
    for one in found if isinstance(found, list) else ():
        if is_object(one):
            yield Event("", dict(one))


def _whole_items(content: bytes) -> Iterator[Any]:
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
    if text.strip() == b"[DONE]":
        yield Event(name, None)
        return
    try:
        value = read_value(text)
    except Refused:
        return
    if is_object(value):
        yield Event(name, dict(value))


FIXED = frozenset(("id", "index", "type", "role", "object", "created", "model", "format"))
"""Keys whose value is in one piece, and may be repeated in every other."""
WHOLE = frozenset((*FIXED, "name"))


class Pieces(list[str]):
    """A text that is still growing: its pieces, which are joined when it is complete.

    Appending each to a text would copy all of it each time.
    """

    def joined(self) -> str:
        """Return the text so far, as the one piece that there is from now on."""
        if len(self) != 1:
            self[:] = ["".join(self)]
        return self[0]


class Items(list[Any]):
    """A list that is still growing, with its items by the index that they have."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__(items)
        self.places = {place_of(one): one for one in reversed(self)}

    def take(self, piece: Any) -> None:
        place = place_of(piece)
        known = None if place is None else self.places.get(place)
        if known is None:
            self.append(dict(piece) if isinstance(piece, Mapping) else piece)
            self.places[place] = self[-1]
        else:
            grow(known, piece)


def grow(value: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Append a piece: texts are joined, lists extended, objects updated key by key.

    Items of lists that have an ``index`` are pieces of the item with that index, since pieces of
    several may take turns. What is null says nothing. ``whole`` makes plain values of it.
    """
    for key, new in piece.items():
        old = value.get(key)
        if new is None:
            value.setdefault(key, None)
        elif isinstance(old, str | Pieces) and isinstance(new, str):
            if key in FIXED:
                value[key] = new or old
            # Some servers repeat the name of a tool in every piece, others spread it over several.
            elif key not in WHOLE or old != new:
                add_text(value, key, new)
        elif isinstance(old, dict) and isinstance(new, Mapping):
            grow(old, new)
        elif isinstance(new, list):
            items = old
            if not isinstance(items, Items):
                items = value[key] = Items(old if isinstance(old, list) else ())
            for one in new:
                items.take(one)
        else:
            value[key] = dict(new) if isinstance(new, Mapping) else new


def add_text(value: dict[str, Any], key: str, piece: str) -> None:
    """Append a piece of a text; what is no text is replaced."""
    old = value.get(key)
    if isinstance(old, Pieces):
        old.append(piece)
    elif isinstance(old, str) and old:
        value[key] = Pieces((old, piece))
    else:
        value[key] = piece


def whole(answer: dict[str, Any]) -> None:
    """Replace growing texts and lists in an answer by plain ones."""
    waiting: list[Any] = [answer]
    while waiting:
        holder = waiting.pop()
        for key, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(value, Pieces):
                holder[key] = value.joined()
            elif isinstance(value, Items):
                holder[key] = list(value)
                waiting.append(holder[key])
            elif isinstance(value, dict | list):
                waiting.append(value)


def place_of(item: object) -> int | None:
    """Return the index that an item says it has, or None."""
    found = item.get("index") if isinstance(item, Mapping) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def text_of(value: object) -> str:
    """Return a text, and nothing for what is none."""
    return value if isinstance(value, str) else ""


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list, and none where there is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


class Assembler(ABC):
    """An answer that is being assembled."""

    def __init__(self) -> None:
        self.answer: dict[str, Any] = {}
        self.is_over = False
        self.is_failed = False

    def events(self, content: bytes, note: Note) -> Iterator[Event]:
        return server_events(content, note)

    @abstractmethod
    def take(self, event: Event) -> None:
        """Add one event; those that are unknown are passed over."""

    def end(self) -> None:
        """Finish the answer when there are no more events."""
        return

    @property
    def outcome(self) -> Outcome:
        """Return how it ended: by the protocol's own end, not by that of the connection."""
        if self.is_failed:
            return "failed"
        return "complete" if self.is_over else "cut"

    def fail(self, error: object) -> None:
        self.is_failed = True
        self.answer["error"] = error
