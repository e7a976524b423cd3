"""Merging and splitting threads: conversations become one, or two, by recording their calls again.

The exchanges are those that ``requests`` would write, in the order of time, so that the projection
at each call is its request again. What was recorded with them is recorded with them, so that what
it proved stays proven.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..conversation.conversation import Conversation
from ..engine.calls import Call
from ..errors import Refused, format_value, out_of_range
from ..requests.exchange import Exchange
from ..requests.recording import Recorder, record_again
from ..requests.threads import (
    Thread,
    ThreadRole,
    ThreadTable,
    has_same_groups,
    merged,
    read_role,
    split,
)
from ..values.models import read_number
from .bodies import BodyReader, exchanges_of


class _Sent(NamedTuple):
    """An exchange of one of several conversations; sorting these is ordering them by time."""

    time: int
    number: int
    thread: int
    place: int
    exchange: Exchange


def merge_threads(
    into: Conversation, others: Sequence[Conversation], context: Sequence[Conversation] = ()
) -> Conversation:
    """Return one conversation with the calls of all of them, in the order of time."""
    if not others:
        raise Refused("there is nothing to merge: one conversation is given", field="thread")
    table, exchanges = _recorded((into, *others), context)
    for place, other in enumerate(others, 1):
        _must_be_of_one_kind(table, place, into, other)
        table = merged(table, 0, place)
    made = record_again(BodyReader(), exchanges, table, settings=into.settings).conversation(0)
    assert made is not None
    return made


def split_thread(
    conversation: Conversation, call: int, context: Sequence[Conversation] = ()
) -> tuple[Conversation, Conversation]:
    """Return a conversation's calls before one, the first being 0, and those from it on."""
    size = len(conversation.calls.all)
    if not 0 < read_number(call, "call") < size:
        raise out_of_range(
            "call", call, f"1…{size - 1}" if size > 1 else "no such call: there is one"
        )
    table, exchanges = _recorded((conversation,), context)
    table = split(table, 0, call)
    again = record_again(BodyReader(), exchanges, table, settings=conversation.settings)
    first, second = again.conversation(0), again.conversation(len(table.threads) - 1)
    assert first is not None
    assert second is not None
    return first, second


class ChangedExplanation(NamedTuple):
    """A call, the first being 0, with the operations that are stored and those found now."""

    call: int
    stored: tuple[str, ...]
    now: tuple[str, ...]


def explain_again(
    conversation: Conversation, beside: Sequence[Conversation] = ()
) -> tuple[Conversation, list[ChangedExplanation]]:
    """Return a conversation with its calls explained again, and which explanations differ."""
    table, exchanges = _recorded((conversation,), beside)
    again = record_again(BodyReader(), exchanges, table, settings=conversation.settings)
    made = again.conversation(0)
    assert made is not None
    pairs = zip(conversation.calls.all, made.calls.all, strict=True)
    both = [(_explanation(stored), _explanation(now)) for stored, now in pairs]
    return made, [
        ChangedExplanation(call, stored, now)
        for call, (stored, now) in enumerate(both)
        if stored != now
    ]


class RejudgedThread(NamedTuple):
    """A thread as it is with all calls known; ``origin`` had its first call, by its number."""

    thread: Thread
    conversation: Conversation
    origin: int


def threads_again(
    conversations: Sequence[Conversation],
) -> tuple[list[RejudgedThread], list[ChangedExplanation]] | None:
    """Return the threads of a run, judged with all its calls, and what changes in the first.

    A recorder judges each call when it comes. None if the threads are what they were.
    """
    table, exchanges = _recorded(conversations[:1], conversations[1:])
    recorder = Recorder(BodyReader())
    for exchange in exchanges:
        recorder.record(exchange)
    revised = recorder.revised
    if has_same_groups(table, revised):
        return None
    settings = conversations[0].settings
    again = record_again(BodyReader(), exchanges, revised, settings=settings)
    found = []
    for thread in again.threads:
        made = again.conversation(thread.id)
        if made is not None:
            origin = table.placed[revised.placed.index(thread.id)]
            found.append(RejudgedThread(thread, made, origin))
    calls = {one.thread.id: iter(one.conversation.calls.all) for one in found}
    now = [next(calls[thread]) for thread in revised.placed]
    own = [call for call, thread in zip(now, table.placed, strict=True) if thread == 0]
    both = zip(conversations[0].calls.all, own, strict=True)
    return found, [
        ChangedExplanation(at, _explanation(stored), _explanation(new))
        for at, (stored, new) in enumerate(both)
        if _explanation(stored) != _explanation(new)
    ]


def _explanation(call: Call) -> tuple[str, ...]:
    """Return the operations that explain a call, each with its certainty."""
    steps = None if call.wire is None else call.wire.get("explained")
    found = []
    for step in steps if isinstance(steps, list | tuple) else ():
        match step:
            case {"operation": str(name), "certainty": str(certainty)}:
                found.append(f"{name} ({certainty})")
    return tuple(found)


def _recorded(
    edited: Sequence[Conversation], context: Sequence[Conversation]
) -> tuple[ThreadTable, list[Exchange]]:
    """Return the threads of some conversations, and all their exchanges in the order of time."""
    threads, sent = [], []
    for number, conversation in enumerate((*edited, *context)):
        found = list(_sent(conversation, number))
        if not found and number < len(edited):
            name = format_value(_name(conversation))
            raise Refused(f"no call is recorded in {name}", field="session", value=name)
        kind = found[0].exchange.kind if found else "chat"
        threads.append(Thread(number, _name(conversation), kind, _role(conversation)))
        sent += found
    sent.sort(key=lambda one: one[:4])
    return ThreadTable(tuple(threads), tuple(one.thread for one in sent)), [
        one.exchange for one in sent
    ]


def _sent(conversation: Conversation, thread: int) -> Iterator[_Sent]:
    """Yield the calls of a conversation as exchanges; one is never before another it followed."""
    latest = 0
    calls = zip(conversation.calls.all, exchanges_of(conversation), strict=True)
    for place, (call, exchange) in enumerate(calls):
        latest = max(latest, call.time)
        number = None if call.wire is None else call.wire.get("number")
        yield _Sent(latest, number if type(number) is int else 0, thread, place, exchange)


def _must_be_of_one_kind(
    table: ThreadTable, place: int, into: Conversation, other: Conversation
) -> None:
    """Refuse threads that are written in different ways, by the names that users know."""
    kind, wanted = table.threads[place].kind, table.threads[0].kind
    if kind != wanted:
        raise Refused(
            f"{format_value(_name(other))} is of the kind {kind}, {format_value(_name(into))} of "
            f"{wanted}; "
            "only threads of one kind are merged",
            field="thread",
            value=kind,
            legal=wanted,
        )


def _role(conversation: Conversation) -> ThreadRole:
    """Return the role of the thread of a conversation, as far as it is known."""
    stored = conversation.meta.get("requests")
    return read_role(stored.get("role") if isinstance(stored, Mapping) else None) or "main"


def _name(conversation: Conversation) -> str:
    title = conversation.meta.get("title")
    return title if isinstance(title, str) and title else "untitled"
