"""Salvage: as much of a damaged session as can be read.

Messages come first, since nobody can write them again: whatever message can be read is kept, also
where the journal that placed it can't be followed to the end.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from ..conversation.conversation import Clock, Conversation, follow
from ..conversation.references import Bodies
from ..errors import Refused
from ..history.call import Call
from ..messages.message import Message
from ..operations import Append
from .details import Details
from .errors import Damaged
from .journal_text import read_journal
from .replay import ODD, records_in
from .rows import records_of
from .sealed import TableRow

STEP = re.compile(
    r'(?:[{}]\s*+(?:,\s*+)?+"(?P<table>messages|revisions|journal|marks|meta)"\s*+:\s*+\{\s*+'
    r'|,\s*+(?="\d))(?:"(?P<row>\d{1,10})"\s*+:\s*+(?=\{))?'
)
"""What leads to a row: the beginning of a table, or the comma behind the row before.

It never goes back over what it took, so that no text takes longer than its length."""
MOST_PASSES = 100
MOST_NESTED_CHARACTERS = 100_000
CHARACTERS_PER_PLACE = 16
"""How many times its length may be parsed of a text, and what it costs where that fails: nesting
too deep counts as so many characters; saying the place takes a part of all those before it."""
FAR = 100_000
"""How many rows a damaged stretch may have swallowed."""
NumberedRow = tuple[int, Any]
NAMED = 5
"""How many rows a sentence names one by one."""


class Salvaged(NamedTuple):
    """What could be read, and in sentences what could not."""

    conversation: Conversation
    details: Details
    lost: tuple[str, ...]


def salvage(main: bytes, journal: bytes | None, clock: Clock) -> Salvaged:
    """Return a conversation of all that can be read; refuse files that hold nothing readable."""
    text = main.decode("utf-8", "replace")
    tables, is_whole = _tables(text)
    messages, lost = _messages(tables.get("messages", []))
    if not is_whole:
        lost.append("the file is damaged in so many places that its end was not looked at")
    conversation, told = _replayed(messages, lost, tables.get("journal", []), clock)
    if told:
        lost.append(told)
    behind = _behind(messages, conversation)
    later = list(_inline(journal))
    if conversation is None and not behind and not later:
        raise Damaged(
            "nothing in the session file can be read; it was left as it is, "
            "so a backup can take its place",
            field="session",
        )
    if conversation is None:
        conversation = Conversation(behind, clock=clock)
        lost.append("the history could not be read: the messages are there, in order of arrival")
    elif behind:
        conversation.execute(Append(messages=behind))
        lost.append(_at_the_end(len(behind), "later changes"))
    if later:
        conversation.execute(Append(messages=later))
        lost.append(_at_the_end(len(later), "the journal file"))
    return Salvaged(conversation, _details(tables.get("meta", [])), tuple(lost))


def _many(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def _at_the_end(count: int, of: str) -> str:
    return f"{_many(count, 'message')} of {of} {'stands' if count == 1 else 'stand'} at the end"


def _tables(text: str) -> tuple[dict[str, list[NumberedRow]], bool]:
    """Return every row that can be read, by table, and whether the end was reached.

    What can't be read is passed over, unless there is so much of it that the end is not in sight.
    """
    tables: dict[str, list[NumberedRow]] = defaultdict(list)
    decoder = json.JSONDecoder()
    name, last = "", 0
    left = MOST_PASSES * len(text) + MOST_NESTED_CHARACTERS
    step = STEP.search(text)
    while step is not None and left > 0:
        at = step.end()
        if step["table"] is not None:
            name, last = step["table"], 0
        if step["row"] is not None and last < int(step["row"]) <= last + FAR:
            try:
                value, end = decoder.raw_decode(text, at)
            except json.JSONDecodeError as error:
                left -= error.pos - at + error.pos // CHARACTERS_PER_PLACE
            except (ValueError, RecursionError):
                left -= MOST_NESTED_CHARACTERS
            else:
                left -= end - at
                if name != "messages" or "role" in value:
                    last, at = int(step["row"]), end
                    tables[name].append((last, value))
        step = STEP.search(text, at)
    return tables, step is None


def _messages(rows: list[NumberedRow]) -> tuple[dict[int, Message], list[str]]:
    """Return the messages that can be read by raw index, and a sentence about the others."""
    messages: dict[int, Message] = {}
    for number, row in rows:
        try:
            messages.setdefault(number - 1, Message.from_dict(row))
        except Refused:
            continue
    highest = max([number for number, _ in rows], default=0)
    missing = highest - len(messages)
    if not missing:
        return messages, []
    # Rows can be very far apart, so that only the first few missing ones are looked for.
    first = list(islice((raw for raw in range(highest) if raw not in messages), NAMED))
    named = ", ".join(map(str, first)) + (" …" if missing > NAMED else "")
    return messages, [f"{_many(missing, 'message')} could not be read: {named}"]


def _replayed(
    messages: dict[int, Message], lost: list[str], rows: list[NumberedRow], clock: Clock
) -> tuple[Conversation | None, str | None]:
    """Return what the journal leads to as far as it can be followed, and a sentence if not far."""
    if lost or [number for number, _ in rows] != list(range(1, len(rows) + 1)) or not rows:
        return None, None
    bodies = Bodies([messages[raw] for raw in sorted(messages)])
    conversation: Conversation | None = None
    done = 0
    for place, (_, row) in enumerate(rows):
        try:
            for record in records_in(row, bodies, done):
                if conversation is None:
                    conversation = Conversation.replay([record], clock=clock)
                else:
                    follow(conversation, record)
                done += 1
        except ODD as error:
            rest = sum(_size(row) for _, row in rows[place:])
            return conversation, f"{_many(rest, 'change')} could not be done again: {error}"
    return conversation, None


def _size(row: Any) -> int:
    try:
        return records_of(row)
    except ODD:
        return 1


def _behind(messages: dict[int, Message], conversation: Conversation | None) -> list[Message]:
    """Return the readable messages that a conversation does not hold."""
    known = 0 if conversation is None else len(conversation.log)
    return [messages[raw] for raw in sorted(messages) if raw >= known]


def _inline(journal: bytes | None) -> Iterator[Message]:
    """Yield the messages that stand in a journal file, whatever it says about them."""
    try:
        lines: list[TableRow] = [] if journal is None else read_journal(journal).lines
    except Refused:
        return
    for line in lines:
        with suppress(RecursionError):  # Nothing of ours is nested that deep.
            yield from list(_bodies(line.get("record")))


def _bodies(value: Any) -> Iterator[Message]:
    if isinstance(value, Mapping) and value.get("operation") != Call.title:
        try:
            yield Message.from_dict(value)
        except Refused:
            for item in value.values():
                yield from _bodies(item)
    elif isinstance(value, list):
        for item in value:
            yield from _bodies(item)


def _details(rows: list[NumberedRow]) -> Details:
    for _, row in rows:
        try:
            return Details.from_dict(row)
        except ODD:
            continue
    return Details("untitled")
