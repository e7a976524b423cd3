"""Exchanges: one request to a model with its response, as they were recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from ..values.numbers import count_in

Kind = Literal["chat", "responses", "messages", "gemini", "ollama"]
"""How a request is written: the shape of its body and of its answer."""
Outcome = Literal["complete", "cut", "failed"]
Purpose = Literal["answer", "count", "compact"]
"""What a request is for: to be answered, to be counted, or to be made shorter."""

KINDS: tuple[Kind, ...] = ("chat", "responses", "messages", "gemini", "ollama")
OUTCOMES: tuple[Outcome, ...] = ("complete", "cut", "failed")
ENDINGS: tuple[tuple[str, Kind, Purpose], ...] = (
    ("/chat/completions", "chat", "answer"),
    ("/responses", "responses", "answer"),
    ("/responses/compact", "responses", "compact"),
    ("/responses/input_tokens", "responses", "count"),
    ("/messages", "messages", "answer"),
    ("/messages/count_tokens", "messages", "count"),
    (":generateContent", "gemini", "answer"),
    (":streamGenerateContent", "gemini", "answer"),
    (":countTokens", "gemini", "count"),
    ("/api/chat", "ollama", "answer"),
)
"""How paths end. Their start depends on the servers in between."""
RETRIES = "x-stainless-retry-count"
SUCCESS = range(200, 300)
MAX_PATHS = 100
"""Removed secrets of one call whose places are stored; others are only counted."""
TRANSIENT_STATUSES = (408, 409, 425, 429)
"""Refusals after which the same request is sent again."""
SERVER_FAULT = 500
LOST_THREADS = ("thread_not_found", "thread_unsupported_request")
"""Refusals of a message thread, after which clients send all of it again."""


class RemovedSecrets(NamedTuple):
    """How many secrets were removed from a call, and the places of the first ones."""

    total: int = 0
    paths: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything was removed."""
        return self.total > 0

    def plus(self, path: str) -> RemovedSecrets:
        """Return it with one more place, which counts once."""
        if path in self.paths:
            return self
        if len(self.paths) >= MAX_PATHS:
            return RemovedSecrets(self.total + 1, self.paths)
        return RemovedSecrets(self.total + 1, (*self.paths, path))

    def and_of(self, other: RemovedSecrets) -> RemovedSecrets:
        """Return the sum of both."""
        paths = tuple(dict.fromkeys((*self.paths, *other.paths)))
        both = self.total + other.total - (len(self.paths) + len(other.paths) - len(paths))
        return RemovedSecrets(both, paths[:MAX_PATHS])

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {"count": self.total, "paths": list(self.paths)}

    @classmethod
    def of(cls, value: object) -> RemovedSecrets:
        """Return it from JSON; nothing if that has another shape."""
        match value:
            case {"count": int(count), "paths": list() | tuple() as paths} if count > 0:
                return cls(count, tuple(one for one in paths if isinstance(one, str)))
        return cls()


NOTHING_REMOVED = RemovedSecrets()


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response, which is None if there was none.

    ``headers`` have lower-case names. ``time`` is in milliseconds, ``tag`` the name a user gave the
    conversation. ``envelope`` is what else the record held that this was read from, and ``source``
    what kind of record that was. ``id`` is a name that no other exchange has, if it has one.
    """

    request: Mapping[str, Any]
    response: Mapping[str, Any] | None = None
    kind: Kind = "chat"
    path: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None
    time: int | None = None
    outcome: Outcome = "complete"
    tag: str | None = None
    envelope: Mapping[str, Any] | None = None
    source: str | None = None
    id: str | None = None
    warnings: tuple[Mapping[str, Any], ...] = ()
    """What could not be read as it was sent: warnings of ``core.formats.warnings`` as JSON."""
    removed: RemovedSecrets = NOTHING_REMOVED
    """The secrets that are not in it any more."""

    @property
    def purpose(self) -> Purpose:
        """Return what the request is for, by its path."""
        found = _ending(self.path)
        return "answer" if found is None else found[2]

    @property
    def attempts(self) -> int:
        """Return how often the client has tried before."""
        return count_in(self.headers.get(RETRIES)) or 0

    @property
    def is_transient(self) -> bool:
        """Return whether it failed for a reason that is not in the request."""
        if self.outcome == "complete":
            return False
        status = self.status
        match self.response:
            case {"error": {"details": {"error_code": str(code)}}} if code in LOST_THREADS:
                return True
        is_refused = status is not None and status not in SUCCESS and status < SERVER_FAULT
        return not is_refused or status in TRANSIENT_STATUSES


def kind_of_path(path: str) -> Kind | None:
    """Return the kind of requests to a path, or None if they are no model calls."""
    found = _ending(path)
    return None if found is None else found[1]


def _ending(path: str) -> tuple[str, Kind, Purpose] | None:
    try:
        bare = urlsplit(path).path.rstrip("/")
    except ValueError:
        return None
    return next((one for one in ENDINGS if bare.endswith(one[0])), None)
