"""The recorder: takes exchanges one by one, and makes each a step of its lane's timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..conversation.conversation import Clock, Conversation
from ..messages.message import Message
from ..settings import Settings
from ..tokens.counters import counter_named
from ..values.times import milliseconds, read_time
from .asked import Answered, Asked, Bodies, Sent
from .cache import MOST_KEPT, Cache, Ruler
from .change import Step
from .difference import difference, first_messages, wholesale
from .exchange import Exchange
from .finding import Evidence
from .lanes import Lane, LaneTable
from .memory import Memory
from .patches import Patch
from .placing import Placer
from .proving import proofs
from .quoting import Unclaimed
from .recorded import START, Explanation, Recorded, facts_of, note_call, storable
from .resuming import Past, Told, is_alike, names_of, recalled, whole
from .secrets import Cleaner, SecretMemory
from .taken import Taken
from .track import Track
from .wording import counted

Earlier = Callable[[Asked], Iterable[Past]]
"""Gives the lanes that were recorded before and may be that of a request."""


class Recorder:
    """Records exchanges: one conversation for each lane, one call for each exchange.

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
        """Begin; ``earlier`` is asked for lanes of other runs before a new one is begun."""
        self._bodies, self._settings, self._clock = bodies, settings, clock
        self._earlier = earlier
        self._moment: int | None = None
        self._unclaimed = Unclaimed()
        self._secrets = SecretMemory()
        self._placer = Placer(self._unclaimed, lambda: Memory(settings, self._now))
        self._placed: list[int] = []
        self._told: dict[str, Told] = {}

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """Return all lanes by id."""
        return tuple(track.lane for track in self._placer.tracks)

    @property
    def table(self) -> LaneTable:
        """Return which exchange went where, to be mended and recorded again."""
        return LaneTable(self.lanes, tuple(self._placed))

    def conversation(self, lane: int) -> Conversation | None:
        """Return the conversation of a lane; None where there are only lanes beside it so far."""
        return self._placer.tracks[self.table.lane(lane).id].memory.conversation

    def record(self, exchange: Exchange) -> Recorded:
        """Take in an exchange, into the lane it belongs to; refuse what has no messages."""
        exchange = self._checked(exchange)
        asked = self._bodies.asked(exchange)
        if self._earlier is not None and self._placer.finder.find(asked).lane is None:
            for past in self._earlier(asked):
                self.resume(past)
        track, by = self._placer.place(exchange, asked)
        while not track.is_awake():
            self._placer.forget(track)
            track, by = self._placer.place(exchange, asked)
        return self._record(exchange, asked, track, by)

    def resume(self, past: Past, parent: int | None = None) -> Lane | None:
        """Go on with a lane of an earlier recorder, as one of ours; None where it was changed."""
        memory = Memory(self._settings, self._now)
        found = recalled(past, self._bodies, memory, self._told.get)
        if found is None:
            return None
        lane = replace(past.lane, id=len(self._placer.tracks), parent=parent)
        track = self._placer.open(lane, found[0].taken.asked.hints)
        track.memory, track.ruler, track.wake = memory, Ruler(len(found)), past.wake
        for one in found:
            self._note(track, one.taken, one.news, one.told)
        track.ruler.recall([(one.taken.asked, one.taken.sent) for one in found[-MOST_KEPT:]])
        for other in past.beside:
            self.resume(other, lane.id)
        return lane

    def go_on_with(self, lane: int, conversation: Conversation) -> bool:
        """Record a lane in another conversation from now on; False where it is not the same."""
        memory = self._placer.tracks[self.table.lane(lane).id].memory
        if memory.conversation is None or not is_alike(memory.conversation, conversation):
            return False
        memory.conversation = conversation
        return True

    def record_in(self, lane: int, exchange: Exchange) -> Recorded:
        """Take in an exchange into a lane that was chosen."""
        track = self._placer.tracks[self.table.lane(lane).id]
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
            lane=track.lane,
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
            memory.start(first_messages(memory, sent), sent, _meta(track.lane, taken.asked))
            return []
        is_main = not track.lane.is_side
        known = proofs(track, sent, self._unclaimed, self.lanes) if is_main else {}
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
        asked, answered, lane = taken.asked, taken.answered, track.lane.id
        is_main = not track.lane.is_side
        if is_main:
            self._placer.link_agents(track, news)
            for one in news:
                if one.message.role == "assistant":
                    self._unclaimed.claim(one.key)
        if answered is not None and answered.sent:
            self._unclaimed.add(answered, lane, track.calls)
        if track.lane.role != "counts":
            self._placer.finder.note(asked, answered, lane)
        track.answered(asked, answered, len(self._placed))
        self._told.update(dict.fromkeys(names_of(taken), told))
        self._placed.append(lane)


def record_again(
    bodies: Bodies, exchanges: Iterable[Exchange], table: LaneTable, **options: Any
) -> Recorder:
    """Return a recorder of exchanges whose lanes are those of a table, such as a mended one."""
    recorder = Recorder(bodies, **options)
    for lane in table.lanes:
        recorder._placer.open(lane)
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


def _meta(lane: Lane, asked: Asked) -> dict[str, Any]:
    """Return what a conversation says of itself: its lane, its model and its tools."""
    told = {
        "title": lane.name,
        "model": asked.model,
        "tools": storable(asked.described),
        "requests": lane.to_dict(),
    }
    return {key: value for key, value in told.items() if value}
