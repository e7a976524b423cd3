"""Recording: each exchange becomes a call of its thread, explained by operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..conversation.conversation import Clock, Conversation
from ..engine.messages import Message
from ..engine.operation import Operation
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
    SentMessage,
    digest,
    dumped,
)
from .cache import MAX_REMEMBERED, CacheEstimate, PrefixCache, counted
from .exchange import Exchange, Outcome
from .explaining import Certainty, ExplainedStep, difference, first_messages, replace_all
from .memory import ThreadMemory
from .revising import CallTraits, revised_table
from .routing import Evidence, LiveThread, ThreadRouter, UnclaimedAnswers, summary_proofs
from .secrets import SecretCleaner, SecretMemory
from .threads import Thread, ThreadTable

START, REPEAT = "START", "REPEAT"
"""What explains a request without an operation: the first of a thread, and the same one again."""


class Explanation(NamedTuple):
    """The name of an operation, why it is this one, and how certain that is."""

    operation: str
    reason: str
    certainty: Certainty

    def to_dict(self) -> dict[str, str]:
        """Return it as JSON-ready data."""
        return self._asdict()


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What is stored of a call; the fields are those of ``Conversation.record_call``."""

    request: str | None = None
    model: str | None = None
    tools: tuple[Mapping[str, Any], ...] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, int] | None = None
    answer: Any = None
    wire: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome = "complete"
    time: int | None = None


NO_FACTS = CallFacts()


@dataclass(frozen=True, slots=True)
class Recorded:
    """One exchange in its thread: ``number`` counts all exchanges, ``call`` those of the thread.

    ``by`` is the evidence for the thread. At ``revision`` the projection is what was sent;
    ``notices`` say what else there is to know about how it was written.
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
    facts: CallFacts = NO_FACTS


def facts_of(parts: ExchangeParts, recorded: Recorded, patches: Mapping[str, Patch]) -> CallFacts:
    """Return what is stored of a call, with all that is needed to write its body again."""
    exchange, request, response = parts.exchange, parts.request, parts.response
    wire = {
        "kind": request.kind,
        "id": exchange.id,
        "path": exchange.path,
        "headers": dict(exchange.headers),
        "status": exchange.status,
        "tag": exchange.tag,
        "envelope": exchange.envelope,
        "source": exchange.source,
        "form": dict(request.form),
        "keys": list(request.keys),
        "prompt": int(any(one.place == PROMPT for one in request.sent[:1])),
        "carried": [parts.carried.start, parts.carried.stop] if parts.carried else None,
        "by": recorded.by,
        "explained": [one.to_dict() for one in recorded.explanations],
        "noticed": list(recorded.notices),
        "removed": exchange.removed.to_dict() if exchange.removed else None,
        "warnings": [dict(one) for one in exchange.warnings],
        "cache": recorded.cache.to_dict(),
    }
    wire = {key: value for key, value in wire.items() if value}
    return CallFacts(
        request=None if response is None else response.id,
        model=request.model,
        tools=request.tools,
        parameters=request.parameters,
        usage=None if response is None else response.usage,
        answer=exchange.response,
        wire={**wire, "number": recorded.number, "rows": patches},
        outcome=exchange.outcome,
        time=exchange.time,
    )


def note_call(conversation: Conversation, facts: CallFacts) -> None:
    """Store a call with its conversation; what is nested too deeply is left out."""
    conversation.record_call(
        request=facts.request or None,
        model=facts.model,
        tools=storable(facts.tools),
        parameters=_storable_values(facts.parameters),
        usage=facts.usage,
        answer=storable(facts.answer),
        wire=_storable_values(facts.wire),
        outcome=facts.outcome,
        time=facts.time,
    )


def _storable_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that can be stored; null is one of them."""
    frozen = ((key, value, storable(value, depth=1)) for key, value in values.items())
    return {key: kept for key, value, kept in frozen if kept is not None or value is None}


def storable(value: Any, depth: int = 0) -> Any:
    """Return a value frozen, or None if it is nested deeper than anything is stored.

    ``depth`` is how deeply it will be stored itself.
    """
    try:
        return freeze(value, "call", depth)
    except Refused:
        return None


# Threads of earlier recorders


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


