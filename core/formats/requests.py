"""Requests that an agent really sent: one conversation a lane, one call a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from ..conversation.conversation import Conversation
from ..errors import Refused
from ..requests.exchange import Exchange
from ..requests.recording import Recorder, record_again
from .base import Format, Layout, Loaded, Sureness, Written
from .bodies.reading import BodyReader
from .bodies.writing import rewritten, unread
from .chat import write_chat
from .exchanges import exchanges_in, kind_of_body, read_exchange, write_exchange
from .json_text import dump_json
from .objects import is_object
from .recognising import FIRST, REQUESTS, recognise
from .source import Sample, Source
from .warnings import FormatWarning, WarningCollector, without_values

LEFT_OUT = "request-unreadable"
NOT_RECORDED = "no-request-recorded"
HOLDERS = ("messages", "contents", "input")
ANSWERING = ("assistant", "model")
Record = tuple[int, int, Any]
"""When a request was sent, its number among those recorded with it, and what is written."""


class Requests(Format):
    """Successive bodies, records of request and answer, or a HAR file.

    Conversations are told apart and each request explained by operations; all that was sent can be
    written again, whatever lanes it came from, in the order of time.
    """

    name = "requests"
    about = "requests as an agent sent them, one in each line, or a HAR file"
    lies_mixed = True
    suffixes = (".requests.jsonl",)
    kinds = (REQUESTS,)

    def sureness(self, sample: Sample) -> Sureness:
        """Tell whether there are records of requests, or bodies that go on from each other."""
        items = sample.items
        if not sample.is_lines and isinstance(items[0], list):
            items = tuple(items[0][:FIRST])
        if any(recognise(item) == REQUESTS for item in items if is_object(item)):
            return Sureness.LOOKS_LIKE
        return Sureness.CERTAIN if _go_on(items) or _is_run(items) else Sureness.NO

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield the conversation of each lane, after the last request was read."""
        recorder = Recorder(BodyReader())
        first: Refused | None = None
        for place, exchange in read_exchanges(source):
            try:
                if isinstance(exchange, Refused):
                    raise exchange
                recorder.record(exchange)
            except Refused as refusal:
                first = first or refusal.inside(f"{source.collector.noun} {place}")
                source.leave_out(LEFT_OUT, place, without_values(refusal))
        if not recorder.lanes and first is not None:
            raise first
        yield from self._loaded(_told_in_full(recorder, source))

    def write(self, conversation: Conversation) -> Written:
        """Return the requests of one conversation, in the order of time."""
        records, adapted = _records(conversation)
        return Written([value for *_, value in sorted(records, key=_when)], adapted, Layout.ITEMS)

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
        yield from (f"{dump_json(value)}\n" for *_, value in sorted(every, key=_when))

    def _loaded(self, recorder: Recorder) -> Iterator[Loaded]:
        for lane in recorder.lanes:
            conversation = recorder.conversation(lane.id)
            if conversation is not None:
                yield Loaded(conversation, self.name, (), Layout.ITEMS, lane.id + 1)


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


def _told_in_full(recorder: Recorder, source: Source) -> Recorder:
    """Return a recorder whose conversations say what was only found out after they had begun."""
    talks = ((lane, recorder.conversation(lane.id)) for lane in recorder.lanes)
    is_told = all(
        talk is None or talk.meta.get("requests") == lane.to_dict() for lane, talk in talks
    )
    if is_told:
        return recorder
    table, bodies = recorder.table, BodyReader()
    readable = []
    for _, exchange in read_exchanges(source):
        try:
            if isinstance(exchange, Exchange):
                bodies.asked(exchange)
                readable.append(exchange)
        except Refused:
            continue
    return record_again(bodies, readable, table)


def _records(conversation: Conversation) -> tuple[list[Record], tuple[FormatWarning, ...]]:
    """Return what is written of a conversation, and what could not be."""
    records: list[Record] = []
    odd: dict[FormatWarning, None] = {}
    for call, body, wire in rewritten(conversation):
        records.append((call.time, wire.get("number", 0), write_exchange(call, body, wire)))
        odd.update(dict.fromkeys(unread(wire)))
    if records:
        return records, tuple(odd)
    rows, adapted = write_chat(zip(conversation.view, conversation.visible, strict=True))
    return [(0, 0, {"messages": rows})], (FormatWarning(NOT_RECORDED), *adapted)


def _when(record: Record) -> tuple[int, int]:
    return record[:2]


def _go_on(items: Iterable[Any]) -> bool:
    """Tell whether one of some bodies goes on from the one before, as requests of a run do."""
    return any(
        0 < len(before) < len(after) and after[: len(before)] == before
        for before, after in pairwise(map(_rows, items))
    )


def _is_run(items: Iterable[Any]) -> bool:
    """Tell whether some bodies are of one conversation, however each wrote and changed it.

    A request asks for an answer: a data set, which may well hold a conversation twice, ends with
    one.
    """
    bodies = [body for body in items if is_object(body) and _asks(body)]
    recorder = Recorder(BodyReader())
    for body in bodies if len(bodies) > 1 else ():
        try:
            recorded = recorder.record(Exchange(body, kind=kind_of_body(body)))
        except Refused:
            continue
        if recorded.call and not recorded.lane.is_side:
            return True
    return False


def _asks(body: Mapping[str, Any]) -> bool:
    """Tell whether a body ends with something to be answered."""
    rows = _rows(body)
    return bool(rows) and is_object(rows[-1]) and rows[-1].get("role") not in ANSWERING


def _rows(item: Any) -> list[Any]:
    """Return the messages of a body, or those that stand alone; none where it is no request."""
    if isinstance(item, list):
        return item if all(is_object(row) and "role" in row for row in item) else []
    if not isinstance(item, Mapping) or not ("model" in item or "contents" in item):
        return []
    found: list[Any] = next((item[key] for key in HOLDERS if isinstance(item.get(key), list)), [])
    return found
