"""Bodies as they were parsed: messages with keys by which equal ones are found, and the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import orjson

from ..engine.messages import (
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..errors import Refused
from .exchange import Exchange, Kind, Purpose

MARKER = "cache_control"
DIGEST_BYTES = 16


def dumped(value: object, *, in_order: bool = True) -> bytes:
    """Return a value as JSON, with its keys in order or sorted; refuse any other value."""
    try:
        return orjson.dumps(value, option=None if in_order else orjson.OPT_SORT_KEYS)
    except (TypeError, RecursionError):
        pass
    try:
        # Integers beyond 64 bits and lone surrogates are legal, and nothing for orjson.
        text = json.dumps(value, sort_keys=not in_order, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"it is no JSON: {error}", field="request", legal="JSON") from None
    return text.encode("ascii")


def loaded(data: bytes) -> Any:
    """Return the value that ``dumped`` wrote, long numbers included."""
    return json.loads(data)


def digest(data: bytes) -> bytes:
    """Return a short hash, which only the same bytes have."""
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


def may_have_markers(data: bytes) -> bool:
    """Return whether there can be a marker of the prompt cache in some JSON."""
    return MARKER.encode() in data


def without_markers(row: Any) -> Any:
    """Return a message, a tool or blocks without the markers of the prompt cache.

    Only where these are legal: arguments of a call may have a key of that name.
    """
    if isinstance(row, list):
        return [without_markers(block) for block in row]
    if not isinstance(row, Mapping):
        return row
    rest = {key: value for key, value in row.items() if key != MARKER}
    if isinstance(rest.get("content"), list):
        rest["content"] = without_markers(rest["content"])
    return rest


BILLING = re.compile(r"^x-anthropic-billing-header:[^\n]*\n?", re.MULTILINE)
"""The line that a coding agent puts in front of its prompt, and that differs in every request."""
HIDDEN_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
"""Types of data that are thinking, too."""
MADE = "made_id"
LEGACY = "function_call"
FUNCTION = "function"
MASKS = (
    re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE),
    re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{12,}\b", re.IGNORECASE),
    re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"),
    re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?\b", re.IGNORECASE),
    re.compile(r"\d+(?:[.,]\d+)*"),
)
"""Uuids, long hexadecimal numbers, dates, times, and whatever else is a number."""
SPACES = re.compile(r"\s+")


def key_of(message: Message) -> bytes:
    """Return the first key: equal for the same message of the same calls."""
    return _hashed(message, shapes_of(message))


def loose_key(message: Message) -> bytes:
    """Return the second key, which leaves out the ids that calls and results go by."""
    return _hashed(message, [_shape(part, message, ids=False) for part in _counting(message)])


def masked_key(message: Message) -> bytes:
    """Return the third key, which leaves out times, ids, numbers and spaces."""
    shapes = [_shape(part, message, ids=False) for part in _counting(message)]
    return _hashed(message, _masked(shapes))


def shapes_of(message: Message) -> list[Any]:
    """Return the content of a message, however it was written."""
    return [_shape(part, message, ids=True) for part in _counting(message)]


def has_thoughts(message: Message) -> bool:
    """Return whether a message holds thinking, readable or not."""
    return any(_is_thought(part) for part in message.parts)


def mask(text: str) -> str:
    """Return a text without times, ids and numbers, and with single spaces."""
    for pattern in MASKS:
        text = pattern.sub("#", text)
    return SPACES.sub(" ", text).strip()


def tool_ids(message: Message) -> frozenset[str]:
    """Return the ids of calls and results that a provider gave, not those made here."""
    return frozenset(id for part in message.parts if (id := _id(part, message)) is not None)


def has_made_ids(message: Message) -> bool:
    """Return whether calls or results of a message came without an id."""
    linked = (part for part in message.parts if isinstance(part, ToolUsePart | ToolResultPart))
    return any(is_made(part, message) for part in linked)


def is_made(part: Part, message: Message) -> bool:
    """Return whether a call or result came without an id, so that one was made."""
    if any(MADE in note or note.get("type") == LEGACY for note in _notes(part.metadata)):
        return True
    is_result = isinstance(part, ToolResultPart)
    return is_result and any(note.get("role") == FUNCTION for note in _notes(message.metadata))


def _hashed(message: Message, shapes: list[Any]) -> bytes:
    return digest(dumped([message.role, sender_of(message), shapes], in_order=False))


def sender_of(message: Message) -> str | None:
    """Return the name that a message gives its author, if it does."""
    if message.role == "tool":
        return None
    names = (note.get("name") for note in _notes(message.metadata))
    return next((name for name in names if isinstance(name, str) and name), None)


def _notes(metadata: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """Yield the metadata that formats stored with a message or a part."""
    return (note for note in (metadata or {}).values() if isinstance(note, Mapping))


def _counting(message: Message) -> list[Part]:
    """Return the parts that count: no empty text, and no thinking unless there is nothing else."""
    full = [part for part in message.parts if not _is_empty(part, message)]
    said = [part for part in full if not _is_thought(part)]
    return said or full


def _is_empty(part: Part, message: Message) -> bool:
    if not isinstance(part, TextPart):
        return False
    return not (BILLING.sub("", part.text) if message.role == "system" else part.text)


def _is_thought(part: Part) -> bool:
    if isinstance(part, DataPart):
        return part.data.get("type") in HIDDEN_THOUGHTS
    return isinstance(part, ThinkingPart)


def _id(part: Part, message: Message) -> str | None:
    match part:
        case ToolUsePart(id=id) | ToolResultPart(tool_use_id=id) if not is_made(part, message):
            return id
    return None


def _shape(part: Part, message: Message, *, ids: bool) -> Any:
    id = _id(part, message) if ids else None
    match part:
        case TextPart(text):
            return BILLING.sub("", text) if message.role == "system" else text
        case ToolUsePart(name=name, input=given):
            return ["call", id, name, given]
        case ToolResultPart(content=str(text), is_error=failed):
            return ["result", id, _valued(text), failed or False]
        case ToolResultPart(content=tuple(inside), is_error=failed):
            return ["result", id, _inside(inside, message), failed or False]
        case ImagePart(url):
            return ["image", url]
        case ThinkingPart(text):
            return ["thinking", text]
        case DataPart(data):
            return ["data", _without_nulls(data)]


def _inside(parts: tuple[Part, ...], message: Message) -> Any:
    """Return the content of a result: a list of one text is that text."""
    if len(parts) == 1 and isinstance(parts[0], TextPart):
        return _valued(parts[0].text)
    return [_shape(part, message, ids=False) for part in parts]


def _valued(text: str) -> Any:
    """Return the value of a text that is JSON, in which keys have no order, or the text."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return ["json", orjson.loads(text)]
    except (orjson.JSONDecodeError, RecursionError):
        return text


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {key: _without_nulls(item) for key, item in value.items() if key != MARKER}
        return {key: item for key, item in kept.items() if item not in (None, [], {}, "")}
    if isinstance(value, list | tuple):
        return [_without_nulls(item) for item in value]
    return value


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return value if value is None or isinstance(value, bool) else "#"


