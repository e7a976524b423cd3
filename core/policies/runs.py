"""Runs: the messages of a conversation in order, and the calls of the model.

A policy is evaluated over the same messages. What the conversation's own operations did to the
context is not part of the run; it is what ``(recorded)`` is evaluated by.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

from ..conversation.readable import Readable
from ..engine.log import ROLE_CODES, Tally
from ..engine.messages import Message, is_unnamed_result
from ..engine.operation import Operation
from ..engine.operations import Append, Insert, Mark
from ..engine.revisions import Revision
from ..engine.settings import Settings
from ..engine.state import Head, State, StateAtRevision
from ..engine.tokens import count_definitions, count_tools, counting
from ..engine.views import EMPTY, View, indices_of, runs_of, shared_start
from ..errors import Refused, wrong_type
from ..lint import profile_rules
from ..lint.linting import ErrorCount
from ..lint.projection import Units
from ..values.frozen import thaw
from ..values.models import ROLES
from .costs import CACHING, CacheTerms, Prices, SummaryCall
from .figures import CallFigures, PolicyFigures, RefusedCall

ASSISTANT = ROLES.index("assistant")


@dataclass(frozen=True, slots=True)
class CallPoint:
    """A call of the model: how many messages of the run there were, and what the history sent.

    ``log_size`` is the length of the log then, ``batch`` the number of the batch it was made in,
    ``output`` the tokens of the answer, ``tools`` those of the tool definitions. Of a call that was
    recorded the time and the model are known.
    """

    at: int
    view: View
    log_size: int
    batch: int
    output: int
    tools: int = 0
    time: int | None = None
    model: str | None = None


@dataclass(frozen=True)
class RecordedRun:
    """The messages that START or APPEND added on the path, and the calls made between them.

    Those that were inserted before all others, before the first answer, come first.

    ``counts`` are their tokens, ``marks`` the places of the marked ones, by label.
    """

    state: State
    raws: tuple[int, ...]
    messages: tuple[Message, ...]
    counts: tuple[int, ...]
    marks: Mapping[str, tuple[int, ...]]
    calls: tuple[CallPoint, ...]
    is_recorded: bool

    @property
    def has_history(self) -> bool:
        return self.is_recorded or len(self.state.path) > 1

    def marked(self, labels: Collection[str]) -> list[int]:
        """Return the messages of the path that carry any of some labels, by raw index."""
        marks = self.state.head.marks
        found = {raw for label in labels for raw in marks.get(label, ())}
        if found:
            revision = self.state.current
            added = set(indices_of(revision.fresh))
            while revision.parent is not None:
                revision = self.state.revisions[revision.parent]
                added.update(indices_of(revision.fresh))
            found &= added
        return sorted(found)

    def labels(self, must: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return the required labels: all, or those named; refuse one that no message carries."""
        known = sorted(label for label in self.state.head.marks if self.marked((label,)))
        for label in must or ():
            if label not in known:
                legal = ", ".join(known) or "no label: nothing of it is marked"
                raise wrong_type("must", label, f"a label of this run ({legal})")
        return tuple(known) if must is None else must


def run_of(conversation: Readable) -> RecordedRun:
    """Return the run of a conversation as it is now."""
    state = conversation.at(conversation.current.id).moment
    fronts = list(_put_in_front(state))
    entries = sorted([*_entries(state), *fronts], key=lambda one: -one.depth)
    front = [raw for revision in fronts for raw in indices_of(revision.fresh)]
    added = {raw for revision in entries for raw in indices_of(revision.fresh)}
    raws = [*front, *sorted(added - set(front))]
    place = {raw: at for at, raw in enumerate(raws)}
    counter, log = state.counter, state.log
    marks = {
        label: tuple(place[raw] for raw in marked if raw in place)
        for label, marked in state.head.marks.items()
    }
    messages = tuple(log[raw] for raw in raws)
    counts = tuple(log.tokens(raw, counter) for raw in raws)
    answers = [
        tokens if message.role == "assistant" else 0
        for message, tokens in zip(messages, counts, strict=True)
    ]
    recorded = tuple(_recorded(conversation, state, entries, answers))
    return RecordedRun(
        state,
        tuple(raws),
        messages,
        counts,
        marks,
        recorded or tuple(_presumed(state, entries, place)),
        bool(recorded),
    )


def calls_made(conversation: Readable) -> int:
    """Return how many calls a conversation has seen: recorded ones, else one for each answer."""
    state = conversation.moment
    recorded = len(conversation.calls)
    if recorded:
        return recorded
    return sum(
        state.log.roles(start, start + length).count(ASSISTANT)
        for revision in _entries(state)
        for start, length in revision.fresh
    )


def _entries(state: State) -> Iterator[Revision]:
    """Yield the revisions of the path that brought messages of the run, the newest first."""
    revision = state.current
    while True:
        if revision.fresh and (revision.parent is None or isinstance(revision.operation, Append)):
            yield revision
        if revision.parent is None:
            return
        revision = state.revisions[revision.parent]


