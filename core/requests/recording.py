"""What recording one exchange gave: its thread, the operations that explain it, and its call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..conversation.conversation import Clock, Conversation
from ..engine.messages import Message
from ..engine.operations import Operation
from ..engine.settings import Settings
from ..engine.tokens import counter_named
from ..errors import Refused
from ..values.frozen import freeze
from ..values.patches import Patch
from ..values.times import milliseconds, read_time
from .bodies import MESSAGES, PROMPT, Answered, Asked, Bodies, Sent, Taken
from .cache import MOST_KEPT, Cache, Ruler, counted
from .exchange import Exchange, Outcome
from .explaining import Certainty, Step, difference, first_messages, wholesale
from .memory import Memory
from .routing import Evidence, Placer, Track, Unclaimed, proofs
from .secrets import Cleaner, SecretMemory
from .threads import Thread, ThreadTable

START = "START"


class Explanation(NamedTuple):
    """The name of an operation, one sentence that says why it is this one, and how sure it is."""

    operation: str
    reason: str
    certainty: Certainty

    def to_dict(self) -> dict[str, str]:
        """Return it as JSON-ready data."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What is kept of a call; the fields are those of ``Conversation.record_call``."""

    request: str | None = None
    model: str | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, int] | None = None
    answer: Any = None
    wire: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome = "complete"
    time: int | None = None


NOTHING_KEPT = CallFacts()


@dataclass(frozen=True, slots=True)
class Recorded:
    """One exchange in its thread: ``number`` counts all exchanges, ``call`` those of the thread.

    ``by`` is what told the thread. At ``revision`` the projection is what was sent; ``notices`` say
    what else is to be known of how it was written.
    """

    number: int
    thread: Thread
    by: Evidence
    call: int
    revision: int
    operations: tuple[Operation, ...]
    explanations: tuple[Explanation, ...]
    cache: Cache
    notices: tuple[str, ...] = ()
    facts: CallFacts = NOTHING_KEPT


def facts_of(taken: Taken, recorded: Recorded, patches: Mapping[str, Patch]) -> CallFacts:
    """Return what is kept of a call, with all that is needed to write its body again."""
    exchange, asked, answered = taken.exchange, taken.asked, taken.answered
    wire = {
        "kind": asked.kind,
        "id": exchange.id,
        "path": exchange.path,
        "headers": dict(exchange.headers),
        "status": exchange.status,
        "tag": exchange.tag,
        "envelope": exchange.envelope,
        "source": exchange.source,
        "form": dict(asked.form),
        "prompt": int(any(one.place == PROMPT for one in asked.sent[:1])),
        "carried": [taken.carried.start, taken.carried.stop] if taken.carried else None,
        "by": recorded.by,
        "explained": [one.to_dict() for one in recorded.explanations],
        "noticed": list(recorded.notices),
        "removed": exchange.removed.to_dict() if exchange.removed else None,
        "warnings": [dict(one) for one in exchange.warnings],
        "cache": recorded.cache.to_dict(),
    }
    told = {key: value for key, value in wire.items() if value}
    return CallFacts(
        request=None if answered is None else answered.id,
        model=asked.model,
        tools=asked.tools,
        parameters=asked.parameters,
        usage=None if answered is None else answered.usage,
        answer=exchange.response,
        wire={**told, "number": recorded.number, "rows": patches},
        outcome=exchange.outcome,
        time=exchange.time,
    )


def note_call(conversation: Conversation, facts: CallFacts) -> None:
    """Keep a call with its conversation; what is nested too deep to be kept is left out."""
    conversation.record_call(
        request=facts.request or None,
        model=facts.model,
        tools=storable(facts.tools),
        parameters=_storable_keys(facts.parameters),
        usage=facts.usage,
        answer=storable(facts.answer),
        wire=_storable_keys(facts.wire),
        outcome=facts.outcome,
        time=facts.time,
    )


def _storable_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that can be kept; null is one of them."""
    frozen = ((key, value, storable(value, depth=1)) for key, value in values.items())
    return {key: kept for key, value, kept in frozen if kept is not None or value is None}


def storable(value: Any, depth: int = 0) -> Any:
    """Return a value frozen, or None where it is nested deeper than anything is kept.

    ``depth`` is how deep it will be kept itself.
    """
    try:
        return freeze(value, "call", depth)
    except Refused:
        return None


class Past(NamedTuple):
    """A thread as it was recorded: its conversation, and the exchanges of its calls, in order.

    ``wake`` is asked once, when the thread is about to go on, and returns the conversation to go on
    with, which is the same; None where it is no longer, so that another thread is to be begun.
    ``beside`` are the threads that stand beside it.
    """

    thread: Thread
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
    """Return what was taken in with each call of a thread, which is put into a memory meanwhile.

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


