"""Reads bodies; a message that was written in the same way before is not read again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeGuard, TypeVar

from ..conversation.conversation import Conversation
from ..engine.calls import Call
from ..engine.messages import Message
from ..errors import Refused, wrong_type
from ..requests.bodies import (
    MESSAGES,
    PROMPT,
    ParsedRequest,
    ParsedResponse,
    SentMessage,
    digest,
    dumped,
    may_have_markers,
    without_markers,
)
from ..requests.exchange import KINDS, Exchange, Kind
from ..values.frozen import thaw
from ..values.patches import Patch, is_patch, patched
from . import request_codecs
from .anthropic import MessagesCodec
from .gemini import GeminiCodec
from .notes import without
from .openai import ChatCodec, OllamaCodec
from .request_codecs import GivenForm, RequestCodec, Row, after_of, hints_of, previous_of, stored_of
from .responses import ResponsesCodec
from .warnings import FormatWarning, read_warnings

WIRES: dict[Kind, RequestCodec] = {
    wire.kind: wire
    for wire in (ChatCodec(), ResponsesCodec(), MessagesCodec(), GeminiCodec(), OllamaCodec())
}
MOST_SHARED = 200_000
"""Messages that are remembered, so that a run of any length has an end to what it takes."""
MODEL_IN_PATH = re.compile(r"/models/([^/:?]+):")
IN_PATH = {"model": "path"}


class BodyReader:
    """Reads requests and answers of all kinds; what it has read before it shares."""

    def __init__(self) -> None:
        self._known: dict[tuple[Kind, str], dict[bytes, SentMessage]] = {}

    def parse_request(self, exchange: Exchange) -> ParsedRequest:
        """Return what a request asks; refuse what has no messages."""
        request, wire = exchange.request, WIRES[exchange.kind]
        if not isinstance(request, Mapping):
            raise wrong_type("request", request, "an object with messages")
        whole = dumped(request)
        given, form, beside = wire.split(request)
        asked = ParsedRequest(
            exchange.kind,
            self._sent(wire, given),
            previous=previous_of(request),
            after=after_of(request),
            stored=stored_of(request),
            hints=hints_of(exchange),
            purpose=exchange.purpose,
            digest=digest(whole),
        )
        tools, model = beside.get("tools"), beside.get("model")
        if _are_objects(tools):
            described = tuple(wire.described(tools))
            asked = replace(asked, tools=tuple(beside.pop("tools")), described=described)
        if isinstance(model, str) and model:
            asked = replace(asked, model=beside.pop("model"))
        elif (in_path := MODEL_IN_PATH.search(exchange.path)) is not None:
            asked = replace(asked, model=in_path[1])
            form = {**form, **IN_PATH}
        return replace(asked, parameters=beside, form=form)

    def parse_response(self, exchange: Exchange) -> ParsedResponse | None:
        """Return what came back, or None where nothing did."""
        response, wire = exchange.response, WIRES[exchange.kind]
        if not isinstance(response, Mapping):
            return None
        id = wire.name(response)
        usage = {key: count for key, count in wire.usage(response).items() if count is not None}
        sent = self._sent(wire, wire.answer(response))
        return ParsedResponse(sent, id if isinstance(id, str) else None, usage or None)

    def rows(self, kind: Kind, place: str, message: Message) -> list[Any]:
        """Return how a message is written in a body where nothing else is known."""
        return rows_of(kind, place, message)

    def _sent(self, wire: RequestCodec, given: Sequence[GivenForm]) -> tuple[SentMessage, ...]:
        """Return messages; the same bytes have been read before as a rule."""
        sent = []
        for one in given:
            known = self._known.setdefault((wire.kind, one.place), {})
            data = dumped(one.rows)
            found = known.get(data)
            if found is None:
                if wire.needs_others(one):
                    return self._together(wire, given)
                found = _kept(known, _read(wire, one, data), data, one.place)
            sent.append(found)
        return tuple(sent)

    def _together(self, wire: RequestCodec, given: Sequence[GivenForm]) -> tuple[SentMessage, ...]:
        """Return messages of which some can only be read among the others, and so each time."""
        every = [(one, dumped(one.rows)) for one in given]
        listed = [(one, data) for one, data in every if one.place == MESSAGES]
        read = wire.read_all([_bare(one, data) for one, data in listed])
        if len(read) != len(listed):
            read = [_read(wire, one, data) for one, data in listed]
        prompt = [
            SentMessage(_read(wire, *one), one[1], PROMPT)
            for one in every
            if one[0].place == PROMPT
        ]
        pairs = zip(read, listed, strict=True)
        return (*prompt, *(SentMessage(message, data) for message, (_, data) in pairs))


def _kept(
    known: dict[bytes, SentMessage], message: Message, data: bytes, place: str
) -> SentMessage:
    """Return a message as it was sent, and remember it."""
    if len(known) >= MOST_SHARED:
        known.clear()
    found = known[data] = SentMessage(message, data, place)
    return found


def _bare(given: GivenForm, data: bytes) -> GivenForm:
    """Return rows without markers of the prompt cache, which are no part of a message."""
    return given._replace(rows=without_markers(given.rows)) if may_have_markers(data) else given


def _read(wire: RequestCodec, given: GivenForm, data: bytes) -> Message:
    bare = _bare(given, data)
    try:
        return wire.read(bare)
    except Refused:
        return request_codecs.kept(bare.rows)


def _are_objects(tools: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(tools, list) and all(isinstance(tool, Mapping) for tool in tools)


def rows_of(kind: Kind, place: str, message: Message) -> list[Any]:
    """Return the rows of one message."""
    kept = request_codecs.rows_in(message)
    return WIRES[kind].write(message, place) if kept is None else kept


def body_of(asked: ParsedRequest, given: Sequence[GivenForm]) -> Row:
    """Return a body: the messages given, and everything else as it was asked."""
    body: Row = {**asked.parameters, **WIRES[asked.kind].joined(given, asked.form)}
    if asked.model is not None and asked.form.get("model") != IN_PATH["model"]:
        body["model"] = asked.model
    if asked.tools is not None:
        body["tools"] = list(asked.tools)
    return without(body)


T = TypeVar("T")


class Rewritten(NamedTuple):
    """A call with its body; ``wire`` is what was kept of how it was written."""

    call: Call
    body: Row
    wire: Row


def rewritten(conversation: Conversation) -> Iterator[Rewritten]:
    """Yield every call of a conversation, in the order they were recorded.

    How a message was written changes from call to call, so that one can't be left out.
    """
    written: dict[int, GivenForm] = {}
    tools = conversation.calls.tools
    for call in conversation.calls.all:
        wire: Row = thaw(call.wire) or {}
        view = conversation.revisions[call.revision].view
        kind = _kind(wire)
        start, stop = _span(wire.get("carried"))
        patches = _patches(wire.get("rows"))
        prompts = prompts if isinstance(prompts := wire.get("prompt"), int) else 0
        form = wire.get("form")
        given = []
        for place, raw in enumerate(view):
            if start <= place < stop:
                continue
            at = PROMPT if place < prompts else MESSAGES
            last = written.get(raw)
            if last is None or last.place != at:
                last = GivenForm(rows_of(kind, at, conversation.log[raw]), at)
            rows = patched(last.rows, patches.get(str(place), ()))
            written[raw] = GivenForm(rows, at)
            given.append(written[raw])
        asked = ParsedRequest(
            kind,
            (),
            model=call.model,
            tools=None if call.tools is None else tuple(thaw(tools[call.tools])),
            parameters=thaw(call.parameters) or {},
            form=form if isinstance(form, dict) else {},
        )
        yield Rewritten(call, body_of(asked, given), wire)


def exchanges_of(conversation: Conversation) -> Iterator[Exchange]:
    """Yield the exchange of every call of a conversation, as it was when it was recorded."""
    for call, body, wire in rewritten(conversation):
        answer, told = thaw(call.answer), partial(_told, wire)
        yield Exchange(
            request=body,
            response=answer if isinstance(answer, dict) else None,
            kind=_kind(wire),
            path=told("path", str) or "",
            headers=told("headers", dict) or {},
            status=told("status", int),
            time=call.time,
            outcome=call.outcome,
            tag=told("tag", str),
            envelope=told("envelope", dict),
            source=told("source", str),
            id=told("id", str),
            warnings=tuple(one.to_dict() for one in unread(wire)),
        )


def unread(wire: Row) -> tuple[FormatWarning, ...]:
    """Return what of a request could not be read as it was sent, and so is not written so."""
    try:
        return read_warnings(_told(wire, "warnings", list) or ())
    except Refused:
        return ()


def _told(wire: Row, name: str, kind: type[T]) -> T | None:
    """Return what was kept of a call under a name; it is anybody's JSON, so only if it fits."""
    value = wire.get(name)
    return value if isinstance(value, kind) else None


def _kind(wire: Row) -> Kind:
    """Return the kind of a call; one that nobody read from a body is written as a chat."""
    found: Kind = wire["kind"] if wire.get("kind") in KINDS else "chat"
    return found


def _patches(rows: object) -> Mapping[str, Patch]:
    """Return the patches of a call by position; notes of another shape are passed over."""
    given = rows if isinstance(rows, dict) else {}
    return {place: patch for place, patch in given.items() if is_patch(patch)}


def _span(carried: object) -> tuple[int, int]:
    match carried:
        case [int(first), int(last)]:
            return first, last
    return 0, 0