def _put_in_front(state: State) -> Iterator[Revision]:
    """Yield the revisions that inserted messages before all others, the newest first.

    So an integration adds instructions that it is only given after the question. Once the model has
    answered, what is inserted is a change.
    """
    revision = state.current
    while revision.parent is not None:
        operation = revision.operation
        is_front = isinstance(operation, Insert) and operation.position == 0
        if is_front and ASSISTANT not in revision.view.column(state.log.roles):
            yield revision
        revision = state.revisions[revision.parent]


def _presumed(
    state: State, entries: list[Revision], place: Mapping[int, int]
) -> Iterator[CallPoint]:
    """Yield a call just before each message of the assistant."""
    log, counter = state.log, state.counter
    tools = count_tools(state.head.meta.get("tools"), counter)
    for revision in reversed(entries):
        view = EMPTY if revision.parent is None else state.revisions[revision.parent].view
        number = state.batches[revision.batch].number
        fresh, seen = indices_of(revision.fresh), 0
        for at, raw in enumerate(fresh):
            if log.roles(raw, raw + 1)[0] == ASSISTANT:
                if at > seen:
                    view, seen = view.extended(tuple(runs_of(fresh[seen:at]))), at
                yield CallPoint(place[raw], view, raw, number, log.tokens(raw, counter), tools)


def _recorded(
    conversation: Readable, state: State, entries: list[Revision], answers: list[int]
) -> Iterator[CallPoint]:
    """Yield the calls that were recorded on the path.

    ``answers`` are the tokens of the assistant's messages, 0 at the places of all others.
    """
    calls = list(conversation.calls)
    depths = [revision.depth for revision in reversed(entries)]
    sizes = [len(indices_of(revision.fresh)) for revision in reversed(entries)]
    reached = [0, *accumulate(sizes)]
    revisions = [state.revisions[call.revision] for call in calls]
    points = [reached[bisect_right(depths, revision.depth)] for revision in revisions]
    spans = pairwise([*points, len(answers)])
    known = conversation.calls.tools
    tools = {key: count_definitions(thaw(known[key]), state.counter) for key in known}
    usual = count_tools(state.head.meta.get("tools"), state.counter)
    for call, revision, (at, following) in zip(calls, revisions, spans, strict=True):
        said = sum(answers[at:following])
        reported = None if call.usage is None else call.usage.output
        output = said if reported is None else reported
        number = state.batches[revision.batch].number
        sent = tools.get(call.tools or "", usual)
        view, size = revision.view, revision.log_size
        yield CallPoint(at, view, size, number, output, sent, call.time, call.model)


class StateAtCall(StateAtRevision):
    """A state in which something is visible that needs no revision of its own.

    A call in the middle of one APPEND, or of the messages a conversation starts with, is such one.
    """

    __slots__ = ("_current",)

    def __init__(self, base: State, head: Head, view: View, log_size: int) -> None:
        super().__init__(base, head)
        counter = head.settings.counter
        self._current = base.revisions[head.revision]._replace(
            view=view, log_size=log_size, tokens=base.log.total(view, counter), counter=counter
        )

    @property
    def current(self) -> Revision:
        return self._current

    @property
    def view(self) -> View:
        return self._current.view


