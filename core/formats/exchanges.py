"""Exchanges in files: bare bodies, records of a request and its answer, and HAR files."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import Refused, not_a
from ..history.call import Call
from ..requests.exchange import GOOD, KINDS, OUTCOMES, Exchange, Kind, Outcome, kind_of_path
from ..values.frozen import thaw
from .answers import assembled
from .json_text import read_json
from .moments import read_moment
from .notes import without
from .objects import is_object
from .recognising import ANTHROPIC, recognise
from .source import Source

RECORD, BODY, LIST, ENTRY = "record", "body", "list", "entry"
"""What an exchange is read from: a record with its request, the body alone, its messages, HAR."""
OTHERS = "not-a-model-request"
NO_ANSWER = "answer-missing"
OLLAMA_ONLY = ("options", "keep_alive", "think")
TOLD = ("kind", "path", "headers", "status", "tag")
TIMINGS = "timings"
"""How long an answer took, as HAR files have it: ``wait`` until it began, then to ``receive``."""
Row = dict[str, Any]


def exchanges_in(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield what may be exchanges, with their places: lines, items of a list, entries of a HAR."""
    document = None if source.is_lines else source.document()
    match document:
        case {"log": {"entries": list(entries)}}:
            source.collector.noun = "entry"
            yield from enumerate(entries, 1)
        case _:
            yield from ((record.line, record.value) for record in source.records())


def read_exchange(value: Any, source: Source, place: int) -> Exchange | None:
    """Return the exchange that a value is; None, which is told, where it is not with a model."""
    if isinstance(value, list):
        return Exchange({"messages": value}, kind=kind_of_body({"messages": value}), source=LIST)
    if not is_object(value):
        raise not_a("exchange", value, "an object with a request or with messages")
    if is_entry(value):
        return _read_entry(value, source, place)
    if is_object(value.get("request")):
        return _read_record(value)
    return Exchange(value, kind=kind_of_body(value), source=BODY)


def is_entry(value: Any) -> bool:
    """Tell whether a value is an entry of a HAR file."""
    match value:
        case {"request": {"method": str(), "url": str()}, "response": Mapping()}:
            return True
    return False


def write_exchange(call: Call, body: Row, wire: Row) -> Any:
    """Return a call as the line it was read from; what was recorded here becomes a record."""
    answer = thaw(call.answer)
    given = {} if answer is None else {"response": answer}
    match wire.get("source"):
        case "list" if set(body) == {"messages"}:
            return body["messages"]
        case "body" if not given:
            return body
        case "record":
            return {**(wire.get("envelope") or {}), "request": body, **given}
    told = {key: wire[key] for key in TOLD if key in wire} | timings_in(wire.get("envelope"))
    return {"time": call.time, **told, "outcome": call.outcome, "request": body, **given}


def timings_in(value: Any) -> Row:
    """Return how long an answer took, by its name, where a record says it in milliseconds."""
    match value:
        case {"timings": {"wait": int() | float(), "receive": int() | float()} as timings}:
            return {TIMINGS: timings}
    return {}


def _read_record(record: Mapping[str, Any]) -> Exchange:
    """Return the exchange of a record; what it does not know is kept, to be written again."""
    request, response = record["request"], record.get("response")
    path = next((record[key] for key in ("path", "url") if isinstance(record.get(key), str)), "")
    status, tag = record.get("status"), record.get("tag")
    headers = record.get("headers")
    kept = without(record, "request", *(("response",) if response is not None else ()))
    times = (record.get(key) for key in ("t", "time", "timestamp"))
    return Exchange(
        request=request,
        response=response if is_object(response) else None,
        kind=record["kind"]
        if record.get("kind") in KINDS
        else kind_of_path(path) or kind_of_body(request),
        path=path,
        headers=_named(headers) if is_object(headers) else {},
        status=status if isinstance(status, int) and not isinstance(status, bool) else None,
        time=next((moment for time in times if (moment := read_moment(time)) is not None), None),
        outcome=_outcome(record, status),
        tag=tag if isinstance(tag, str) and tag else None,
        envelope=kept
        if is_object(response) or response is None
        else {**kept, "response": response},
        source=RECORD,
    )


def _named(headers: Mapping[Any, Any]) -> dict[str, str]:
    return {
        name.lower(): value
        for name, value in headers.items()
        if isinstance(name, str) and isinstance(value, str)
    }


def _outcome(record: Mapping[str, Any], status: object) -> Outcome:
    """Return how an exchange ended: as it says itself, or by its status."""
    if record.get("outcome") in OUTCOMES:
        said: Outcome = record["outcome"]
        return said
    if isinstance(status, int) and status not in GOOD:
        return "failed"
    return "cut" if record.get("complete") is False else "complete"


def _read_entry(entry: Mapping[str, Any], source: Source, place: int) -> Exchange | None:
    """Return the exchange of an entry of a HAR file."""
    asked, answered = entry["request"], entry["response"]
    kind = kind_of_path(asked["url"])
    posted = asked.get("postData")
    text = posted.get("text") if is_object(posted) else None
    if kind is None or not isinstance(text, str):
        source.leave_out(OTHERS, place)
        return None
    request: Any = read_json(text)
    if not is_object(request):
        raise not_a("postData", request, "an object with messages")
    status = answered.get("status")
    answer = assembled(kind, _content(answered.get("content")))
    outcome = _outcome({}, status)
    if answer.answer is None:
        source.collector.add(NO_ANSWER, place)
    elif outcome == "complete":
        outcome = answer.outcome
    return Exchange(
        request=request,
        response=answer.answer,
        kind=kind,
        path=asked["url"],
        headers=dict(_listed(asked.get("headers"))),
        status=status if isinstance(status, int) else None,
        time=read_moment(entry.get("startedDateTime")),
        outcome=outcome,
        envelope=timings_in(entry) or None,
        source=ENTRY,
    )


def _listed(headers: object) -> Iterator[tuple[str, str]]:
    for one in headers if isinstance(headers, list) else ():
        match one:
            case {"name": str(name), "value": str(value)}:
                yield name.lower(), value


def _content(content: object) -> bytes:
    """Return the bytes of a content, none where it has none: tools may leave bodies out."""
    text = content.get("text") if is_object(content) else None
    if not isinstance(text, str):
        return b""
    if is_object(content) and content.get("encoding") == "base64":
        try:
            return base64.b64decode(text)
        except (binascii.Error, ValueError):
            return b""
    return text.encode("utf-8", "surrogatepass")


def kind_of_body(body: Mapping[str, Any]) -> Kind:
    """Return how a body is written, by its shape; refuse one that has no messages."""
    if isinstance(body.get("contents"), list):
        return "gemini"
    if isinstance(body.get("messages"), list):
        if recognise(dict(body)) == ANTHROPIC:
            return "messages"
        return "ollama" if any(key in body for key in OLLAMA_ONLY) else "chat"
    if isinstance(body.get("input"), list | str) or "previous_response_id" in body:
        return "responses"
    raise Refused(
        "there are no messages in it", field="request", legal="messages, input or contents"
    )
