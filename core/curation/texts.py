"""Where text stands in a message, and the same message with other texts there.

A path leads to a text: ``(0, "text")`` is that of the first part, ``(1, "input", "to")`` one of the
arguments of a call. Where a tool's text is JSON, the number of a string in it follows, as in
``(0, "content", 3)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.curation.json_strings import JsonString, json_strings, with_strings
from core.messages.message import Message
from core.messages.parts import (
    DataPart,
    ImagePart,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)

Path = tuple[str | int, ...]
DEEPEST_JSON = 4
"""JSON as text within JSON as text, and so on: how far it is followed."""


def texts_of(message: Message) -> Iterator[tuple[Path, str]]:
    """Yield every text that may be changed: said, thought, given to tools and answered by them."""
    for number, part in enumerate(message.parts):
        match part:
            case TextPart():
                yield (number, "text"), part.text
            case ThinkingPart():
                yield (number, "thinking"), part.text
            case ToolUsePart():
                yield from _within(part.input, (number, "input"))
            case ToolResultPart():
                yield from _result(part, (number, "content"))


def _result(part: ToolResultPart, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(part.content, str):
        yield from _within(part.content, path)
        return
    for number, inner in enumerate(part.content):
        if isinstance(inner, TextPart):
            yield from _within(inner.text, (*path, number, "text"))


def _within(value: Any, path: Path, depth: int = 0) -> Iterator[tuple[Path, str]]:
    """Yield the texts of a JSON value; of one that is JSON itself, those in it."""
    if isinstance(value, str):
        strings = json_strings(value) if depth < DEEPEST_JSON else []
        for number, one in enumerate(strings):
            if not one.is_name:
                yield from _within(one.text, (*path, number), depth + 1)
        if not strings:
            yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _within(item, (*path, key), depth)
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value):
            yield from _within(item, (*path, number), depth)


def fixed_texts(message: Message) -> Iterator[str]:
    """Yield what is text too, and never changed: names of fields, addresses, data, metadata."""
    for part in message.parts:
        match part:
            case ToolUsePart():
                yield from _names(part.input)
            case ToolResultPart():
                inner = (part.content,) if isinstance(part.content, str) else part.content
                for one in inner:
                    if isinstance(one, str | TextPart):
                        yield from _names(one if isinstance(one, str) else one.text)
                    else:
                        yield from _beside(one)
            case _:
                yield from _beside(part)
        yield from strings_of(part.metadata)
    yield from strings_of(message.metadata)


def _beside(part: Part) -> Iterator[str]:
    if isinstance(part, ImagePart):
        yield part.url
    elif isinstance(part, DataPart):
        yield from strings_of(part.data)


def _names(value: Any) -> Iterator[str]:
    """Yield the names of fields in a JSON value, also in one that is JSON as text."""
    if isinstance(value, str):
        strings = json_strings(value)
        yield from (one.text for one in strings if one.is_name)
        for one in strings:
            if not one.is_name:
                yield from _names(one.text)
    elif isinstance(value, Mapping):
        yield from value
        for item in value.values():
            yield from _names(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _names(item)


def strings_of(value: Any) -> Iterator[str]:
    """Yield every text of a JSON value, names of fields too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from strings_of(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from strings_of(item)


def text_at(message: Message, path: Path) -> str:
    """Return the text that a path leads to."""
    return dict(texts_of(message))[path]


class Surroundings:
    """What is written around the texts of a message that are strings of JSON."""

    def __init__(self, message: Message, most: int) -> None:
        self._message, self._most = message, most
        self._strings: dict[str, list[JsonString]] = {}

    def of(self, path: Path) -> tuple[str, str]:
        """Return what stands before and behind a text, ``most`` characters each; else nothing."""
        value, rest = self._start(path)
        before = after = ""
        for step in rest:
            if not isinstance(value, str):
                value = value[step]
                continue
            if value not in self._strings:  # Reading a large text again for each hit takes long.
                self._strings[value] = json_strings(value)
            one = self._strings[value][int(step)]
            before = (before + value[max(0, one.start - self._most) : one.start])[-self._most :]
            after = (value[one.end : one.end + self._most] + after)[: self._most]
            value = one.text
        return before, after

    def _start(self, path: Path) -> tuple[Any, Path]:
        """Return the value that a path begins at, and the steps from there on."""
        part = self._message.parts[int(path[0])]
        if isinstance(part, ToolUsePart):
            return part.input, path[2:]
        if not isinstance(part, ToolResultPart):
            return "", ()
        if isinstance(part.content, str):
            return part.content, path[2:]
        inner = part.content[int(path[2])]
        assert isinstance(inner, TextPart)
        return inner.text, path[4:]


def with_texts(message: Message, texts: Mapping[Path, str]) -> Message:
    """Return a copy with other texts at some paths; everything else is the same.

    A thought that was changed loses its signature, which would not fit any more.
    """
    by_part = _grouped(texts)
    parts = [
        _changed(part, by_part[number]) if number in by_part else part
        for number, part in enumerate(message.parts)
    ]
    if isinstance(message.content, str):
        (part,) = parts
        assert isinstance(part, TextPart)
        return replace(message, content=part.text or (part,))
    return replace(message, content=tuple(parts))


def _changed(part: Part, texts: Mapping[Path, str]) -> Part:
    match part:
        case TextPart():
            return replace(part, text=texts["text",])
        case ThinkingPart():
            return replace(part, text=texts["thinking",], signature=None)
        case ToolUsePart():
            return replace(part, input=put(part.input, _grouped(texts)["input"]))
        case ToolResultPart():
            inside = _grouped(texts)["content"]
            if isinstance(part.content, str):
                return replace(part, content=put(part.content, inside))
            return replace(part, content=_inner(part.content, _grouped(inside)))
    return part


def _inner(
    parts: tuple[Part, ...], texts: Mapping[str | int, Mapping[Path, str]]
) -> tuple[Part, ...]:
    return tuple(
        replace(part, text=put(part.text, _grouped(texts[number])["text"]))
        if number in texts and isinstance(part, TextPart)
        else part
        for number, part in enumerate(parts)
    )


def put(value: Any, texts: Mapping[Path, str]) -> Any:
    """Return a JSON value with other texts at some paths; one that is JSON as text stays so."""
    if () in texts:
        return texts[()]
    inside = _grouped(texts)
    if isinstance(value, str):
        strings = json_strings(value)
        news = {number: put(strings[int(number)].text, inside[number]) for number in inside}
        return with_strings(value, {int(number): new for number, new in news.items()})
    if isinstance(value, Mapping):
        return {k: put(item, inside[k]) if k in inside else item for k, item in value.items()}
    return [put(item, inside[i]) if i in inside else item for i, item in enumerate(value)]


def _grouped(texts: Mapping[Path, str]) -> dict[str | int, dict[Path, str]]:
    """Return texts by the first step of their paths, each with the rest of its path."""
    groups: dict[str | int, dict[Path, str]] = {}
    for path, text in texts.items():
        groups.setdefault(path[0], {})[path[1:]] = text
    return groups
