"""Remarks: what reading or writing had to adapt, counted and told as one sentence a kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

from core.conversation.conversation import Conversation
from core.errors import shown
from core.history.journal import Noted
from core.settings import Settings

MOST_PLACES = 5
MOST_NAMES = 20
DETAILS = re.compile(r"(?: \([^()]*\)|: .*)+$", re.DOTALL)
BEHIND_NAMES = re.compile(r"(?: and [\d,]+ more)?(?: \([^()]*\))?$")
FACTS = "these facts about the conversation are left out"
"""What is said of meta keys that a format has no place for, before their names."""


class Remarks:
    """Collects what happened to which message, so that a thousand cases are one sentence.

    ``noun`` is what places count: messages of a conversation, or lines of a file.
    """

    def __init__(self, noun: str = "message") -> None:
        self.noun = noun
        self._names: dict[str, dict[str, None]] = {}
        self._places: dict[str, dict[int, None]] = {}

    def add(self, sentence: str, place: int | None = None, *names: str) -> None:
        """Note that a sentence is true of a message or line, and of what in it.

        Without a place it is true of the whole.
        """
        self._names.setdefault(sentence, {}).update(dict.fromkeys(names))
        places = self._places.setdefault(sentence, {})
        if place is not None:
            places[place] = None

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each kind, with the names and the messages it is about."""
        return tuple(
            sentence + which(list(names)) + self._where(self._places[sentence])
            for sentence, names in self._names.items()
        )

    def _where(self, places: dict[int, None]) -> str:
        if not places:
            return ""
        first = ", ".join(f"{place:,}" for place in islice(places, MOST_PLACES))
        if len(places) == 1:
            return f" ({self.noun} {first})"
        more = len(places) - MOST_PLACES
        return f" ({self.noun}s {first}{f' and {more:,} more' if more > 0 else ''})"


def bare(value: object) -> str:
    """Return a value as a sentence may name it, a text without quotes."""
    return shown(value).strip("'")


def which(names: list[str], most: int = MOST_NAMES) -> str:
    """Return the end of a sentence that names what it is about."""
    if not names:
        return ""
    more = len(names) - most
    return f": {', '.join(names[:most])}" + (f" and {more:,} more" if more > 0 else "")


def without_details(sentence: str) -> str:
    """Return a sentence without what it says in brackets or behind a colon, to be counted by."""
    return DETAILS.sub("", sentence)


def names_in(sentence: str) -> list[str]:
    """Return what a sentence about writing names behind its colon."""
    details = sentence[len(without_details(sentence)) :]
    return BEHIND_NAMES.sub("", details[2:]).split(", ") if details.startswith(": ") else []


def beside_messages(
    conversation: Conversation, *held: str, again: Conversation | None = None
) -> tuple[str, ...]:
    """Return what a format of visible messages leaves out; ``held`` are the meta keys it keeps.

    A format of trees gives what reading it ``again`` makes; then only what that lacks is left out.
    """
    hidden = len(conversation.log) - len(conversation.view if again is None else again.log)
    noted = sum(isinstance(one.operations[0], Noted) for one in conversation.journal)
    made = 1 if again is None else len(again.journal)
    changes, batches = len(conversation.journal) - noted - made, len(conversation.batches)
    usage, calls = len(conversation.usage.requests), len(conversation.calls.all)
    meta = [
        fact for key in conversation.meta if key not in held for fact in _facts(conversation, key)
    ]
    settings = conversation.settings.to_dict() != Settings().to_dict()
    found = {
        f"the messages that are not visible are left out ({hidden})": hidden > 0,
        f"the history is left out (changes: {changes}, batches: {batches})": changes > 0,
        f"the marks are left out: {', '.join(map(bare, conversation.marks))}": conversation.marks,
        "the settings are left out": settings,
        f"what providers said of the costs is left out (requests: {usage})": usage,
        f"the recorded calls are left out ({calls})": calls,
        FACTS + which([bare(fact) for fact in meta]): meta,
    }
    return tuple(sentence for sentence, true in found.items() if true)


def _facts(conversation: Conversation, key: str) -> list[str]:
    """Return what is left out with a meta key: what is below it, which may be nothing.

    A format leaves an empty object to tell that a conversation was read from it: nobody's fact.
    """
    value = conversation.meta[key]
    return [f"{key}.{name}" for name in value] if isinstance(value, Mapping) else [key]