MESSAGES, PROMPT = "messages", "prompt"
"""Where a message was in a body: in its list, or apart as the prompt."""


class SentMessage:
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
        """Return the digest that a prompt cache compares: all but its own markers."""
        if not may_have_markers(self.wire):
            return digest(self.wire)
        return digest(dumped(without_markers(self.rows)))

    @cached_property
    def is_marked(self) -> bool:
        """Return whether it has a marker of the prompt cache."""
        return may_have_markers(self.wire) and self.strict != digest(self.wire)

    @cached_property
    def has_thoughts(self) -> bool:
        """Return whether it holds thinking."""
        return has_thoughts(self.message)

    @property
    def rows(self) -> list[Any]:
        """Return what the request wrote, as new data."""
        rows: list[Any] = loaded(self.wire)
        return rows

    @cached_property
    def masked(self) -> bytes:
        """Return the key without times, ids and numbers."""
        return masked_key(self.message)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words of the message, to compare two."""
        return frozenset(mask(self.message.search_text).split())

    def __repr__(self) -> str:
        """Show the role and the beginning of the text."""
        return f"SentMessage({self.message.role}: {self.message.search_text[:40]!r})"


class Hints(NamedTuple):
    """What a request says about the conversation it belongs to, apart from its content."""

    tag: str | None = None
    session: str | None = None
    agent: str | None = None


NO_HINTS = Hints()


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request: its messages in order, prompt first, and everything else.

    ``previous`` is the id of a response, or of a stored conversation, whose messages the provider
    puts in front of these, with their prompt if ``is_thread``; ``after`` that of an answer it only
    came after; ``stored`` the id under which the provider keeps the conversation. ``described``
    are the tools in the shape that all formats share; ``form`` is how the body held its messages
    where that isn't usual, and ``keys`` are those of the body in its order.
    """

    kind: Kind
    sent: tuple[SentMessage, ...]
    model: str | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    described: tuple[Mapping[str, Any], ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    previous: str | None = None
    is_thread: bool = False
    after: str | None = None
    stored: str | None = None
    hints: Hints = NO_HINTS
    purpose: Purpose = "answer"
    form: Mapping[str, Any] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    digest: bytes = b""

    @property
    def said(self) -> tuple[SentMessage, ...]:
        """Return the messages but the system's."""
        return tuple(one for one in self.sent if one.message.role != "system")

    @property
    def system(self) -> tuple[SentMessage, ...]:
        """Return the system's messages."""
        return tuple(one for one in self.sent if one.message.role == "system")

    @property
    def prompt(self) -> tuple[bytes, ...]:
        """Return the keys of the system's messages, without times and numbers."""
        return tuple(one.masked for one in self.system)


@dataclass(frozen=True, slots=True)
class ParsedResponse:
    """An answer: its messages, the name a provider gave it, and what it cost."""

    sent: tuple[SentMessage, ...] = ()
    id: str | None = None
    usage: Mapping[str, int] | None = None

    @property
    def text(self) -> str:
        """Return what was said, without thinking and calls."""
        return "\n".join(one.message.text for one in self.sent).strip()


class Bodies(Protocol):
    """Parses bodies of all kinds and writes their messages."""

    def parse_request(self, exchange: Exchange) -> ParsedRequest:
        """Return a parsed request; refuse one without messages."""
        ...

    def parse_response(self, exchange: Exchange) -> ParsedResponse | None:
        """Return the parsed response, or None if there was none."""
        ...

    def rows(self, kind: Kind, place: str, message: Message) -> list[Any]:
        """Return how a message is written in a body if nothing else is known."""
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


def other_names(message: Message, logged: Message) -> dict[str, str]:
    """Return the ids that the log has for the calls of a message, where they differ."""
    calls, known = _calls(message), _calls(logged)
    if len(calls) != len(known):
        return {}
    pairs = zip(calls, known, strict=True)
    return {call.id: its.id for call, its in pairs if call.id != its.id}


def names_for_missing_ids(
    sent: Sequence[SentMessage], logged: Callable[[int], Message | None], make: Callable[[], str]
) -> dict[str, str]:
    """Return ids for the calls of a request that came without any.

    Those that ``logged`` knows by their place have one already; others get a new one.
    """
    names: dict[str, str] = {}
    for place, one in enumerate(sent):
        if not one.has_made_ids:
            continue
        known = logged(place)
        if known is None:
            calls = _calls(one.message)
            names |= {call.id: make() for call in calls if is_made(call, one.message)}
        else:
            names |= other_names(one.message, known)
    return names


def renamed(message: Message, names: Mapping[str, str]) -> Message:
    """Return a message with the ids that the log has for its calls and results."""
    if not names or not names.keys() & {*message.calls, *message.results}:
        return message
    return replace(message, content=tuple(_renamed(part, names) for part in message.parts))


def _calls(message: Message) -> list[ToolUsePart]:
    return [part for part in message.parts if isinstance(part, ToolUsePart)]


def _renamed(part: Part, names: Mapping[str, str]) -> Part:
    match part:
        case ToolUsePart(id=id) if id in names:
            return replace(part, id=names[id])
        case ToolResultPart(tool_use_id=id) if id in names:
            return replace(part, tool_use_id=names[id])
    return part


@dataclass(frozen=True, slots=True)
class ExchangeParts:
    """An exchange with its bodies parsed; ``sent`` is all that the model was sent.

    ``carried`` are the positions in it that the body did not write, but named by an id.
    """

    exchange: Exchange
    request: ParsedRequest
    response: ParsedResponse | None
    sent: tuple[SentMessage, ...]
    carried: range

    @property
    def answer(self) -> tuple[SentMessage, ...]:
        """Return the messages of the response."""
        return () if self.response is None else self.response.sent

    @property
    def response_ids(self) -> list[str]:
        """Return the ids under which a provider stores the request and its response."""
        given = (self.request.stored, None if self.response is None else self.response.id)
        return [id for id in given if id is not None]
