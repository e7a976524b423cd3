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
from .bodies import (
    MESSAGES,
    PROMPT,
    Bodies,
    ExchangeParts,
    ParsedRequest,
    ParsedResponse,
    SentMessage,
)
from .cache import MAX_REMEMBERED, CacheEstimate, PrefixCache, counted
from .exchange import Exchange, Outcome
from .explaining import Certainty, ExplainedStep, difference, first_messages, replace_all
from .memory import ThreadMemory
from .routing import Evidence, LiveThread, ThreadRouter, UnclaimedAnswers, summary_proofs
from .secrets import SecretCleaner, SecretMemory
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
    cache: CacheEstimate
    notices: tuple[str, ...] = ()
    facts: CallFacts = NOTHING_KEPT


def facts_of(taken: ExchangeParts, recorded: Recorded, patches: Mapping[str, Patch]) -> CallFacts:
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


class EarlierThread(NamedTuple):
    """A thread as it was recorded: its conversation, and the exchanges of its calls, in order.

    ``reopen`` is called once, when the thread continues, and returns the conversation to continue
    with; None if it has changed meanwhile, so that a new thread is needed. ``beside`` are its side
    threads.
    """

    thread: Thread
    conversation: Conversation
    exchanges: Sequence[Exchange]
    reopen: Callable[[], Conversation | None] | None = None
    beside: tuple[EarlierThread, ...] = ()


class RecalledCall(NamedTuple):
    """A call of an earlier run: what was taken in with it, what of that was new, where it is."""

    taken: ExchangeParts
    news: list[SentMessage]
    told: StoredResponse


class StoredResponse(NamedTuple):
    """Where a response was given, and what it was, for a request that only names it."""

    memory: ThreadMemory
    revision: int
    answer: tuple[SentMessage, ...]


def whole(
    asked: ParsedRequest, told: StoredResponse | None
) -> tuple[tuple[SentMessage, ...], range]:
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
    past: EarlierThread,
    bodies: Bodies,
    memory: ThreadMemory,
    known: Callable[[str], StoredResponse | None],
) -> list[RecalledCall] | None:
    """Return what was taken in with each call of a thread, which is put into a memory meanwhile.

    None means that its conversation is not what its calls made of it: somebody has changed it.
    """
    talk, found = past.conversation, list[RecalledCall]()
    calls = talk.calls.all
    if not calls or len(calls) != len(past.exchanges) or calls[-1].revision != talk.current.id:
        return None
    here: dict[str, StoredResponse] = {}
    memory.resume(talk)
    for call, exchange in zip(calls, past.exchanges, strict=True):
        try:
            asked, answered = bodies.parse_request(exchange), bodies.parse_response(exchange)
        except Refused:
            return None
        id = asked.previous
        told = None if id is None else here.get(id) or known(id)
        taken = ExchangeParts(exchange, asked, answered, *whole(asked, told))
        before = set(memory.raws)
        if not memory.recall(call.revision, taken.sent, taken.carried):
            return None
        now = StoredResponse(memory, call.revision, () if answered is None else answered.sent)
        here.update(dict.fromkeys(names_of(taken), now))
        pairs = zip(memory.raws, taken.sent, strict=True)
        found.append(RecalledCall(taken, [one for raw, one in pairs if raw not in before], now))
    return found


def is_alike(one: Conversation, other: Conversation) -> bool:
    """Return whether two conversations were made of the same requests and of nothing else."""
    return (
        one.current.id == other.current.id
        and one.view == other.view
        and len(one.journal) == len(other.journal)
        and [call.revision for call in one.calls.all] == [call.revision for call in other.calls.all]
        and list(one.log) == list(other.log)
    )


def names_of(taken: ExchangeParts) -> list[str]:
    """Return the ids under which a provider keeps what it was told and what it answered."""
    given = (taken.asked.stored, None if taken.answered is None else taken.answered.id)
    return [id for id in given if id is not None]


