"""Reads bodies; a message that was written in the same way before is not read again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from ...errors import Refused, not_a
from ...messages.message import Message
from ...requests.asked import MESSAGES, PROMPT, Answered, Asked, Sent
from ...requests.digests import digest, dumped, may_have_markers, without_markers
from ...requests.exchange import Exchange, Kind
from ..notes import without
from . import unread
from .chat import Chat, Ollama
from .gemini import Gemini
from .hints import after_of, hints_of, previous_of, stored_of
from .messages import Messages
from .responses import Responses
from .wire import Given, Row, Wire

WIRES: dict[Kind, Wire] = {
    wire.kind: wire for wire in (Chat(), Responses(), Messages(), Gemini(), Ollama())
}
MOST_SHARED = 200_000
"""Messages that are remembered, so that a run of any length has an end to what it takes."""
MODEL_IN_PATH = re.compile(r"/models/([^/:?]+):")
IN_PATH = {"model": "path"}


class BodyReader:
    """Reads requests and answers of all kinds; what it has read before it shares."""

    def __init__(self) -> None:
        self._known: dict[tuple[Kind, str], dict[bytes, Sent]] = {}

    def asked(self, exchange: Exchange) -> Asked:
        """Return what a request asks; refuse what has no messages."""
        request, wire = exchange.request, WIRES[exchange.kind]
        if not isinstance(request, Mapping):
            raise not_a("request", request, "an object with messages")
        whole = dumped(request)
        given, form, beside = wire.split(request)
        asked = Asked(
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

    def answered(self, exchange: Exchange) -> Answered | None:
        """Return what came back, or None where nothing did."""
        response, wire = exchange.response, WIRES[exchange.kind]
        if not isinstance(response, Mapping):
            return None
        id = wire.name(response)
        usage = {key: count for key, count in wire.usage(response).items() if count is not None}
        sent = self._sent(wire, wire.answer(response))
        return Answered(sent, id if isinstance(id, str) else None, usage or None)

    def rows(self, kind: Kind, place: str, message: Message) -> list[Any]:
        """Return how a message is written in a body where nothing else is known."""
        return rows_of(kind, place, message)

    def _sent(self, wire: Wire, given: Sequence[Given]) -> tuple[Sent, ...]:
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

    def _together(self, wire: Wire, given: Sequence[Given]) -> tuple[Sent, ...]:
        """Return messages of which some can only be read among the others, and so each time."""
        every = [(one, dumped(one.rows)) for one in given]
        listed = [(one, data) for one, data in every if one.place == MESSAGES]
        read = wire.read_all([_bare(one, data) for one, data in listed])
        if len(read) != len(listed):
            read = [_read(wire, one, data) for one, data in listed]
        prompt = [
            Sent(_read(wire, *one), one[1], PROMPT) for one in every if one[0].place == PROMPT
        ]
        pairs = zip(read, listed, strict=True)
        return (*prompt, *(Sent(message, data) for message, (_, data) in pairs))


def _kept(known: dict[bytes, Sent], message: Message, data: bytes, place: str) -> Sent:
    """Return a message as it was sent, and remember it."""
    if len(known) >= MOST_SHARED:
        known.clear()
    found = known[data] = Sent(message, data, place)
    return found


def _bare(given: Given, data: bytes) -> Given:
    """Return rows without markers of the prompt cache, which are no part of a message."""
    return given._replace(rows=without_markers(given.rows)) if may_have_markers(data) else given


def _read(wire: Wire, given: Given, data: bytes) -> Message:
    bare = _bare(given, data)
    try:
        return wire.read(bare)
    except Refused:
        return unread.kept(bare.rows)


def _are_objects(tools: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(tools, list) and all(isinstance(tool, Mapping) for tool in tools)


def rows_of(kind: Kind, place: str, message: Message) -> list[Any]:
    """Return the rows of one message."""
    kept = unread.rows_in(message)
    return WIRES[kind].write(message, place) if kept is None else kept


def body_of(asked: Asked, given: Sequence[Given]) -> Row:
    """Return a body: the messages given, and everything else as it was asked."""
    body: Row = {**asked.parameters, **WIRES[asked.kind].joined(given, asked.form)}
    if asked.model is not None and asked.form.get("model") != IN_PATH["model"]:
        body["model"] = asked.model
    if asked.tools is not None:
        body["tools"] = list(asked.tools)
    return without(body)