Earlier = Callable[[Asked], Iterable[Past]]
"""Gives the threads that were recorded before and may be that of a request."""


class Recorder:
    """Records exchanges: one conversation for each thread, one call for each exchange.

    The projection after each request is the request. An answer is kept with its call, and becomes
    a message when a later request shows that it is one.
    """

    def __init__(
        self,
        bodies: Bodies,
        *,
        settings: Settings | Mapping[str, Any] | None = None,
        clock: Clock = milliseconds,
        earlier: Earlier | None = None,
    ) -> None:
        """Begin; ``earlier`` is asked for threads of other runs before a new one is begun."""
        self._bodies, self._settings, self._clock = bodies, settings, clock
        self._earlier = earlier
        self._moment: int | None = None
        self._unclaimed = Unclaimed()
        self._secrets = SecretMemory()
        self._placer = Placer(self._unclaimed, lambda: Memory(settings, self._now))
        self._placed: list[int] = []
        self._told: dict[str, Told] = {}

    @property
    def threads(self) -> tuple[Thread, ...]:
        """Return all threads by id."""
        return tuple(track.thread for track in self._placer.tracks)

    @property
    def table(self) -> ThreadTable:
        """Return which exchange went where, to be mended and recorded again."""
        return ThreadTable(self.threads, tuple(self._placed))

    def conversation(self, thread: int) -> Conversation | None:
        """Return the conversation of a thread; None while it only has side threads."""
        return self._placer.tracks[self.table.thread(thread).id].memory.conversation

    def record(self, exchange: Exchange) -> Recorded:
        """Take in an exchange, into the thread it belongs to; refuse what has no messages."""
        exchange = self._checked(exchange)
        asked = self._bodies.asked(exchange)
        if self._earlier is not None and self._placer.finder.find(asked).thread is None:
            for past in self._earlier(asked):
                self.resume(past)
        track, by = self._placer.place(exchange, asked)
        while not track.is_awake():
            self._placer.forget(track)
            track, by = self._placer.place(exchange, asked)
        return self._record(exchange, asked, track, by)

    def resume(self, past: Past, parent: int | None = None) -> Thread | None:
        """Go on with a thread of an earlier recorder, as one of ours; None where it was changed."""
        memory = Memory(self._settings, self._now)
        found = recalled(past, self._bodies, memory, self._told.get)
        if found is None:
            return None
        thread = replace(past.thread, id=len(self._placer.tracks), parent=parent)
        track = self._placer.open(thread, found[0].taken.asked.hints)
        track.memory, track.ruler, track.wake = memory, Ruler(len(found)), past.wake
        for one in found:
            self._note(track, one.taken, one.news, one.told)
        track.ruler.recall([(one.taken.asked, one.taken.sent) for one in found[-MOST_KEPT:]])
        for other in past.beside:
            self.resume(other, thread.id)
        return thread

    def go_on_with(self, thread: int, conversation: Conversation) -> bool:
        """Record a thread in another conversation from now on; False where it is not the same."""
        memory = self._placer.tracks[self.table.thread(thread).id].memory
        if memory.conversation is None or not is_alike(memory.conversation, conversation):
            return False
        memory.conversation = conversation
        return True

    def record_in(self, thread: int, exchange: Exchange) -> Recorded:
        """Take in an exchange into a thread that was chosen."""
        track = self._placer.tracks[self.table.thread(thread).id]
        exchange = self._checked(exchange)
        asked = self._bodies.asked(exchange)
        if not track.calls:
            track.hints = asked.hints
        return self._record(exchange, asked, track, "none")

    def _checked(self, exchange: Exchange) -> Exchange:
        """Return an exchange without secrets; refuse a time that none can be."""
        if exchange.time is not None:
            read_time(exchange.time, "time")
        return Cleaner(self._secrets).clean(exchange)

    def _now(self) -> int:
        return self._clock() if self._moment is None else self._moment

    def _record(self, exchange: Exchange, asked: Asked, track: Track, by: Evidence) -> Recorded:
        self._moment = exchange.time
        answered = self._bodies.answered(exchange)
        told = None if asked.previous is None else self._told.get(asked.previous)
        taken = Taken(exchange, asked, answered, *whole(asked, told))
        known = set(track.memory.raws)
        steps = self._change(track, taken)
        memory = track.memory
        assert memory.conversation is not None
        cache = self._measured(track, taken)
        said = _explanations(steps, len(taken.sent), is_first=track.calls == 0)
        recorded = Recorded(
            number=len(self._placed),
            thread=track.thread,
            by=by,
            call=track.calls,
            revision=memory.conversation.current.id,
            operations=tuple(step.operation for step in steps),
            explanations=said,
            cache=cache,
            notices=_notices(track, taken.sent),
        )
        recorded = replace(recorded, facts=facts_of(taken, recorded, self._patches(track, taken)))
        note_call(memory.conversation, recorded.facts)
        news = [one for raw, one in zip(memory.raws, taken.sent, strict=True) if raw not in known]
        here = Told(memory, memory.conversation.current.id, _sent(answered))
        self._note(track, taken, news, here)
        return recorded

    def _change(self, track: Track, taken: Taken) -> list[Step]:
        """Do what makes exactly the request visible, and return why."""
        memory, sent = track.memory, taken.sent
        if memory.conversation is None:
            memory.start(first_messages(memory, sent), sent, _meta(track.thread, taken.asked))
            return []
        is_main = not track.thread.is_side
        known = proofs(track, sent, self._unclaimed, self.threads) if is_main else {}
        steps = difference(memory, sent, track.answer, known)
        if not memory.change([step.operation for step in steps], sent):
            more = wholesale(memory, sent)
            memory.change([step.operation for step in more], sent)
            steps += more
        return steps

    def _measured(self, track: Track, taken: Taken) -> Cache:
        memory = track.memory
        assert memory.conversation is not None
        count = counter_named(memory.conversation.settings.counter).count
        return track.ruler.measure(
            taken.asked,
            taken.sent,
            memory.tokens,
            lambda text: count(Message("system", text)),
        )

    def _patches(self, track: Track, taken: Taken) -> dict[str, Patch]:
        """Return what a request writes differently from how it was written last."""
        kind = taken.asked.kind
        return track.memory.wire(
            taken.sent,
            taken.carried,
            lambda place, message: self._bodies.rows(kind, place, message),
        )

    def _note(self, track: Track, taken: Taken, news: Sequence[Sent], told: Told) -> None:
        """Remember what came back, and by what the next request may be known."""
        asked, answered, thread = taken.asked, taken.answered, track.thread.id
        is_main = not track.thread.is_side
        if is_main:
            self._placer.link_agents(track, news)
            for one in news:
                if one.message.role == "assistant":
                    self._unclaimed.claim(one.key)
        if answered is not None and answered.sent:
            self._unclaimed.add(answered, thread, track.calls)
        if track.thread.role != "counts":
            self._placer.finder.note(asked, answered, thread)
        track.answered(asked, answered, len(self._placed))
        self._told.update(dict.fromkeys(names_of(taken), told))
        self._placed.append(thread)


