"""Exchanges in files: bare bodies, records of a request and its answer, and HAR files."""

from __future__ import annotations

import base64
import binascii
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..conversation.conversation import Conversation
from ..engine.calls import Call
from ..engine.meta_fields import FIELDS
from ..engine.operations import Append, DescribeMeta
from ..errors import Refused, wrong_type
from ..requests.exchange import KINDS, OUTCOMES, SUCCESS, Exchange, Kind, Outcome, kind_of_path
from ..values.frozen import freeze, freeze_object, thaw
from .base import Confidence, Format, Layout, Loaded, Written
from .bodies import BodyReader, assembled, exchanges_of, rewritten, unread_warnings
from .detection import ANTHROPIC, FIRST, detect_kind
from .fields import is_object, read_timestamp
from .format_metadata import without
from .json_text import dump_json, read_json
from .openai import write_chat
from .source import Source, SourceSample
from .warnings import FormatWarning, WarningCollector, without_values

if TYPE_CHECKING:
    from ..requests.recording import Recorder

RECORD, BODY, LIST, ENTRY = "record", "body", "list", "entry"
"""What an exchange is read from: a record with its request, the body alone, its messages, HAR."""
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
    """Return the exchange that a value is; None, with a warning, if it is not with a model."""
    if isinstance(value, list):
        return Exchange({"messages": value}, kind=kind_of_body({"messages": value}), source=LIST)
    match value:
        case {"request": {"method": str(), "url": str()}, "response": Mapping()}:
            return _read_entry(value, source, place)
        case {"request": Mapping()}:
            return _read_record(value)
        case Mapping():
            return Exchange(value, kind=kind_of_body(value), source=BODY)
    raise wrong_type("exchange", value, "an object with a request or with messages")


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
    known = {key: wire[key] for key in TOLD if key in wire} | timings_in(wire.get("envelope"))
    return {"time": call.time, **known, "outcome": call.outcome, "request": body, **given}


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
        time=next((moment for time in times if (moment := read_timestamp(time)) is not None), None),
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
    if isinstance(status, int) and status not in SUCCESS:
        return "failed"
    return "cut" if record.get("complete") is False else "complete"


