"""Exchanges: one request to a model and what came back, as a recorder hands them over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

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
"""How paths end. Their start says nothing: it depends on who is in between."""
RETRIES = "x-stainless-retry-count"
GOOD = range(200, 300)
PASSING = (408, 409, 425, 429)
"""Refusals that say nothing against the request, which is sent again as it is."""
SERVER_FAULT = 500


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer, which is None where none was seen.

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
    noticed: tuple[str, ...] = ()
    """What could not be read as it was sent, each in a sentence."""

    @property
    def purpose(self) -> Purpose:
        """Return what the request is for, which its path tells."""
        found = _ending(self.path)
        return "answer" if found is None else found[2]

    @property
    def attempts(self) -> int:
        """Return how often the client says that it has tried before."""
        said = self.headers.get(RETRIES, "")
        return int(said) if said.isdecimal() and len(said) < len(RETRIES) else 0

    @property
    def is_passing(self) -> bool:
        """Tell whether it came to nothing for a reason that lies outside of the request."""
        if self.outcome == "complete":
            return False
        told = self.status
        is_refused = told is not None and told not in GOOD and told < SERVER_FAULT
        return not is_refused or told in PASSING


def kind_of_path(path: str) -> Kind | None:
    """Return how requests to a path are written, or None where these are not to a model."""
    found = _ending(path)
    return None if found is None else found[1]


def _ending(path: str) -> tuple[str, Kind, Purpose] | None:
    try:
        bare = urlsplit(path).path.rstrip("/")
    except ValueError:
        return None
    return next((one for one in ENDINGS if bare.endswith(one[0])), None)