class StoredResponse(NamedTuple):
    """Where a response was given, and what it was, for a request that only names it."""

    memory: ThreadMemory
    revision: int
    answer: tuple[SentMessage, ...]


class RecalledCall(NamedTuple):
    """A call of an earlier recorder, and which of its messages were new."""

    parts: ExchangeParts
    news: list[SentMessage]
    stored: StoredResponse


def with_carried(
    request: ParsedRequest, stored: StoredResponse | None
) -> tuple[tuple[SentMessage, ...], range]:
    """Return all that the model was sent, with the positions of what the request only names."""
    if stored is None:
        return request.sent, range(0)
    assert stored.memory.conversation is not None
    before = stored.memory.seen(stored.memory.conversation.revisions[stored.revision].view)
    held = (one for one in before if request.is_thread or one.place == MESSAGES)
    carried = [*held, *stored.answer]
    prompt = [one for one in request.sent if one.place == PROMPT]
    own = request.sent[len(prompt) :]
    return (*prompt, *carried, *own), range(len(prompt), len(prompt) + len(carried))


def recalled_calls(
    earlier: EarlierThread,
    bodies: Bodies,
    memory: ThreadMemory,
    known: Callable[[str], StoredResponse | None],
) -> list[RecalledCall] | None:
    """Return the calls of a thread, which fill a memory; None if it was changed since."""
    conversation, found = earlier.conversation, list[RecalledCall]()
    calls = conversation.calls.all
    if not calls or len(calls) != len(earlier.exchanges):
        return None
    if calls[-1].revision != conversation.current.id:
        return None
    here: dict[str, StoredResponse] = {}
    memory.resume(conversation)
    for call, exchange in zip(calls, earlier.exchanges, strict=True):
        try:
            request, response = bodies.parse_request(exchange), bodies.parse_response(exchange)
        except Refused:
            return None
        id = request.previous
        stored = None if id is None else here.get(id) or known(id)
        parts = ExchangeParts(exchange, request, response, *with_carried(request, stored))
        before = set(memory.raws)
        if not memory.recall(call.revision, parts.sent, parts.carried):
            return None
        now = StoredResponse(memory, call.revision, parts.answer)
        here.update(dict.fromkeys(parts.response_ids, now))
        pairs = zip(memory.raws, parts.sent, strict=True)
        found.append(RecalledCall(parts, [one for raw, one in pairs if raw not in before], now))
    return found


def is_same_recording(one: Conversation, other: Conversation) -> bool:
    """Return whether two conversations were made of the same requests and of nothing else."""
    return (
        one.current.id == other.current.id
        and one.view == other.view
        and len(one.journal) == len(other.journal)
        and [call.revision for call in one.calls.all] == [call.revision for call in other.calls.all]
        and list(one.log) == list(other.log)
    )


# The recorder

FindEarlier = Callable[[ParsedRequest], Iterable[EarlierThread]]
"""Returns the threads that were recorded before and may be that of a request."""