def _read_entry(entry: Mapping[str, Any], source: Source, place: int) -> Exchange | None:
    asked, answered = entry["request"], entry["response"]
    kind = kind_of_path(asked["url"])
    posted = asked.get("postData")
    text = posted.get("text") if is_object(posted) else None
    if kind is None or not isinstance(text, str):
        source.leave_out("not-a-model-request", place)
        return None
    request: Any = read_json(text)
    if not is_object(request):
        raise wrong_type("postData", request, "an object with messages")
    status = answered.get("status")
    answer = assembled(kind, _content(answered.get("content")))
    outcome = _outcome({}, status)
    if answer.answer is None:
        source.collector.add("answer-missing", place)
    elif outcome == "complete":
        outcome = answer.outcome
    return Exchange(
        request=request,
        response=answer.answer,
        kind=kind,
        path=asked["url"],
        headers=dict(_listed(asked.get("headers"))),
        status=status if isinstance(status, int) else None,
        time=read_timestamp(entry.get("startedDateTime")),
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
        if detect_kind(dict(body)) == ANTHROPIC:
            return "messages"
        return "ollama" if any(key in body for key in OLLAMA_ONLY) else "chat"
    if isinstance(body.get("input"), list | str) or "previous_response_id" in body:
        return "responses"
    raise Refused(
        "there are no messages in it", field="request", legal="messages, input or contents"
    )


LEFT_OUT = "request-unreadable"
HOLDERS = ("messages", "contents", "input")
ANSWERING = ("assistant", "model")
ReadExchanges = Callable[[Source], Iterator[tuple[int, Exchange | Refused]]]
Record = tuple[int, int, Any]
"""When a request was sent, its number among those recorded with it, and what is written."""


class Requests(Format):
    """Successive bodies, records of request and answer, or a HAR file.

    Conversations are separated and each request explained by operations; all that was sent can be
    written again, in the order of time, whatever thread it is of.
    """

    name = "requests"
    about = "requests as an agent sent them, one in each line, or a HAR file"
    lies_mixed = True
    suffixes = (".requests.jsonl",)
    kinds = ("recorded requests",)
    signs = (
        {"method": str, "request": dict},
        {"request": {"messages": list}},
        {"request": {"contents": list}},
        {"request": {"model": str, "input": object}},
        {"log": {"entries": list, "version": str}},
    )

    def confidence(self, sample: SourceSample) -> Confidence:
        """Return whether there are records of requests, or bodies that go on from each other."""
        items = sample.items
        if not sample.is_lines and items and isinstance(items[0], list):
            items = tuple(items[0][:FIRST])
        if any(detect_kind(item) in self.kinds for item in items if is_object(item)):
            return Confidence.LIKELY
        # As requests of a run do, one of the bodies continues the one before.
        goes_on = any(
            0 < len(before) < len(after) and after[: len(before)] == before
            for before, after in pairwise(map(_rows, items))
        )
        return Confidence.CERTAIN if goes_on or _is_run(items) else Confidence.NO

    def read(self, source: Source) -> Iterator[Loaded]:
        yield from read_threads(self.name, source, read_exchanges)

    def write(self, conversation: Conversation) -> Written:
        records, adapted = _records(conversation)
        return Written(
            [value for *_, value in sorted(records, key=lambda one: one[:2])], adapted, Layout.ITEMS
        )

    def write_all(
        self, conversations: Iterable[Conversation], layout: Layout, warnings: WarningCollector
    ) -> Iterator[str]:
        """Yield the requests of all conversations in the order of time, one in each line."""
        every: list[Record] = []
        for number, conversation in enumerate(conversations, 1):
            records, adapted = _records(conversation)
            every += records
            for warning in adapted:
                warnings.include(warning, number)
        yield from (f"{dump_json(value)}\n" for *_, value in sorted(every, key=lambda one: one[:2]))


def read_threads(
    name: str, source: Source, exchanges: ReadExchanges, *, is_log: bool = False
) -> Iterator[Loaded]:
    """Yield a conversation for each thread of some exchanges.

    Of a log, what it says around each request is kept as other fields, and the last answer of a
    thread is a message, although no request has sent it back.
    """
    from ..requests.recording import Recorder  # noqa: PLC0415 - quicker start

    recorder, around = Recorder(BodyReader()), dict[int, Row]()
    first: Refused | None = None
    for place, exchange in exchanges(source):
        try:
            if isinstance(exchange, Refused):
                raise exchange
            bare = replace(exchange, envelope=None) if is_log else exchange
            number = recorder.record(bare).number
            if is_log and exchange.envelope:
                around[number] = dict(exchange.envelope)
        except Refused as refusal:
            first = first or refusal.prefixed(f"{source.collector.noun} {place}")
            source.leave_out(LEFT_OUT, place, without_values(refusal))
    if not recorder.threads and first is not None:
        raise first
    recorder = _revised(recorder, source, exchanges)
    for thread in recorder.threads:
        conversation = recorder.conversation(thread.id)
        if conversation is not None:
            if is_log:
                _add_fields(conversation, around)
                _add_answer(conversation)
            yield Loaded(conversation, name, (), Layout.ITEMS, thread.id + 1)


RECORDS = "records"
"""The field of what a log says around each request of a conversation."""


def _add_fields(conversation: Conversation, around: Mapping[int, Row]) -> None:
    wires = (call.wire for call in conversation.calls.all)
    numbers = [wire.get("number") for wire in wires if wire is not None]
    said = [around[number] for number in numbers if type(number) is int and number in around]
    if said:
        fields = {FIELDS: {RECORDS: storable_values(said)}}
        conversation.execute(DescribeMeta(meta=freeze_object(fields, "meta")))


def storable_values(values: list[Row]) -> list[Row]:
    """Return the values that are not nested more deeply than anything is stored."""
    found = []
    for value in values:
        with suppress(Refused):
            freeze([[[value]]], FIELDS)
            found.append(value)
    return found


def _add_answer(conversation: Conversation) -> None:
    """Append the answer to the last call, as a next request would send it."""
    calls = conversation.calls.all
    last = deque(exchanges_of(conversation), 1).pop() if calls else None
    if last is None or calls[-1].revision != conversation.current.id:
        return
    answer = BodyReader().parse_response(last)
    if answer is not None and answer.sent:
        conversation.execute(Append(messages=[one.message for one in answer.sent]))


def read_exchanges(source: Source) -> Iterator[tuple[int, Exchange | Refused]]:
    """Yield the exchanges of a source, or why one is none."""
    for place, value in exchanges_in(source):
        try:
            exchange = read_exchange(value, source, place)
        except Refused as refusal:
            yield place, refusal
        else:
            if exchange is not None:
                yield place, exchange


def _revised(recorder: Recorder, source: Source, exchanges: ReadExchanges) -> Recorder:
    """Return a recorder whose threads are judged with all that was recorded later."""
    talks = ((thread, recorder.conversation(thread.id)) for thread in recorder.threads)
    is_told = all(
        talk is None or talk.meta.get("requests") == thread.to_dict() for thread, talk in talks
    )
    table, bodies = recorder.revised, BodyReader()
    if is_told and table == recorder.table:
        return recorder
    from ..requests.recording import record_again  # noqa: PLC0415 - quicker start

    readable = []
    for _, exchange in exchanges(source):
        try:
            if isinstance(exchange, Exchange):
                bodies.parse_request(exchange)
                readable.append(exchange)
        except Refused:
            continue
    return record_again(bodies, readable, table)


def _records(conversation: Conversation) -> tuple[list[Record], tuple[FormatWarning, ...]]:
    """Return what is written of a conversation, and what could not be."""
    records: list[Record] = []
    odd: dict[FormatWarning, None] = {}
    for call, body, wire, _ in rewritten(conversation):
        records.append((call.time, wire.get("number", 0), write_exchange(call, body, wire)))
        odd.update(dict.fromkeys(unread_warnings(wire)))
    if records:
        return records, tuple(odd)
    rows, adapted = write_chat(zip(conversation.view, conversation.visible, strict=True))
    return [(0, 0, {"messages": rows})], (FormatWarning("no-request-recorded"), *adapted)


def _is_run(items: Iterable[Any]) -> bool:
    """Return whether some bodies are of one conversation, however each wrote and changed it.

    A request asks for an answer: a data set, which may well hold a conversation twice, ends with
    one.
    """
    bodies = [body for body in items if is_object(body) and _asks(body)]
    if len(bodies) < 2:  # noqa: PLR2004 - a pair
        return False
    from ..requests.recording import Recorder  # noqa: PLC0415 - quicker start

    recorder = Recorder(BodyReader())
    for body in bodies:
        try:
            recorded = recorder.record(Exchange(body, kind=kind_of_body(body)))
        except Refused:
            continue
        if recorded.call and not recorded.thread.is_side:
            return True
    return False


def _asks(body: Mapping[str, Any]) -> bool:
    rows = _rows(body)
    return bool(rows) and is_object(rows[-1]) and rows[-1].get("role") not in ANSWERING


def _rows(item: Any) -> list[Any]:
    """Return the messages of a body or of a bare list; none where it is no request."""
    if isinstance(item, list):
        return item if all(is_object(row) and "role" in row for row in item) else []
    if not isinstance(item, Mapping) or not ("model" in item or "contents" in item):
        return []
    found: list[Any] = next((item[key] for key in HOLDERS if isinstance(item.get(key), list)), [])
    return found