EarlierState = Callable[[ParsedRequest], Iterable[EarlierThread]]
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
        earlier: EarlierState | None = None,
    ) -> None:
        """Begin; ``earlier`` is asked for threads of other runs before a new one is begun."""
        self._bodies, self._settings, self._clock = bodies, settings, clock
        self._earlier = earlier
        self._moment: int | None = None
        self._unclaimed = UnclaimedAnswers()
        self._secrets = SecretMemory()
        self._router = ThreadRouter(self._unclaimed, lambda: ThreadMemory(settings, self._now))
        self._placed: list[int] = []
        self._told: dict[str, StoredResponse] = {}

    @property
    def threads(self) -> tuple[Thread, ...]:
        """Return all threads by id."""
        return tuple(live.thread for live in self._router.live_threads)

    @property
    def table(self) -> ThreadTable:
        """Return which exchange went where, to be mended and recorded again."""
        return ThreadTable(self.threads, tuple(self._placed))

    def conversation(self, thread: int) -> Conversation | None:
        """Return the conversation of a thread; None while it only has side threads."""
        return self._router.live_threads[self.table.thread(thread).id].memory.conversation

    def record(self, exchange: Exchange) -> Recorded:
        """Take in an exchange, into the thread it belongs to; refuse what has no messages."""
        exchange = self._checked(exchange)
        asked = self._bodies.parse_request(exchange)
        if self._earlier is not None and self._router.finder.find(asked).thread is None:
            for past in self._earlier(asked):
                self.resume(past)
        live, by = self._router.place(exchange, asked)
        while not live.is_open():
            self._router.forget(live)
            live, by = self._router.place(exchange, asked)
        return self._record(exchange, asked, live, by)

    def resume(self, past: EarlierThread, parent: int | None = None) -> Thread | None:
        """Go on with a thread of an earlier recorder, as one of ours; None where it was changed."""
        memory = ThreadMemory(self._settings, self._now)
        found = recalled(past, self._bodies, memory, self._told.get)
        if found is None:
            return None
        thread = replace(past.thread, id=len(self._router.live_threads), parent=parent)
        live = self._router.open(thread, found[0].taken.asked.hints)
        live.memory, live.ruler, live.reopen = memory, PrefixCache(len(found)), past.reopen
        for one in found:
            self._note(live, one.taken, one.news, one.told)
        live.ruler.recall([(one.taken.asked, one.taken.sent) for one in found[-MAX_REMEMBERED:]])
        for other in past.beside:
            self.resume(other, thread.id)
        return thread

    def go_on_with(self, thread: int, conversation: Conversation) -> bool:
        """Record a thread in another conversation from now on; False where it is not the same."""
        memory = self._router.live_threads[self.table.thread(thread).id].memory
        if memory.conversation is None or not is_alike(memory.conversation, conversation):
            return False
        memory.conversation = conversation
        return True

    def record_in(self, thread: int, exchange: Exchange) -> Recorded:
        """Take in an exchange into a thread that was chosen."""
        live = self._router.live_threads[self.table.thread(thread).id]
        exchange = self._checked(exchange)
        asked = self._bodies.parse_request(exchange)
        if not live.calls:
            live.hints = asked.hints
        return self._record(exchange, asked, live, "none")

    def _checked(self, exchange: Exchange) -> Exchange:
        """Return an exchange without secrets; refuse a time that none can be."""
        if exchange.time is not None:
            read_time(exchange.time, "time")
        return SecretCleaner(self._secrets).clean(exchange)

    def _now(self) -> int:
        return self._clock() if self._moment is None else self._moment

    def _record(
        self, exchange: Exchange, asked: ParsedRequest, live: LiveThread, by: Evidence
    ) -> Recorded:
        self._moment = exchange.time
        answered = self._bodies.parse_response(exchange)
        told = None if asked.previous is None else self._told.get(asked.previous)
        taken = ExchangeParts(exchange, asked, answered, *whole(asked, told))
        known = set(live.memory.raws)
        steps = self._change(live, taken)
        memory = live.memory
        assert memory.conversation is not None
        cache = self._measured(live, taken)
        said = _explanations(steps, len(taken.sent), is_first=live.calls == 0)
        recorded = Recorded(
            number=len(self._placed),
            thread=live.thread,
            by=by,
            call=live.calls,
            revision=memory.conversation.current.id,
            operations=tuple(step.operation for step in steps),
            explanations=said,
            cache=cache,
            notices=_notices(live, taken.sent),
        )
        recorded = replace(recorded, facts=facts_of(taken, recorded, self._patches(live, taken)))
        note_call(memory.conversation, recorded.facts)
        news = [one for raw, one in zip(memory.raws, taken.sent, strict=True) if raw not in known]
        here = StoredResponse(memory, memory.conversation.current.id, _sent(answered))
        self._note(live, taken, news, here)
        return recorded

    def _change(self, live: LiveThread, taken: ExchangeParts) -> list[ExplainedStep]:
        """Do what makes exactly the request visible, and return why."""
        memory, sent = live.memory, taken.sent
        if memory.conversation is None:
            memory.start(first_messages(memory, sent), sent, _meta(live.thread, taken.asked))
            return []
        is_main = not live.thread.is_side
        known = summary_proofs(live, sent, self._unclaimed, self.threads) if is_main else {}
        steps = difference(memory, sent, live.answer, known)
        if not memory.change([step.operation for step in steps], sent):
            more = replace_all(memory, sent)
            memory.change([step.operation for step in more], sent)
            steps += more
        return steps

    def _measured(self, live: LiveThread, taken: ExchangeParts) -> CacheEstimate:
        memory = live.memory
        assert memory.conversation is not None
        count = counter_named(memory.conversation.settings.counter).count
        return live.ruler.measure(
            taken.asked,
            taken.sent,
            memory.tokens,
            lambda text: count(Message("system", text)),
        )

    def _patches(self, live: LiveThread, taken: ExchangeParts) -> dict[str, Patch]:
        """Return what a request writes differently from how it was written last."""
        kind = taken.asked.kind
        return live.memory.wire(
            taken.sent,
            taken.carried,
            lambda place, message: self._bodies.rows(kind, place, message),
        )

    def _note(
        self,
        live: LiveThread,
        taken: ExchangeParts,
        news: Sequence[SentMessage],
        told: StoredResponse,
    ) -> None:
        """Remember what came back, and by what the next request may be known."""
        asked, answered, thread = taken.asked, taken.answered, live.thread.id
        is_main = not live.thread.is_side
        if is_main:
            self._router.link_agents(live, news)
            for one in news:
                if one.message.role == "assistant":
                    self._unclaimed.claim(one.key)
        if answered is not None and answered.sent:
            self._unclaimed.add(answered, thread, live.calls)
        if live.thread.role != "counts":
            self._router.finder.note(asked, answered, thread)
        live.add_call(asked, answered, len(self._placed))
        self._told.update(dict.fromkeys(names_of(taken), told))
        self._placed.append(thread)


