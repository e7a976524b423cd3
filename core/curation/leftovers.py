"""Leftovers: what formats kept of a text that was removed from its message later.

Versions up to 0.1 left the notes of a format in the metadata of a message that was redacted or
replaced; such a note may hold the very text that was to go. Now an edit drops them. Where history
is there, what an edit took away is known. Where a session was squashed since, it is not: there a
note is suspect if it says what its message does not say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..conversation.readable import Readable
from ..history.revisions import Revision
from ..messages.message import FORMAT_KEYS, Message, without_formats
from ..messages.parts import Part, ToolResultPart
from ..operations import Redact, Replace
from ..storage.library import Library
from ..values.frozen import FrozenDict, thaw
from .json_strings import json_strings
from .texts import SEALED, Walk

SHORTEST_STRETCH = 4
"""Characters of a removed stretch by which it is known within another text."""
SHORTEST_SENTENCE = 12
"""Characters of a text with spaces that is no mere name, such as a model's or a reason's."""


class Leftovers(NamedTuple):
    """The messages whose notes hold what was removed from them, by raw index."""

    edited: tuple[int, ...] = ()
    """Those that history says it of."""
    suspect: tuple[int, ...] = ()
    """Those of a session squashed before whose notes hold a text that is not in the message.

    It may have been removed, or it may never have been in the message, as the text of a citation.
    """

    @property
    def all(self) -> tuple[int, ...]:
        """Return both, in order."""
        return tuple(sorted({*self.edited, *self.suspect}))


def leftovers(conversation: Readable) -> Leftovers:
    """Return the messages whose notes hold, or may hold, what was removed from them."""
    edited = {
        raw
        for old, raw in _edits(conversation)
        if _holds_removed(conversation.log[old], conversation.log[raw])
    }
    origin = conversation.moment.head.meta.get("origin")
    if isinstance(origin, Mapping) and origin.get("cleaned") is True:
        return Leftovers(tuple(sorted(edited)))
    suspect = [
        raw
        for raw, message in enumerate(conversation.log)
        if raw not in edited and "squashedFrom" in (message.metadata or ()) and _is_odd(message)
    ]
    return Leftovers(tuple(sorted(edited)), tuple(suspect))


def leftovers_in(library: Library, id: str) -> Leftovers:
    """Return the messages of a session that hold removed text, or may; the session stays.

    Of redacted messages only the file can still hold it: what is read from it does not.
    """
    stored = library.as_stored(id)
    found = leftovers(stored.conversation)
    edited = sorted({*found.edited, *stored.outdated})
    return found._replace(edited=tuple(edited))


def without_notes(message: Message) -> Message:
    """Return a message without what formats kept of it and of its parts."""
    content = message.content
    if not isinstance(content, str):
        content = tuple(_bare(part) for part in content)
    metadata = message.metadata and without_formats(message.metadata)
    return replace(message, content=content, metadata=metadata)


def _bare(part: Part) -> Part:
    if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
        part = replace(part, content=tuple(_bare(inner) for inner in part.content))
    return replace(part, metadata=part.metadata and without_formats(part.metadata))


def _edits(conversation: Readable) -> Iterator[tuple[int, int]]:
    """Yield messages that an edit put another in the place of, each with that one."""
    revisions = conversation.revisions
    for revision in revisions:
        if revision.parent is not None and isinstance(revision.operation, Redact | Replace):
            yield from _substitutes(revisions[revision.parent], revision)


def _substitutes(before: Revision, after: Revision) -> Iterator[tuple[int, int]]:
    for start, length in after.fresh:
        for new in range(start, start + length):
            position = after.view.position(new)
            if position is None or position >= len(before.view):
                continue
            old = before.view[position]
            if after.view.position(old) is None:
                yield old, new


def _holds_removed(old: Message, new: Message) -> bool:
    """Tell whether notes of a message hold a text that only the one before it held."""
    before, after = _texts(old), _texts(new)
    gone = [text for text in before if text.strip() and text not in after]
    if not gone:
        return False
    kept = "\n".join(after)
    stretches = [text for text in _stretches(old, new) if len(text) >= SHORTEST_STRETCH]
    return any(
        note not in kept
        and (
            any(text in note or note in text for text in gone)
            or any(text in note for text in stretches)
        )
        for note in _notes(new)
        if note.strip()
    )


def _stretches(old: Message, new: Message) -> Iterator[str]:
    """Yield what lies between the common beginning and end of each text that was changed."""
    for one, other in zip(_texts(old), _texts(new), strict=False):
        first = 0
        while first < min(len(one), len(other)) and one[first] == other[first]:
            first += 1
        last = 0
        while last < min(len(one), len(other)) - first and one[-1 - last] == other[-1 - last]:
            last += 1
        yield one[first : len(one) - last].strip()


def _texts(message: Message) -> list[str]:
    return [
        place.text
        for place in Walk().message(message)
        if "metadata" not in place.path and place.kind != SEALED and place.path != ("id",)
    ]


def _metadata(message: Message) -> Iterator[FrozenDict]:
    held: list[Message | Part] = [message]
    for part in message.parts:
        held.append(part)
        if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
            held += part.content
    return (one.metadata for one in held if one.metadata is not None)


def _format_notes(message: Message) -> Iterator[Any]:
    for metadata in _metadata(message):
        for key, value in metadata.items():
            if key in FORMAT_KEYS:
                yield value


def _notes(message: Message) -> Iterator[str]:
    """Yield the texts of what formats kept of a message, those in JSON texts too."""
    for value in _format_notes(message):
        for place in Walk().provided(value, ()):
            if place.kind != SEALED:
                yield place.text


def _is_odd(message: Message) -> bool:
    """Tell whether notes hold a sentence, or a text in JSON, that is not in the message."""
    texts = _texts(message)
    said = "\n".join(texts)
    known = {json.dumps(thaw(value), sort_keys=True) for value in _values(message)}
    return any(
        _is_other_json(text, known)
        if json_strings(text)
        else len(text) >= SHORTEST_SENTENCE and " " in text.strip() and text not in said
        for value in _format_notes(message)
        for text in _leaves(value)
    )


def _is_other_json(text: str, known: set[str]) -> bool:
    return json.dumps(json.loads(text), sort_keys=True) not in known


def _values(message: Message) -> Iterator[Any]:
    """Yield the JSON values of a message: what calls are given, and texts that are JSON."""
    for part in message.parts:
        given = getattr(part, "input", None)
        for value in (given, getattr(part, "content", None), getattr(part, "text", None)):
            if isinstance(value, str) and json_strings(value):
                yield json.loads(value)
            elif value is not None and value is given:
                yield value


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _leaves(item)