class Recorder:
    """Records exchanges: one conversation for each thread, one call for each exchange.

    The projection after each request is the request. An answer is stored with its call, and becomes
    a message when a later request sends it back.
    """

    def __init__(
        self,
        bodies: Bodies,
        *,
        settings: Settings | Mapping[str, Any] | None = None,
        clock: Clock = milliseconds,
        earlier: FindEarlier | None = None,
    ) -> None:
        """Begin; ``earlier`` finds threads of other runs before a new one is begun."""
        self._bodies, self._settings, self._clock = bodies, settings, clock
        self._earlier = earlier
        self._time: int | None = None
        self._unclaimed = UnclaimedAnswers()
        self._secrets = SecretMemory()
        self._router = ThreadRouter(self._unclaimed, lambda: ThreadMemory(settings, self._now))
        self._placed: list[int] = []
        self._traits: list[CallTraits] = []
        self._waiting: dict[bytes, list[int]] = {}
        self._tools: tuple[tuple[Mapping[str, Any], ...] | None, bytes] = (None, b"")
        """The tools of the last call, with their digest."""
        self._stored: dict[str, StoredResponse] = {}

    @property
    def threads(self) -> tuple[Thread, ...]:
        """Return all threads by id."""
        return tuple(live.thread for live in self._router.live_threads)

    @property
    def table(self) -> ThreadTable:
        """Return the thread of each exchange, to be corrected and recorded again."""
        return ThreadTable(self.threads, tuple(self._placed))

    @property
    def revised(self) -> ThreadTable:
        """Return the table as it should be, judged with all that was recorded later."""
        return revised_table(self.table, self._traits)

    def conversation(self, thread: int) -> Conversation | None:
        """Return the conversation of a thread; None while it only has side threads."""
        return self._live(thread).memory.conversation

    def record(self, exchange: Exchange) -> Recorded:
        """Record an exchange in the thread it belongs to; refuse one without messages."""
        exchange = self._checked(exchange)
        request = self._bodies.parse_request(exchange)
        if self._earlier is not None and self._router.find(request).thread is None:
            for earlier in self._earlier(request):
                self.resume(earlier)
        live, by = self._router.route(exchange, request)
        while not live.is_open():
            self._router.forget(live)
            live, by = self._router.route(exchange, request)
        recorded = self._record(exchange, request, live, by, is_routed=True)
        return replace(recorded, thread=live.thread)

    def resume(self, earlier: EarlierThread, parent: int | None = None) -> Thread | None:
        """Continue a thread of an earlier recorder as one of ours; None if it was changed."""
        memory = ThreadMemory(self._settings, self._now)
        calls = recalled_calls(earlier, self._bodies, memory, self._stored.get)
        if calls is None:
            return None
        number = len(self._router.live_threads)
        thread = replace(earlier.thread, id=number, parent=parent)
        live = self._router.open(thread, calls[0].parts.request.hints)
        live.memory, live.reopen = memory, earlier.reopen
        live.prefix_cache = PrefixCache(len(calls))
        for one in calls:
            self._note(live, one.parts, one.news, one.stored, is_routed=True)
        last = calls[-MAX_REMEMBERED:]
        live.prefix_cache.recall([(one.parts.request, one.parts.sent) for one in last])
        for other in earlier.beside:
            self.resume(other, thread.id)
        return thread

    def continue_in(self, thread: int, conversation: Conversation) -> bool:
        """Record a thread in another conversation from now on; False if that is not the same."""
        memory = self._live(thread).memory
        if memory.conversation is None or not is_same_recording(memory.conversation, conversation):
            return False
        memory.conversation = conversation
        return True

    def record_in(self, thread: int, exchange: Exchange) -> Recorded:
        """Record an exchange in a thread that was chosen."""
        live = self._live(thread)
        exchange = self._checked(exchange)
        request = self._bodies.parse_request(exchange)
        if not live.calls:
            live.hints = request.hints
        return self._record(exchange, request, live, "none", is_routed=False)

    def _live(self, thread: int) -> LiveThread:
        return self._router.live_threads[self.table.thread(thread).id]

    def _checked(self, exchange: Exchange) -> Exchange:
        """Return an exchange without secrets; refuse an impossible time."""
        if exchange.time is not None:
            read_time(exchange.time, "time")
        return SecretCleaner(self._secrets).clean(exchange)

    def _now(self) -> int:
        return self._clock() if self._time is None else self._time

    def _record(
        self,
        exchange: Exchange,
        request: ParsedRequest,
        live: LiveThread,
        by: Evidence,
        *,
        is_routed: bool,
    ) -> Recorded:
        self._time = exchange.time
        response = self._bodies.parse_response(exchange)
        stored = None if request.previous is None else self._stored.get(request.previous)
        parts = ExchangeParts(exchange, request, response, *with_carried(request, stored))
        known = set(live.memory.raws)
        memory, is_first = live.memory, live.calls == 0
        steps = self._change(live, parts)
        assert memory.conversation is not None
        count = counter_named(memory.conversation.settings.counter).count
        cache = live.prefix_cache.measure(
            request, parts.sent, memory.tokens, lambda text: count(Message("system", text))
        )
        recorded = Recorded(
            number=len(self._placed),
            thread=live.thread,
            by=by,
            call=live.calls,
            revision=memory.conversation.current.id,
            operations=tuple(step.operation for step in steps),
            explanations=_explanations(live.thread, steps, len(parts.sent), is_first=is_first),
            cache=cache,
            notices=_notices(live, parts.sent),
        )
        patches = memory.wire(
            parts.sent,
            parts.carried,
            lambda place, message: self._bodies.rows(request.kind, place, message),
        )
        recorded = replace(recorded, facts=facts_of(parts, recorded, patches))
        note_call(memory.conversation, recorded.facts)
        news = [one for raw, one in zip(memory.raws, parts.sent, strict=True) if raw not in known]
        here = StoredResponse(memory, memory.conversation.current.id, parts.answer)
        self._note(live, parts, news, here, is_routed=is_routed)
        return recorded

    def _change(self, live: LiveThread, parts: ExchangeParts) -> list[ExplainedStep]:
        """Make exactly the request visible, and return the steps that did so."""
        memory, sent = live.memory, parts.sent
        if memory.conversation is None:
            meta = _meta(live.thread, parts.request)
            memory.start(first_messages(memory, sent), sent, meta)
            return []
        is_main = not live.thread.is_side
        proofs = summary_proofs(live, sent, self._unclaimed, self.threads) if is_main else {}
        steps = difference(memory, sent, live.answer, proofs)
        if not memory.change([step.operation for step in steps], sent):
            more = replace_all(memory, sent)
            memory.change([step.operation for step in more], sent)
            steps += more
        return steps

    def _note(
        self,
        live: LiveThread,
        parts: ExchangeParts,
        news: Sequence[SentMessage],
        stored: StoredResponse,
        *,
        is_routed: bool,
    ) -> None:
        """Remember the response, and by what later requests are recognised."""
        request, response, number = parts.request, parts.response, len(self._placed)
        answers = [one.key for one in news if one.message.role == "assistant"]
        for key in answers:
            for earlier in self._waiting.pop(key, ()):
                self._traits[earlier].is_sent_back = True
        if not live.thread.is_side:
            if is_routed:
                self._router.link(live, news)
            for key in answers:
                self._unclaimed.claim(key)
        if response is not None and response.sent:
            self._unclaimed.add(request, response, live.thread.id, live.calls)
            for one in response.sent:
                self._waiting.setdefault(one.key, []).append(number)
        if live.thread.role != "counts":
            self._router.note(request, response, live)
        before = live.request
        live.add_call(request, response, number)
        self._stored.update(dict.fromkeys(parts.response_ids, stored))
        if request.tools != self._tools[0]:
            self._tools = request.tools, digest(dumped(request.tools, in_order=False))
        self._traits.append(CallTraits.of(parts.exchange, request, self._tools[1], before))
        self._placed.append(live.thread.id)