@dataclass(frozen=True)
class SimulationConfig:
    """What a simulation is evaluated by: a profile's rules, the required labels, the prices."""

    run: RecordedRun
    profile: str
    required_labels: tuple[str, ...]
    prices: Prices | None = None
    output: int | None = None
    limit: int | None = None
    pace: float | None = None

    @classmethod
    def about(
        cls,
        run: RecordedRun,
        *,
        profile: str | None = None,
        required_labels: Sequence[str] | None = None,
        prices: Prices | None = None,
        output: int | None = None,
        limit: int | None = None,
    ) -> SimulationConfig:
        """Return the configuration for a run; by default its own profile and all its labels.

        ``output`` is the most tokens that an answer may have, ``limit`` the token limit where
        the run has none.
        """
        named = run.state.head.settings.profile if profile is None else profile
        profile_rules(named)
        return cls(
            run,
            named,
            run.labels(None if required_labels is None else tuple(required_labels)),
            prices,
            output,
            limit,
        )

    def at_pace(self, pace: float) -> SimulationConfig:
        """Return it with the seconds from call to call, in place of the recorded times."""
        if self.profile not in CACHING:
            why = f"what a cache of the {self.profile} profile keeps is not known"
            raise Refused(why, "pace", pace, f"profile {' or '.join(CACHING)}")
        return replace(self, pace=pace)

    @cached_property
    def settings(self) -> Settings:
        """Return the settings of the run, with a token limit if it has none of its own."""
        own = self.run.state.head.settings
        if own.token_limit is not None or self.limit is None:
            return own
        return own.changed({"token_limit": self.limit})

    @cached_property
    def sums(self) -> Sequence[int]:
        """Return the tokens of the messages of the run before each place."""
        return [0, *accumulate(self.run.counts)]

    @cached_property
    def quiet(self) -> Sequence[bool]:
        """Return for each call whether the messages since the last one add no error and fix none.

        That holds if they are whole exchanges and messages without links, and nothing before them
        still waits for a result.
        """
        units, log = Units(), self.run.state.log
        places = [0, *(point.at for point in self.run.calls)]
        for raw, message in zip(self.run.raws, self.run.messages, strict=True):
            if is_unnamed_result(message):
                return [False] * len(self.run.calls)  # Any later call makes it worse.
            units.take(ROLE_CODES[message.role], log.links(raw))
        return [
            units.is_whole(start, stop) and not units.is_loose(start - 1)
            for start, stop in pairwise(places)
        ]

    @cached_property
    def _marked(self) -> Sequence[tuple[int, tuple[str, ...]]]:
        found: dict[int, list[str]] = {}
        for label, places in self.run.marks.items():
            for place in places:
                found.setdefault(place, []).append(label)
        return [(place, tuple(labels)) for place, labels in sorted(found.items())]

    def labels_between(self, start: int, stop: int) -> Sequence[tuple[int, tuple[str, ...]]]:
        """Return the marked messages of a range of the run, by place, with their labels."""
        marked = self._marked
        return marked[bisect_left(marked, (start,)) : bisect_left(marked, (stop,))]

    def additions(self, start: int, stop: int, log_size: int) -> list[Operation]:
        """Return the APPEND and the MARKs that add a range of the run to a log of some size."""
        if start == stop:
            return []
        shift = log_size - start
        marks = [
            Mark(indices=(place + shift,), label=label)
            for place, labels in self.labels_between(start, stop)
            for label in labels
        ]
        return [Append(messages=self.run.messages[start:stop]), *marks]

    @cached_property
    def _counts(self) -> Mapping[int, int]:
        return dict(zip(map(id, self.run.messages), self.run.counts, strict=True))

    def tally(self, counter: str) -> Tally:
        """Return how a counter counts here: messages of the run are counted already."""
        live = counting(counter)
        if counter != self.run.state.counter:
            return live
        counts = self._counts

        def count(message: Message) -> int:
            known = counts.get(id(message))
            return live(message) if known is None else known

        return count

    @cached_property
    def caching(self) -> CacheTerms:
        """Return what the provider's cache keeps."""
        calls = self.run.calls
        model = next((one.model for one in calls if one.model is not None), None)
        return CacheTerms.of(self.profile, [one.time for one in calls], model, self.pace)

    def figures(
        self,
        name: str,
        calls: Sequence[CallFigures],
        refused: Sequence[RefusedCall] = (),
        summaries: Sequence[SummaryCall] = (),
    ) -> PolicyFigures:
        """Return the figures of a policy from what each call sends beside the tool definitions."""
        limit = self.settings.token_limit
        output = sum(point.output for point in self.run.calls)
        return PolicyFigures(
            name,
            tuple(map(self._with_tools, calls)),
            tuple(refused),
            limit,
            output,
            self.prices,
            caching=self.caching,
            summaries=tuple(summaries),
        )

    def _with_tools(self, one: CallFigures) -> CallFigures:
        """Return the figures of a call with its tool definitions, which come first in a prompt."""
        tools = self.run.calls[one.call - 1].tools
        before = self.run.calls[one.call - 2].tools if one.call > 1 else 0
        if not tools and not before:
            return one
        prefix = one.prefix_tokens + tools if tools == before else 0
        return replace(one, tokens=one.tokens + tools, prefix_tokens=prefix)

    @cached_property
    def all_sent(self) -> PolicyFigures:
        """Return the figures of sending all there is, by which a policy pays back."""
        sums = [0, *(self.sums[point.at] for point in self.run.calls)]
        calls = [
            CallFigures(number, point.at, sums[number], sums[number - 1], 0, 0, False)
            for number, point in enumerate(self.run.calls, 1)
        ]
        return self.figures("all", calls)


class CallEvaluator:
    """Evaluates calls whose states share one growing log, by the rules of a profile."""

    def __init__(self, profile: str) -> None:
        self._errors = ErrorCount(profile)

    @property
    def is_local(self) -> bool:
        """Return whether whole exchanges at the end can neither break nor fix anything."""
        return self._errors.is_local

    def judge(
        self, call: int, state: State, before: View, must: Collection[int], *, acted: bool
    ) -> CallFigures:
        """Return the figures of a call that sends what is visible in a state.

        ``before`` is what the call before has sent, ``must`` the messages that must be sent.
        """
        view, tokens = state.view, state.total(state.current)
        shared = shared_start(view, before)
        return CallFigures(
            call,
            len(view),
            tokens,
            _tokens_at_start(state, view, shared, tokens),
            self._errors.errors(state),
            sum(raw not in view for raw in must),
            acted,
        )


def _tokens_at_start(state: State, view: View, shared: int, total: int) -> int:
    """Return the tokens of the first messages, summed up on the side that has fewer runs."""
    if not shared or shared == len(view):
        return total if shared else 0
    behind = view[shared:]
    if behind.run_count * 2 <= view.run_count:
        return total - state.log.total(behind, state.counter)
    return state.log.total(view[:shared], state.counter)
