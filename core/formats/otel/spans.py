"""Spans: what an OpenTelemetry file says of things that took time, in whatever way it is written.

Files of the protocol nest them in resources and scopes and write attributes as lists of keys and
values; others have plain objects. Names that count up (``messages.0.role``) are lists again here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import Refused
from ...values.numbers import count_in, integer_in
from ..json_text import read_json
from ..moments import read_moment
from ..notes import without

NESTING = (
    ("resourceSpans", "scopeSpans", "spans"),
    ("resourceSpans", "instrumentationLibrarySpans", "spans"),
    ("resourceLogs", "scopeLogs", "logRecords"),
)
"""Where files of the protocol have spans, and the events that logs tell of them."""
VALUES = ("stringValue", "boolValue", "doubleValue", "bytesValue")
STARTS = ("startTimeUnixNano", "start_time", "timeUnixNano", "observedTimeUnixNano")
DEEPEST = 50
MOST_STEPS = 12
"""Levels of a value, and of a name, beyond which there is nothing to be found."""


@dataclass(frozen=True, slots=True)
class Span:
    """One thing that took time: its trace, when it began, and what is said of it."""

    trace: str
    start: int
    attributes: dict[str, Any]
    rest: dict[str, Any]
    """What else it says: its ids, its name and when it began and ended."""


def spans_of(value: object) -> Iterator[Span]:
    """Yield every span of a file or of a line."""
    match value:
        case list():
            for item in value:
                yield from spans_of(item) if not isinstance(item, list) else ()
        case {"resourceSpans": list()} | {"resourceLogs": list()}:
            for path in NESTING:
                for row in _nested(value, path):
                    yield _span(row)
        case Mapping():
            yield _span(value)


def _nested(value: Any, path: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects at the end of a path of lists."""
    if not isinstance(value, Mapping):
        return
    if not path:
        yield value
        return
    inside = value.get(path[0])
    for item in inside if isinstance(inside, list) else ():
        yield from _nested(item, path[1:])


def _span(row: Mapping[str, Any]) -> Span:
    context = row.get("context")
    around = context if isinstance(context, Mapping) else {}
    trace = row.get("traceId", around.get("trace_id", row.get("trace_id")))
    attributes = _attributes(row.get("attributes"))
    events = row.get("events")
    for event in events if isinstance(events, list) else ():
        if isinstance(event, Mapping):
            attributes = {**_attributes(event.get("attributes")), **attributes}
    start = next((moment for key in STARTS if (moment := _start(row.get(key)))), 0)
    rest = without(row, "attributes", "events")
    return Span(trace if isinstance(trace, str) else "", start, attributes, rest)


def _start(value: object) -> int:
    """Return a time by which spans can be put in order: nanoseconds, where they are told."""
    nanoseconds = count_in(value)
    if nanoseconds is not None:
        return nanoseconds
    moment = read_moment(value)
    return 0 if moment is None else moment * 1_000_000


def _attributes(given: object) -> dict[str, Any]:
    """Return attributes as an object, however they are written."""
    if isinstance(given, Mapping):
        return dict(given)
    found = {}
    for item in given if isinstance(given, list) else ():
        if isinstance(item, Mapping) and isinstance(item.get("key"), str):
            found[item["key"]] = _value(item.get("value"), 0)
    return found


def _value(given: Any, depth: int) -> Any:
    """Return the value that the protocol wraps in an object which names its type."""
    if depth > DEEPEST:
        return None
    match given:
        case {"intValue": str(digits)} if (number := integer_in(digits)) is not None:
            return number
        case {"intValue": number}:
            return number
        case {"arrayValue": {"values": list(items)}}:
            return [_value(item, depth + 1) for item in items]
        case {"arrayValue": _}:
            return []
        case {"kvlistValue": {"values": list(items)}}:
            return {
                item["key"]: _value(item.get("value"), depth + 1)
                for item in items
                if isinstance(item, Mapping) and isinstance(item.get("key"), str)
            }
        case {"kvlistValue": _}:
            return {}
        case Mapping():
            return next((given[key] for key in VALUES if key in given), None)
    return given


def as_json(value: Any) -> Any:
    """Return what a text of JSON says, or the value itself if it is none."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except Refused:
        return value


def counted(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """Return the list that names with a number after a prefix stand for."""
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if not name.startswith(f"{prefix}."):
            continue
        steps = name.removeprefix(f"{prefix}.").split(".")
        if len(steps) <= MOST_STEPS:
            _put(root, steps, value)
    found = _listed(root)
    return found if isinstance(found, list) else []


def _put(root: dict[str, Any], steps: list[str], value: Any) -> None:
    """Put a value where the steps of its name lead, unless another one stands in the way."""
    at = root
    for step in steps[:-1]:
        inside = at.setdefault(step, {})
        if not isinstance(inside, dict):
            return
        at = inside
    at.setdefault(steps[-1], value)


def _listed(value: Any, depth: int = 0) -> Any:
    """Return objects whose keys are numbers as lists."""
    if not isinstance(value, dict) or depth > DEEPEST:
        return value
    inside = {key: _listed(item, depth + 1) for key, item in value.items()}
    places = {key: place for key in inside if (place := count_in(key)) is not None}
    if inside and len(places) == len(inside):
        return [inside[key] for key in sorted(inside, key=places.__getitem__)]
    return inside
