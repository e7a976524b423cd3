"""Resuming: a lane that was recorded before goes on, known by all that it was known by then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..conversation.conversation import Conversation
from ..errors import Refused
from .asked import MESSAGES, PROMPT, Asked, Bodies, Sent
from .exchange import Exchange
from .lanes import Lane
from .memory import Memory
from .taken import Taken


class Past(NamedTuple):
    """A lane as it was recorded: its conversation, and the exchanges of its calls, in order.

    ``wake`` is asked once, when the lane is about to go on, and returns the conversation to go on
    with, which is the same; None where it is no longer, so that another lane is to be begun.
    ``beside`` are the lanes that stand beside it.
    """

    lane: Lane
    conversation: Conversation
    exchanges: Sequence[Exchange]
    wake: Callable[[], Conversation | None] | None = None
    beside: tuple[Past, ...] = ()


class Recalled(NamedTuple):
    """A call of an earlier run: what was taken in with it, what of that was new, where it is."""

    taken: Taken
    news: list[Sent]
    told: Told


class Told(NamedTuple):
    """Where a response was given, and what it was, for a request that only names it."""

    memory: Memory
    revision: int
    answer: tuple[Sent, ...]


def whole(asked: Asked, told: Told | None) -> tuple[tuple[Sent, ...], range]:
    """Return all that a model was told, also what a request only names by an id."""
    if told is None:
        return asked.sent, range(0)
    assert told.memory.conversation is not None
    before = told.memory.seen(told.memory.conversation.revisions[told.revision].view)
    carried = [*(one for one in before if one.place == MESSAGES), *told.answer]
    prompt = [one for one in asked.sent if one.place == PROMPT]
    own = asked.sent[len(prompt) :]
    return (*prompt, *carried, *own), range(len(prompt), len(prompt) + len(carried))


def recalled(
    past: Past, bodies: Bodies, memory: Memory, known: Callable[[str], Told | None]
) -> list[Recalled] | None:
    """Return what was taken in with each call of a lane, which is put into a memory meanwhile.

    None means that its conversation is not what its calls made of it: somebody has changed it.
    """
    talk, found = past.conversation, list[Recalled]()
    calls = talk.calls.all
    if not calls or len(calls) != len(past.exchanges) or calls[-1].revision != talk.current.id:
        return None
    here: dict[str, Told] = {}
    memory.resume(talk)
    for call, exchange in zip(calls, past.exchanges, strict=True):
        try:
            asked, answered = bodies.asked(exchange), bodies.answered(exchange)
        except Refused:
            return None
        id = asked.previous
        told = None if id is None else here.get(id) or known(id)
        taken = Taken(exchange, asked, answered, *whole(asked, told))
        before = set(memory.raws)
        if not memory.recall(call.revision, taken.sent, taken.carried):
            return None
        now = Told(memory, call.revision, () if answered is None else answered.sent)
        here.update(dict.fromkeys(names_of(taken), now))
        pairs = zip(memory.raws, taken.sent, strict=True)
        found.append(Recalled(taken, [one for raw, one in pairs if raw not in before], now))
    return found


def is_alike(one: Conversation, other: Conversation) -> bool:
    """Tell whether two conversations were made of the same requests, and nothing else was done."""
    return (
        one.current.id == other.current.id
        and one.view == other.view
        and len(one.journal) == len(other.journal)
        and [call.revision for call in one.calls.all] == [call.revision for call in other.calls.all]
        and list(one.log) == list(other.log)
    )


def names_of(taken: Taken) -> list[str]:
    """Return the ids under which a provider keeps what it was told and what it answered."""
    given = (taken.asked.stored, None if taken.answered is None else taken.answered.id)
    return [id for id in given if id is not None]
