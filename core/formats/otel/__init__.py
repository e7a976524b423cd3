"""OpenTelemetry traces: of each conversation the longest request, and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...conversation.conversation import Conversation
from ...errors import Refused
from ..base import Layout, Loaded, ReadOnly, Sureness
from ..each import LEFT_OUT
from ..notes import Notes
from ..recognising import TELEMETRY, recognise
from ..source import NO_OBJECTS, Sample, Source
from ..tools import META_KEY, ToolShape
from ..warnings import without_values
from .messages import MessageReader
from .requests import Request, is_request, read_request
from .spans import spans_of

TOOLS = ToolShape("otel", type="function")
NO_CONTENT = "request-without-content"
OTHER_ANSWERS = "other-answers-left-out"


class Telemetry(ReadOnly):
    """Spans in any order, with attributes of GenAI, OpenLLMetry, pydantic-ai or OpenInference.

    A conversation is what shares an id, or else a trace, and an agent; its other attributes are
    other fields.
    """

    name = "otel"
    about = "OpenTelemetry traces with the content of requests"
    kinds = (TELEMETRY,)

    def sureness(self, sample: Sample) -> Sureness:
        """Tell whether there are spans."""
        found = any(recognise(item) == TELEMETRY for item in sample.items)
        return Sureness.LOOKS_LIKE if found else Sureness.NO

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield each conversation, after the last span was seen, since they have no order."""
        lanes: dict[tuple[str, str], _Lane] = {}
        silent = 0
        for line, value in source.records():
            if not isinstance(value, Mapping | list):
                source.leave_out(NO_OBJECTS, line)
            for span in spans_of(value):
                if not is_request(span):
                    continue
                request = read_request(span)
                if request is None:
                    silent += 1
                    source.collector.add(NO_CONTENT, line)
                else:
                    lanes.setdefault(request.lane, _Lane()).add(request)
        if not lanes:
            raise _nothing(silent)
        yield from self._conversations(source, lanes)

    def _conversations(
        self, source: Source, lanes: Mapping[tuple[str, str], _Lane]
    ) -> Iterator[Loaded]:
        first: Refused | None = None
        found = False
        in_order = sorted(lanes.items(), key=lambda one: min(one[1].starts))
        for place, ((id, _), lane) in enumerate(in_order, 1):
            try:
                loaded = lane.loaded(id, place)
            except Refused as refusal:
                first = first or refusal
                source.collector.add(LEFT_OUT, None, without_values(refusal))
            else:
                found = True
                yield loaded
        if not found and first is not None:
            raise first


def _nothing(silent: int) -> Refused:
    """Return the refusal of traces that tell nothing of what was said."""
    if silent:
        said = f"the traces have {silent:,} requests, but not what was said in them"
        return Refused(f"{said}; recording content is a setting of the program that was traced")
    return Refused("the traces have no requests to a model", field="format")


@dataclass(slots=True)
class _Lane:
    """The requests of one conversation, of which only the best is held."""

    best: Request | None = None
    starts: list[int] = field(default_factory=list)

    def add(self, request: Request) -> None:
        """Take a request in: the longest is the best, of equally long ones the last."""
        self.starts.append(request.start)
        if self.best is None or _rank(request) >= _rank(self.best):
            self.best = request

    def loaded(self, id: str, place: int) -> Loaded:
        """Return the conversation: what was sent, and the first answer."""
        best = self.best
        assert best is not None
        reader = MessageReader()
        messages = reader.read([*best.sent, *best.answers[:1]])
        if not messages:
            raise Refused("no message of the request can be read", field="messages")
        warnings = reader.warnings
        if len(best.answers) > 1:
            warnings.count(OTHER_ANSWERS, len(best.answers) - 1)
        if len(self.starts) > 1:
            warnings.count("longest-request-read", len(self.starts))
        meta = {**Notes("otel").beside({}, best.facts), **({"title": id} if id else {})}
        if best.tools:
            meta[META_KEY] = TOOLS.read(best.tools)
        talk = Conversation(messages, meta=meta)
        return Loaded(talk, Telemetry.name, warnings.found(), Layout.LIST, place)


def _rank(request: Request) -> tuple[int, int]:
    return len(request.sent), request.start
