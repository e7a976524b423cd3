"""Certainty: whether what is not sure to be of one format may be read as it.

The beginning of the data is read as every format that it may be of. If these disagree about who
said what, or if much of its text is in parts that the format does not know, it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..engine.messages import DataPart, Message, of_parts
from ..errors import Refused
from .base import Format
from .source import Source, SourceSample
from .warnings import kind_name

FIRST_OF_LIST = 20
"""Items of a list that are read to compare formats."""
DEEPEST_LIST = 3
MOST_KEYS = 500
"""Keys of an object that are looked at; one with more is a table, as of all messages."""
MOST_UNKNOWN = 0.1
"""The share of the text that may be in parts of a kind that a format does not know."""


def must_be_certain(first: Format, others: Sequence[Format], sample: SourceSample) -> None:
    """Refuse data that a format would misread, as far as its beginning shows that."""
    if first.name == "native":
        first, others = (others[0], others[1:]) if others else (first, others)
    if not others and first.own_data is None:
        return
    read = read_beginning(first, sample)
    if read is None:
        return  # Reading it as a whole says what is wrong with it.
    for other in others:
        again = read_beginning(other, sample)
        if again is not None and _said(again) != _said(read):
            raise Refused(
                f"this may be {first.about} or {other.about}, and would be read as different "
                f"messages; --from {first.name} or --from {other.name} says which",
                field="format",
                legal=f"{first.name}, {other.name}",
            )
    if first.own_data is None:
        return
    share, kinds = unknown_share(first.own_data, read)
    if share > MOST_UNKNOWN:
        raise Refused(
            f"this looks like {first.about}, but {share:.0%} of its text is in parts of a kind "
            f"that it does not have ({', '.join(kinds)}); --from {first.name} reads them as data",
            field="format",
            legal=first.name,
        )


def read_beginning(known: Format, sample: SourceSample) -> list[Message] | None:
    """Return the messages of the first conversation in the beginning of some data."""
    items = [_beginning(item) for item in sample.items]
    source = Source.of_items(items) if sample.is_lines else Source.of_data(items[0])
    try:
        return [*next(iter(known.read(source))).conversation.log]
    except (Refused, StopIteration):
        return None


def _beginning(value: Any, depth: int = 0) -> Any:
    if isinstance(value, Mapping):
        return {key: _beginning(one, depth) for key, one in islice(value.items(), MOST_KEYS)}
    if isinstance(value, list) and depth < DEEPEST_LIST:
        return [_beginning(one, depth + 1) for one in value[:FIRST_OF_LIST]]
    return value


def _said(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.search_text) for message in messages]


def unknown_share(known: Sequence[str], messages: Sequence[Message]) -> tuple[float, list[str]]:
    """Return how much of the text of messages is in data of other kinds, and which these are."""
    whole = sum(len(message.search_text) for message in messages)
    unknown = 0
    kinds: dict[str, None] = {}
    for message in messages:
        for part in _unknown_parts(known, message):
            unknown += len(of_parts("user", (part,)).search_text)
            kinds[_kind(part)] = None
    return (unknown / whole if whole else 0.0), list(kinds)


def _unknown_parts(known: Sequence[str], message: Message) -> Iterator[DataPart]:
    for part in message.parts:
        inside = getattr(part, "content", ())
        for one in (part, *(inside if isinstance(inside, tuple) else ())):
            if isinstance(one, DataPart) and not _is_known(one, known):
                yield one


def _is_known(part: DataPart, known: Sequence[str]) -> bool:
    data = part.data
    if "part" in data:  # One that is known by its key, as Gemini's are.
        inside = data["part"]
        return not isinstance(inside, Mapping) or any(key in known for key in inside)
    return data.get("type") in known


def _kind(part: DataPart) -> str:
    """Return what a part of an unknown kind is called: its type, or its only keys."""
    data = part.data.get("part", part.data)
    if not isinstance(data, Mapping):
        return kind_name(data)
    type = data.get("type")
    return kind_name(type if isinstance(type, str) else next(iter(data), "…"))
