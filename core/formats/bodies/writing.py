"""Writes the bodies of recorded calls again, each as it was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple, TypeVar

from ...conversation.conversation import Conversation
from ...errors import Refused
from ...history.call import Call
from ...requests.asked import MESSAGES, PROMPT, Asked
from ...requests.exchange import KINDS, Exchange, Kind
from ...requests.patches import Patch, is_patch, patched
from ...values.frozen import thaw
from ..warnings import FormatWarning, read_warnings
from .reading import body_of, rows_of
from .wire import Given, Row

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
    written: dict[int, Given] = {}
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
                last = Given(rows_of(kind, at, conversation.log[raw]), at)
            rows = patched(last.rows, patches.get(str(place), ()))
            written[raw] = Given(rows, at)
            given.append(written[raw])
        asked = Asked(
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