def record_again(
    bodies: Bodies, exchanges: Iterable[Exchange], table: ThreadTable, **options: Any
) -> Recorder:
    """Return a recorder of exchanges whose threads are those of a table, such as a mended one."""
    recorder = Recorder(bodies, **options)
    for thread in table.threads:
        recorder._placer.open(thread)
    for exchange, place in zip(exchanges, table.placed, strict=True):
        recorder.record_in(place, exchange)
    return recorder


def _explanations(steps: Sequence[Step], size: int, *, is_first: bool) -> tuple[Explanation, ...]:
    if is_first:
        return (Explanation(START, f"the first request, with {counted(size)}", "proven"),)
    return tuple(Explanation(step.operation.title, step.reason, step.certainty) for step in steps)


def _sent(answered: Answered | None) -> tuple[Sent, ...]:
    return () if answered is None else answered.sent


def _notices(track: Track, sent: Sequence[Sent]) -> tuple[str, ...]:
    """Return what keys don't see: thinking that was there before and is no longer sent."""
    lost = len(track.memory.unthought)
    thought = [one.key for one in track.answer if one.has_thoughts]
    lost += sum(one.key in thought and not one.has_thoughts for one in sent)
    return (f"the thinking of {counted(lost)} is no longer sent",) if lost else ()


def _meta(thread: Thread, asked: Asked) -> dict[str, Any]:
    """Return what a conversation says of itself: its thread, its model and its tools."""
    told = {
        "title": thread.name,
        "model": asked.model,
        "tools": storable(asked.described),
        "requests": thread.to_dict(),
    }
    return {key: value for key, value in told.items() if value}
