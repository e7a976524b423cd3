"""What was asked and what was answered: bodies, read into messages that know how they were sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from ..messages.message import Message
from .digests import digest, dumped, loaded, may_have_markers, without_markers
from .exchange import Exchange, Kind, Purpose
from .identity import (
    has_made_ids,
    has_thoughts,
    key_of,
    loose_key,
    mask,
    masked_key,
    tool_ids,
)

MESSAGES, PROMPT = "messages", "prompt"
"""Where a message stood in a body: in its list, or in front of it under a name of its own."""


class Sent:
    """One message as a request wrote it; equal ones are shared, so nothing of it may change.

    ``wire`` is the JSON of its rows: one of a list of messages, or several items.
    """

    def __init__(self, message: Message, wire: bytes, place: str = MESSAGES) -> None:
        self.message = message
        self.wire = wire
        self.place = place
        self.key = key_of(message)
        self.ids = tool_ids(message)
        is_linked = bool(message.calls or message.results)
        self.loose = loose_key(message) if is_linked else self.key
        self.has_made_ids = is_linked and has_made_ids(message)

    @cached_property
    def strict(self) -> bytes:
        """Return the digest that a prompt cache goes by: everything counts but its own markers."""
        if not may_have_markers(self.wire):
            return digest(self.wire)
        return digest(dumped(without_markers(self.rows)))

    @cached_property
    def is_marked(self) -> bool:
        """Tell whether a marker of the prompt cache stands in it."""
        return may_have_markers(self.wire) and self.strict != digest(self.wire)

    @cached_property
    def has_thoughts(self) -> bool:
        """Tell whether it holds thinking."""
        return has_thoughts(self.message)

    @property
    def rows(self) -> list[Any]:
        """Return what the request wrote, as new data."""
        rows: list[Any] = loaded(self.wire)
        return rows

    @cached_property
    def masked(self) -> bytes:
        """Return the key that hides what changes by itself."""
        return masked_key(self.message)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words of the message, to see how alike two are."""
        return frozenset(mask(self.message.search_text).split())

    def __repr__(self) -> str:
        """Show the role and the beginning of the text."""
        return f"Sent({self.message.role}: {self.message.search_text[:40]!r})"


class Hints(NamedTuple):
    """What a request says of the conversation it belongs to, beside its content."""

    tag: str | None = None
    session: str | None = None
    agent: str | None = None


NO_HINTS = Hints()


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its messages in order, prompt first, and all that stands beside them.

    ``previous`` is the id of a response, or of a stored conversation, whose messages the provider
    puts in front of these; ``after`` that of an answer it only came after; ``stored`` the id under
    which the provider keeps the conversation. ``described`` are the tools in the shape that all
    formats share; ``form`` is how the body held its messages where that isn't usual.
    """

    kind: Kind
    sent: tuple[Sent, ...]
    model: str | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    described: tuple[Mapping[str, Any], ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    previous: str | None = None
    after: str | None = None
    stored: str | None = None
    hints: Hints = NO_HINTS
    purpose: Purpose = "answer"
    form: Mapping[str, Any] = field(default_factory=dict)
    digest: bytes = b""

    @property
    def said(self) -> tuple[Sent, ...]:
        """Return the messages beside the system's."""
        return tuple(one for one in self.sent if one.message.role != "system")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: its messages, the name a provider gave it, and what it cost."""

    sent: tuple[Sent, ...] = ()
    id: str | None = None
    usage: Mapping[str, int] | None = None

    @property
    def text(self) -> str:
        """Return what was said, without thinking and calls."""
        return "\n".join(one.message.text for one in self.sent).strip()


class Bodies(Protocol):
    """How bodies of all kinds are read and their messages written."""

    def asked(self, exchange: Exchange) -> Asked:
        """Return what a request asks; refuse what is none."""
        ...

    def answered(self, exchange: Exchange) -> Answered | None:
        """Return what came back, or None where nothing did."""
        ...

    def rows(self, kind: Kind, place: str, message: Message) -> list[Any]:
        """Return how a message is written in a body where nothing else is known."""
        ...


def tools_in(tools: Sequence[Mapping[str, Any]] | None) -> tuple[str, ...]:
    """Return the names of tools, however they are defined."""
    return tuple(name for tool in tools or () for name in _names(tool))


def _names(tool: Mapping[str, Any]) -> list[str]:
    declared = tool.get("functionDeclarations", tool.get("function_declarations"))
    if isinstance(declared, Sequence) and not isinstance(declared, str):
        return [name for one in declared if isinstance(one, Mapping) for name in _names(one)]
    inner = tool.get("function")
    body = inner if isinstance(inner, Mapping) else tool
    name = body.get("name", body.get("type"))
    return [name] if isinstance(name, str) else []
