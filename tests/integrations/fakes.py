"""A framework that there is not: objects, how they are read, and what an agent does with them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from ctxtui.core import Message
from ctxtui.core.integrations.message_map import Translator


@dataclass
class Note:
    """One message or several of a made-up framework; two are equal where they say the same."""

    role: str
    texts: list[str]
    seen: int = field(default=0, compare=False)


class Notes(Translator[Note]):
    """Reads a note as one message for each of its texts."""

    def __init__(self) -> None:
        self.read_count = 0

    def read(self, piece: Sequence[Note]) -> list[Message]:
        (note,) = piece
        self.read_count += 1
        more = {"metadata": {"seen": note.seen}} if note.seen else {}
        return [
            Message.from_dict({"role": note.role, "content": text, **more}) for text in note.texts
        ]

    def write(self, message: Message, raw: int) -> list[Note]:
        return [Note(message.role, [message.text])]

    def cut(self, piece: Sequence[Note], kept: Sequence[int]) -> list[Note]:
        (note,) = piece
        return [Note(note.role, [note.texts[place] for place in kept])]


def said(*texts: str, role: str = "user") -> list[Note]:
    """Return a note for each text."""
    return [Note(role, [text]) for text in texts]


def copies(notes: Sequence[Note]) -> list[Note]:
    """Return equal notes that are other objects, as a framework has them after reloading."""
    return [deepcopy(note) for note in notes]


def texts_of(notes: Sequence[Note]) -> list[str]:
    """Return all that some notes say."""
    return [text for note in notes for text in note.texts]
