"""Remarks: what reading or writing had to adapt, counted and told as one sentence a kind."""

from __future__ import annotations

from itertools import islice

from core.conversation.conversation import Conversation
from core.errors import shown
from core.history.journal import Noted
from core.settings import Settings

MOST_PLACES = 5
MOST_NAMES = 20


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
            sentence + _which(list(names)) + self._where(self._places[sentence])
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


def _which(names: list[str]) -> str:
    if not names:
        return ""
    more = len(names) - MOST_NAMES
    return f": {', '.join(names[:MOST_NAMES])}" + (f" and {more:,} more" if more > 0 else "")


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
    meta = [key for key in conversation.meta if key not in held]
    settings = conversation.settings.to_dict() != Settings().to_dict()
    found = {
        f"the messages that are not visible are left out ({hidden})": hidden > 0,
        f"the history is left out (changes: {changes}, batches: {batches})": changes > 0,
        f"the marks are left out: {', '.join(map(bare, conversation.marks))}": conversation.marks,
        "the settings are left out": settings,
        f"what providers said of the costs is left out (requests: {usage})": usage,
        f"the recorded calls are left out ({calls})": calls,
        f"these facts about the conversation are left out: {', '.join(map(bare, meta))}": meta,
    }
    return tuple(sentence for sentence, true in found.items() if true)
