"""The interface of all kinds of requests: where messages are, and how each is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ..engine.messages import Message
from ..errors import wrong_type
from ..requests.bodies import MESSAGES, PROMPT
from ..requests.exchange import Kind
from .format_metadata import without
from .stream_assembly import Assembler
from .tools import ToolShape

MOST_TOKENS = 2**40
"""More than any provider counts; what is beyond is a mistake."""
Body = Mapping[str, Any]
Row = dict[str, Any]


class GivenForm(NamedTuple):
    """The rows of one message, and whether they were in the list or are the prompt before it."""

    rows: list[Any]
    place: str = MESSAGES


class SplitBody(NamedTuple):
    """A body: its messages, how they were held where that is not usual, and everything else."""

    given: list[GivenForm]
    form: Row
    rest: Row


class RequestCodec(ABC):
    """How requests of one kind are written, how they are answered and how answers are streamed.

    ``rows`` is the key of the list of messages, of which ``noun`` says what it has. A prompt is a
    message of its own before the list, under the first of ``prompts`` that has one. ``counts`` are
    the paths of what a provider counted.
    """

    kind: ClassVar[Kind]
    rows: ClassVar[str] = "messages"
    noun: ClassVar[str] = "a list of messages"
    prompts: ClassVar[tuple[str, ...]] = ()
    tools: ClassVar[ToolShape]
    counts: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    assembler: ClassVar[type[Assembler]]

    def split(self, body: Body) -> SplitBody:
        rows = body.get(self.rows)
        if not isinstance(rows, list):
            raise wrong_type(self.rows, rows, self.noun)
        key = next((key for key in self.prompts if self.is_prompt(body.get(key))), None)
        given = [GivenForm([row]) for row in rows]
        if key is None:
            return SplitBody(given, {}, without(body, self.rows))
        form = {PROMPT: key} if len(self.prompts) > 1 else {}
        prompt = GivenForm([body[key]], PROMPT)
        return SplitBody([prompt, *given], form, without(body, self.rows, key))

    def is_prompt(self, value: Any) -> bool:
        """Return whether a value is a prompt that can be read as a message."""
        return isinstance(value, str | list) and bool(value)

    def joined(self, given: Sequence[GivenForm], form: Body) -> Row:
        """Return the keys of a body that hold its messages: what ``split`` took out."""
        key = form.get(PROMPT) or next(iter(self.prompts), "")
        prompt = {str(key): one.rows[0] for one in given if one.place == PROMPT}
        return {**prompt, self.rows: rows_of(given)}

    @abstractmethod
    def read(self, given: GivenForm) -> Message:
        """Return one message, read on its own, or refuse it."""

    @abstractmethod
    def write(self, message: Message, place: str) -> list[Any]:
        """Return the rows of one message."""

    @abstractmethod
    def answer(self, response: Body) -> list[GivenForm]:
        """Return the messages of an answer, none where it is no answer."""

    def described(self, tools: list[Any]) -> list[Row]:
        return self.tools.read(tools)

    def usage(self, response: Body) -> dict[str, int | None]:
        """Return what a provider counted: input, cached (a part of it), written, output."""
        return {name: number(response, *path) for name, path in self.counts.items()}

    def name(self, response: Body) -> object:
        return response.get("id")

    def needs_others(self, given: GivenForm) -> bool:
        """Return whether a message can only be read among those around it."""
        return False

    def read_all(self, given: Sequence[GivenForm]) -> list[Message]:
        """Return messages read together, as those without ids must be; none if one is bad."""
        return []


def number(value: Body | None, *steps: str) -> int | None:
    """Return a count within an object, or None."""
    found: Any = value
    for step in steps:
        found = found.get(step) if isinstance(found, Mapping) else None
    is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found < MOST_TOKENS
    return found if is_count else None


def rows_of(given: Sequence[GivenForm]) -> list[Any]:
    """Return the list of messages."""
    return [row for one in given if one.place == MESSAGES for row in one.rows]
