"""What is kept with a call beside its fields: notes of the recorder, and the provider's answer.

Both are somebody's JSON: whatever has another shape than expected is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.tokens import counter_named
from ctxtui.core.errors import Refused
from ctxtui.core.formats.bodies import BodyReader, rewritten
from ctxtui.core.formats.requests import timings_in
from ctxtui.core.requests.exchange import KINDS, RETRIES, Exchange, RemovedSecrets
from ctxtui.core.values.frozen import thaw
from ctxtui.core.values.numbers import count_in
from ctxtui.models.call_path import RecordedCall

DIAGNOSES = (
    ("diagnostics", "cache_miss_reason"),
    ("prompt_cache_diagnostics",),
    ("usage", "prompt_cache_diagnostics"),
)
"""Where a provider says itself why its cache missed."""
LONGEST = 365 * 24 * 3_600_000


class NotedCache(NamedTuple):
    """What the recorder's strict ruler found: see ``core.requests.cache``."""

    messages: int
    tokens: int
    total: int
    place: int | None
    """The call that began the same way, by its place among all recorded ones."""
    cause: str | None
    parted: int | None
    """How many messages at the start were written as in the call before, where one was not."""
    changed: tuple[str, ...]
    markers: tuple[int, ...]


class Took(NamedTuple):
    """How long an answer took until it began and until it ended, in milliseconds."""

    first: int
    whole: int


def note(call: Call, name: str) -> Any:
    """Return a note of the recorder, or None."""
    return None if call.wire is None else call.wire.get(name)


def removed_of(call: Call) -> RemovedSecrets:
    """Return what was removed from a call before it was stored."""
    return RemovedSecrets.of(note(call, "removed"))


def noted_cache(call: Call) -> NotedCache | None:
    """Return what the recorder measured with its strict ruler, where it did."""
    match note(call, "cache"):
        case {"messages": int(messages), "tokens": int(tokens), "total": int(total), **rest}:
            place, cause, parted = rest.get("call"), rest.get("cause"), rest.get("parted")
            return NotedCache(
                messages,
                tokens,
                max(tokens, total),
                place if isinstance(place, int) else None,
                cause if isinstance(cause, str) else None,
                parted if isinstance(parted, int) else None,
                tuple(one for one in _items(rest.get("changed")) if isinstance(one, str)),
                tuple(one for one in _items(rest.get("markers")) if isinstance(one, int)),
            )
    return None


def _items(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def took(call: Call) -> Took | None:
    """Return how long the answer to a call took, where that was measured."""
    match timings_in(note(call, "envelope")):
        case {"timings": {"wait": wait, "receive": receive}} if wait >= 0 and receive >= 0:
            return Took(_whole(wait), _whole(wait) + _whole(receive))
    return None


def _whole(milliseconds: float) -> int:
    """Return a time that somebody wrote down in whole milliseconds, at most a year of them."""
    return round(min(milliseconds, LONGEST))


def path_of(call: Call) -> str | None:
    """Return where the request was sent to, without a query."""
    said = note(call, "path")
    return said.partition("?")[0] or None if isinstance(said, str) else None


def attempts(call: Call) -> int:
    """Return how often the client says that it had tried before."""
    headers = note(call, "headers")
    return (count_in(headers.get(RETRIES)) or 0) if isinstance(headers, Mapping) else 0


def finish_of(answer: object) -> str | None:
    """Return why an answer ended, as its provider says; None where it doesn't."""
    match answer:
        case {"choices": [{"finish_reason": str(said)}, *_]}:
            return said
        case {"stop_reason": str(said)} | {"candidates": [{"finishReason": str(said)}, *_]}:
            return said
        case {"incomplete_details": {"reason": str(said)}} | {"done_reason": str(said)}:
            return said
        case {"object": "response", "status": str(said)}:
            return said
    return None


def refusal_of(answer: object) -> str | None:
    """Return what a provider said instead of an answer."""
    match answer:
        case {"error": {"message": str(said)}} | {"error": str(said)}:
            return said
    return None


def diagnosis_of(answer: object) -> str | None:
    """Return what a provider itself says of why its cache missed; as JSON where it is no text."""
    for way in DIAGNOSES:
        value = answer
        for key in way:
            value = value.get(key) if isinstance(value, Mapping) else None
        if value:
            return value if isinstance(value, str) else json.dumps(thaw(value), ensure_ascii=False)
    return None


def output_tokens(call: Call, counter: str) -> int | None:
    """Return the tokens of an answer as they are counted here; None where none is known."""
    kind, answer = note(call, "kind"), thaw(call.answer)
    if kind not in KINDS or not isinstance(answer, Mapping):
        return None
    try:
        found = BodyReader().parse_response(Exchange({}, answer, kind))
    except Refused:
        return None
    count = counter_named(counter).count
    return sum(count(one.message) for one in found.sent) if found and found.sent else None


def body_of(one: RecordedCall) -> Mapping[str, Any] | None:
    """Return the body of a request as it was sent; it takes as long as all calls before it."""
    conversation = one.path.conversation
    return next((body for call, body, _ in rewritten(conversation) if call is one.call), None)
