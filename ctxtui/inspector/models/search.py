"""Searching messages: what was found, how to go from one hit to the next, and filters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.messages import Message
from ctxtui.core.engine.meta_fields import other_fields, value_text
from ctxtui.core.engine.text_search import TextFinder, TooSlow
from ctxtui.core.errors import format_value, out_of_range
from ctxtui.core.values.numbers import count_in
from ctxtui.progress import TaskProgress
from ctxtui.text.plurals import plural

BLOCK_MESSAGES = 2_048
"""How many messages are searched between two looks at whether it is still wanted."""
MOST_SLOW = 8
"""How many messages a pattern may be too slow for before the search gives up."""
STAR = "*"
"""What a filter for marked messages begins with."""


@dataclass(frozen=True, slots=True)
class SearchHits:
    """The messages a search found, by raw index, and how many it could not check."""

    finder: TextFinder | None = None
    raws: tuple[int, ...] = ()
    slow: int = 0
    fields: tuple[str, ...] = ()
    """The names of the other fields that it was found in."""

    def __len__(self) -> int:
        return len(self.raws)

    def next(self, here: int, by: int) -> int:
        """Return the hit after or before a place, going round at the ends."""
        at = bisect_right(self.raws, here) if by > 0 else bisect_left(self.raws, here) - 1
        return self.raws[at % len(self.raws)]

    def place(self, raw: int) -> int:
        return bisect_left(self.raws, raw) + 1

    @property
    def warning(self) -> str | None:
        if self.slow > MOST_SLOW:
            return f"The pattern is too slow: given up after {self.slow} messages."
        if self.slow:
            messages = plural(self.slow, "message was", "messages were")
            return f"{messages} left out: the pattern takes too long there."
        return None


def find_everywhere(
    conversation: Conversation, finder: TextFinder, watch: TaskProgress
) -> SearchHits:
    """Return the messages that hold a text, and the other fields."""
    found = find_messages(conversation.log, finder, watch)
    names, slow = [], found.slow
    for name, value in other_fields(conversation.meta).items():
        try:
            if finder.is_in(value_text(value)):
                names.append(name)
        except TooSlow:
            slow += 1
    return replace(found, fields=tuple(names), slow=slow)


def find_messages(log: Sequence[Message], finder: TextFinder, watch: TaskProgress) -> SearchHits:
    """Return the messages that hold a text; a pattern that is too slow for a message skips it."""
    found, slow, size = [], 0, len(log)
    for raw in range(size):
        if raw % BLOCK_MESSAGES == 0 or slow:
            watch.step(raw / size)
        try:
            if finder.is_in(log[raw].search_text):
                found.append(raw)
        except TooSlow:
            slow += 1
            if slow > MOST_SLOW:
                break
    return SearchHits(finder, tuple(found), slow)


def read_finder(text: str) -> TextFinder:
    """Return what to look for: a text, or between slashes a regular expression."""
    is_regex = len(text) > len("//") and text[0] == text[-1] == "/"
    return TextFinder(text[1:-1], is_regex=True) if is_regex else TextFinder(text)


def read_marked(text: str, marks: Mapping[str, Sequence[int]]) -> list[int] | None:
    """Return the messages ``*label`` or ``*`` means; None if the text is no such filter."""
    if not text.startswith(STAR):
        return None
    label = text.removeprefix(STAR).strip()
    if label and label not in marks:
        raise out_of_range("label", label, ", ".join(sorted(marks)) or "none: m marks a message")
    found = [marks[label]] if label else marks.values()
    return sorted({raw for raws in found for raw in raws})


# Places: those a user can name, a raw index or a batch of the path, and where to look first.


class Spot(NamedTuple):
    """Where to look in a session: at a batch of its path by number, a view, a message, a text.

    ``call`` is the place of a call among all that were recorded: what it sent is shown at length.
    """

    view: str = "inspector"
    raw: int | None = None
    batch: int | None = None
    sought: str = ""
    call: int | None = None


def read_place(conversation: Conversation, text: str) -> Spot:
    """Return the place that ``12`` or ``#3`` names: a raw index, or a batch number of the path."""
    name = text.strip()
    wanted = count_in(name.removeprefix("#"))
    if wanted is None:
        legal = "a raw index such as 12 nor a batch such as #3"
        raise Refused(
            f"{format_value(name)} is neither {legal}", field="place", value=name, legal=legal
        )
    path, size = conversation.path, len(conversation.log)
    if name.startswith("#"):
        if wanted >= len(path):
            raise out_of_range("batch", wanted, f"0…{len(path) - 1}")
        return Spot(batch=wanted)
    if wanted >= size:
        raise out_of_range("raw", wanted, f"0…{size - 1}" if size else "the log, which is empty")
    return Spot(raw=wanted)