def record_again(
    bodies: Bodies, exchanges: Iterable[Exchange], table: ThreadTable, **options: Any
) -> Recorder:
    """Return a recorder of exchanges whose threads are those of a table, such as a mended one."""
    recorder = Recorder(bodies, **options)
    for thread in table.threads:
        recorder._router.open(thread)
    for exchange, place in zip(exchanges, table.placed, strict=True):
        recorder.record_in(place, exchange)
    return recorder


def _explanations(
    steps: Sequence[ExplainedStep], size: int, *, is_first: bool
) -> tuple[Explanation, ...]:
    if is_first:
        return (Explanation(START, f"the first request, with {counted(size)}", "proven"),)
    return tuple(Explanation(step.operation.title, step.reason, step.certainty) for step in steps)


def _sent(answered: ParsedResponse | None) -> tuple[SentMessage, ...]:
    return () if answered is None else answered.sent


def _notices(live: LiveThread, sent: Sequence[SentMessage]) -> tuple[str, ...]:
    """Return what keys don't see: thinking that was there before and is no longer sent."""
    lost = len(live.memory.unthought)
    thought = [one.key for one in live.answer if one.has_thoughts]
    lost += sum(one.key in thought and not one.has_thoughts for one in sent)
    return (f"the thinking of {counted(lost)} is no longer sent",) if lost else ()


def _meta(thread: Thread, asked: ParsedRequest) -> dict[str, Any]:
    """Return what a conversation says of itself: its thread, its model and its tools."""
    told = {
        "title": thread.name,
        "model": asked.model,
        "tools": storable(asked.described),
        "requests": thread.to_dict(),
    }
    return {key: value for key, value in told.items() if value}