def record_again(
    bodies: Bodies, exchanges: Iterable[Exchange], table: ThreadTable, **options: Any
) -> Recorder:
    """Return a recorder of exchanges whose threads are those of a table."""
    recorder = Recorder(bodies, **options)
    for thread in table.threads:
        recorder._router.open(thread)
    for exchange, thread_id in zip(exchanges, table.placed, strict=True):
        recorder.record_in(thread_id, exchange)
    return recorder


def _explanations(
    thread: Thread, steps: Sequence[ExplainedStep], size: int, *, is_first: bool
) -> tuple[Explanation, ...]:
    if is_first:
        return (Explanation(START, f"the first request, with {counted(size)}", "proven"),)
    if not steps:
        return (Explanation(REPEAT, "the same messages were sent again", "proven"),)
    if thread.role == "sideCalls":
        said = f"a side call of its own, with {counted(size)}"
        return (Explanation(START, said, "likely"),)
    return tuple(Explanation(step.operation.title, step.reason, step.certainty) for step in steps)


def _notices(live: LiveThread, sent: Sequence[SentMessage]) -> tuple[str, ...]:
    """Return what keys don't show: thinking that is no longer sent."""
    lost = len(live.memory.unthought)
    thought = [one.key for one in live.answer if one.has_thoughts]
    lost += sum(one.key in thought and not one.has_thoughts for one in sent)
    return (f"the thinking of {counted(lost)} is no longer sent",) if lost else ()


def _meta(thread: Thread, request: ParsedRequest) -> dict[str, Any]:
    """Return the ``meta`` of a conversation: its thread, its model and its tools."""
    meta = {
        "title": thread.name,
        "model": request.model,
        "tools": storable(request.described),
        "requests": thread.to_dict(),
    }
    return {key: value for key, value in meta.items() if value}
