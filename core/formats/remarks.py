"""Remarks: what reading or writing had to adapt, counted and told as one sentence a kind."""

from __future__ import annotations

from core.conversation.conversation import Conversation
from core.errors import shown
from core.settings import Settings

MOST_PLACES = 5


class Remarks:
    """Collects what happened to which message, so that a thousand cases are one sentence."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}
        self._places: dict[str, dict[int, None]] = {}

    def add(self, sentence: str, message: int, *names: str) -> None:
        """Note that a sentence is true of a message, and of what in it."""
        self._names.setdefault(sentence, {}).update(dict.fromkeys(names))
        self._places.setdefault(sentence, {})[message] = None

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each kind, with the names and the messages it is about."""
        return tuple(
            sentence + (f": {', '.join(names)}" if names else "") + _where(self._places[sentence])
            for sentence, names in self._names.items()
        )


def bare(value: object) -> str:
    """Return a value as a sentence may name it, a text without quotes."""
    return shown(value).strip("'")


def _where(places: dict[int, None]) -> str:
    first = ", ".join(str(place) for place in list(places)[:MOST_PLACES])
    if len(places) == 1:
        return f" (message {first})"
    more = len(places) - MOST_PLACES
    return f" (messages {first}{f' and {more} more' if more > 0 else ''})"


def beside_messages(conversation: Conversation, *held: str) -> tuple[str, ...]:
    """Return what a format of visible messages leaves out; ``held`` are the meta keys it keeps."""
    hidden = len(conversation.log) - len(conversation.view)
    changes, batches = len(conversation.journal) - 1, len(conversation.batches)
    meta = [key for key in conversation.meta if key not in held]
    settings = conversation.settings.to_dict() != Settings().to_dict()
    found = {
        f"the messages that are not visible are left out ({hidden})": hidden,
        f"the history is left out (changes: {changes}, batches: {batches})": changes,
        f"the marks are left out: {', '.join(map(bare, conversation.marks))}": conversation.marks,
        "the settings are left out": settings,
        f"these facts about the conversation are left out: {', '.join(map(bare, meta))}": meta,
    }
    return tuple(sentence for sentence, true in found.items() if true)
