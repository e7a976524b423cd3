"""The one interface of all kinds of bodies: where messages stand, and how each is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ..engine.messages import DataPart, Message
from ..errors import Refused
from ..requests.bodies import MESSAGES, PROMPT, Hints
from ..requests.exchange import Exchange, Kind
from ..values.frozen import thaw
from .fields import ROLES
from .json_text import dump_json, read_json
from .notes import Notes

MOST_TOKENS = 2**40
"""More than any provider counts; what is beyond is a mistake."""
Body = Mapping[str, Any]
Row = dict[str, Any]


class GivenForm(NamedTuple):
    """The rows of one message, and whether they stood in the list or were the prompt before it."""

    rows: list[Any]
    place: str = MESSAGES


class Split(NamedTuple):
    """A body: its messages, how they were held where that is not usual, and what is beside them."""

    given: list[GivenForm]
    form: Row
    beside: Row


class RequestCodec(ABC):
    """How requests of one kind are written; a prompt is a message that stands before the list."""

    kind: ClassVar[Kind]

    @abstractmethod
    def split(self, body: Body) -> Split:
        """Return the messages of a body; refuse what has none."""

    @abstractmethod
    def joined(self, given: Sequence[GivenForm], form: Body) -> Row:
        """Return the keys of a body that hold its messages: what ``split`` took out."""

    @abstractmethod
    def read(self, given: GivenForm) -> Message:
        """Return one message, read on its own, or refuse it."""

    @abstractmethod
    def write(self, message: Message, place: str) -> list[Any]:
        """Return the rows of one message."""

    @abstractmethod
    def answer(self, response: Body) -> list[GivenForm]:
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

    def needs_others(self, given: GivenForm) -> bool:
        """Tell whether a message can only be read among those around it."""
        return False

    def read_all(self, given: Sequence[GivenForm]) -> list[Message]:
        """Return messages read together, as those without ids must be; none if one is bad."""
        return []


def number(value: Body | None, *steps: str) -> int | None:
    """Return a count that stands somewhere in an object, or None."""
    found: Any = value
    for step in steps:
        found = found.get(step) if isinstance(found, Mapping) else None
    is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found < MOST_TOKENS
    return found if is_count else None


def prompt_of(given: Sequence[GivenForm]) -> Any:
    """Return what stands before the list of messages, or None."""
    return next((one.rows[0] for one in given if one.place == PROMPT), None)


def rows_of(given: Sequence[GivenForm]) -> list[Any]:
    """Return the list of messages."""
    return [row for one in given if one.place == MESSAGES for row in one.rows]


SESSIONS = ("x-claude-code-session-id", "session-id", "session_id", "x-opencode-session")
AGENT = "x-claude-code-agent-id"


def hints_of(exchange: Exchange) -> Hints:
    """Return tag, session and agent. A key for the prompt cache is none: several may share it."""
    headers = exchange.headers
    session = next((headers[name] for name in SESSIONS if headers.get(name)), None)
    return Hints(exchange.tag, session or _user_session(exchange.request), headers.get(AGENT))


def previous_of(request: Mapping[str, Any]) -> str | None:
    """Return the response, or the stored conversation, that a request goes on from."""
    before = request.get("previous_response_id")
    return before if isinstance(before, str) and before else stored_of(request)


def stored_of(request: Mapping[str, Any]) -> str | None:
    """Return the id of the conversation that a provider keeps."""
    stored = request.get("conversation")
    id = stored.get("id") if isinstance(stored, Mapping) else stored
    return id if isinstance(id, str) and id else None


def after_of(request: Mapping[str, Any]) -> str | None:
    """Return the answer that a request wants to be compared with, which came before it."""
    match request:
        case {"diagnostics": {"previous_message_id": str(id)}}:
            return id
        case {"prompt_cache_options": {"comparison_response_id": str(id)}}:
            return id
    return None


def _user_session(request: Mapping[str, Any]) -> str | None:
    """Return the session that a user id holds: as JSON, or behind a word in an older one."""
    metadata = request.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, Mapping) else None
    if not isinstance(user, str):
        return None
    if not user.startswith("{"):
        return user.partition("_session_")[2] or None
    try:
        told = read_json(user)
    except Refused:
        return None
    session = told.get("session_id") if isinstance(told, Mapping) else None
    return session if isinstance(session, str) and session else None


NOTES = Notes("requests")


def kept(rows: list[Any]) -> Message:
    """Return a message that holds rows as they are."""
    try:
        return _message(rows, {"rows": rows})
    except Refused:
        return _message(rows, {"json": dump_json(rows)})  # Nested deeper than data may be.


def _message(rows: list[Any], data: dict[str, Any]) -> Message:
    first = rows[0] if rows else None
    role = first.get("role") if isinstance(first, Mapping) else None
    part = {"type": "data", "data": data, "metadata": {NOTES.key: {"unread": True}}}
    known = ROLES.get(role, "user") if isinstance(role, str) else "user"
    return Message.from_dict({"role": known, "content": [part]})


def rows_in(message: Message) -> list[Any] | None:
    """Return the rows that a message was kept for, or None for any other."""
    part = message.parts[0]
    if not isinstance(part, DataPart) or not NOTES.of(part.metadata).get("unread"):
        return None
    if "json" in part.data:
        rows: Any = read_json(part.data["json"])
        return rows if isinstance(rows, list) else None
    rows = thaw(part.data.get("rows"))
    return rows if isinstance(rows, list) else None
