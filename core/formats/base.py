"""The one interface of all formats, and what reading and writing give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from core.conversation.conversation import Conversation


@dataclass(frozen=True, slots=True)
class Loaded:
    """A conversation that was read; each problem is a sentence about something adapted."""

    conversation: Conversation
    format: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """JSON-ready data; each problem is a sentence about something the format can't hold."""

    data: Any
    problems: tuple[str, ...] = ()


class Format(Protocol):
    """A way to keep one conversation as JSON data."""

    @property
    def name(self) -> str:
        """Return the name people choose the format by."""
        ...

    @property
    def shape(self) -> str:
        """Return in a few words what such data looks like."""
        ...

    def detects(self, data: object) -> bool:
        """Tell whether parsed JSON looks like this format, even where it is damaged."""
        ...

    def read(self, data: object) -> Loaded:
        """Return the conversation in some data, or refuse it in one sentence."""
        ...

    def write(self, conversation: Conversation) -> Written:
        """Return a conversation as data, and tell what had to be left out."""
        ...
