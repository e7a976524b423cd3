"""The one interface of all kinds of bodies: where messages stand, and how each is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ...messages.message import Message
from ...requests.asked import MESSAGES, PROMPT
from ...requests.exchange import Kind

MOST_TOKENS = 2**40
"""More than any provider counts; what is beyond is a mistake."""
Body = Mapping[str, Any]
Row = dict[str, Any]


class Given(NamedTuple):
    """The rows of one message, and whether they stood in the list or were the prompt before it."""

    rows: list[Any]
    place: str = MESSAGES


class Split(NamedTuple):
    """A body: its messages, how they were held where that is not usual, and what is beside them."""

    given: list[Given]
    form: Row
    beside: Row


class Wire(ABC):
    """How requests of one kind are written; a prompt is a message that stands before the list."""

    kind: ClassVar[Kind]

    @abstractmethod
    def split(self, body: Body) -> Split:
        """Return the messages of a body; refuse what has none."""

    @abstractmethod
    def joined(self, given: Sequence[Given], form: Body) -> Row:
        """Return the keys of a body that hold its messages: what ``split`` took out."""

    @abstractmethod
    def read(self, given: Given) -> Message:
        """Return one message, read on its own, or refuse it."""

    @abstractmethod
    def write(self, message: Message, place: str) -> list[Any]:
        """Return the rows of one message."""

    @abstractmethod
    def answer(self, response: Body) -> list[Given]:
        """Return the messages of an answer, none where it is no answer."""

    @abstractmethod
    def described(self, tools: list[Any]) -> list[Row]:
        """Return tools in the shape that all formats share."""

    @abstractmethod
    def usage(self, response: Body) -> dict[str, Any]:
        """Return what a provider counted: input, cached, written, output."""

    def name(self, response: Body) -> object:
        """Return the id of an answer."""
        return response.get("id")

    def needs_others(self, given: Given) -> bool:
        """Tell whether a message can only be read among those around it."""
        return False

    def read_all(self, given: Sequence[Given]) -> list[Message]:
        """Return messages read together, as those without ids must be; none if one is bad."""
        return []


def number(value: Body | None, *steps: str) -> int | None:
    """Return a count that stands somewhere in an object, or None."""
    found: Any = value
    for step in steps:
        found = found.get(step) if isinstance(found, Mapping) else None
    is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found < MOST_TOKENS
    return found if is_count else None


def prompt_of(given: Sequence[Given]) -> Any:
    """Return what stands before the list of messages, or None."""
    return next((one.rows[0] for one in given if one.place == PROMPT), None)


def rows_of(given: Sequence[Given]) -> list[Any]:
    """Return the list of messages."""
    return [row for one in given if one.place == MESSAGES for row in one.rows]
