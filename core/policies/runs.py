"""Runs: what was said in a conversation, in order, and when the model was called.

A policy is judged by letting the same messages come again. What the conversation's own operations
did to the context is not part of the run; it is what ``(recorded)`` is judged by.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise

from ..conversation.readable import Readable
from ..errors import not_a
from ..history.revisions import Revision
from ..history.state import State
from ..messages.message import Message
from ..operations import Append
from ..values.roles import ROLES
from ..views.spans import indices_of, runs_of
from ..views.view import EMPTY, View

ASSISTANT = ROLES.index("assistant")


@dataclass(frozen=True, slots=True)
class CallPoint:
    """A call of the model: how many messages of the run had come, and what the history sent.

    ``log_size`` is the length of the log then, ``batch`` the number of the batch it was made in,
    ``output`` the tokens of the answer.
    """

    at: int
    view: View
    log_size: int
    batch: int
    output: int


@dataclass(frozen=True)
class Run:
    """The messages that came by START or APPEND on the path, and the calls made between them.

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
        """Tell whether the conversation shows what really was sent."""
        return self.is_recorded or len(self.state.path) > 1

    def marked(self, labels: Collection[str]) -> list[int]:
        """Return the messages of the path that carry any of some labels, by raw index."""
        marks = self.state.head.marks
        found = {raw for label in labels for raw in marks.get(label, ())}
        if found:
            revision = self.state.current
            come = set(indices_of(revision.fresh))
            while revision.parent is not None:
                revision = self.state.revisions[revision.parent]
                come.update(indices_of(revision.fresh))
            found &= come
        return sorted(found)

    def labels(self, must: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return the labels that must stay: all, or those named; refuse one nobody carries."""
        known = sorted(label for label in self.state.head.marks if self.marked((label,)))
        for label in must or ():
            if label not in known:
                legal = ", ".join(known) or "no label: nothing of it is marked"
                raise not_a("must", label, f"a label of this run ({legal})")
        return tuple(known) if must is None else must


def run_of(conversation: Readable) -> Run:
    """Return the run of a conversation as it is now."""
    state = conversation.at(conversation.current.id).moment
    entries = list(_entries(state))
    raws = sorted(raw for revision in entries for raw in indices_of(revision.fresh))
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
    return Run(
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


def _presumed(
    state: State, entries: list[Revision], place: Mapping[int, int]
) -> Iterator[CallPoint]:
    """Yield a call just before each message of the assistant."""
    log, counter = state.log, state.counter
    for revision in reversed(entries):
        view = EMPTY if revision.parent is None else state.revisions[revision.parent].view
        number = state.batches[revision.batch].number
        fresh, seen = indices_of(revision.fresh), 0
        for at, raw in enumerate(fresh):
            if log.roles(raw, raw + 1)[0] == ASSISTANT:
                if at > seen:
                    view, seen = view.extended(tuple(runs_of(fresh[seen:at]))), at
                yield CallPoint(place[raw], view, raw, number, log.tokens(raw, counter))


def _recorded(
    conversation: Readable, state: State, entries: list[Revision], answers: list[int]
) -> Iterator[CallPoint]:
    """Yield the calls that were recorded on the path.

    ``answers`` are the tokens of the assistant's messages, 0 at the places of all others.
    """
    calls = list(conversation.calls)
    depths = [revision.depth for revision in reversed(entries)]
    sizes = [len(indices_of(revision.fresh)) for revision in reversed(entries)]
    come = [0, *accumulate(sizes)]
    revisions = [state.revisions[call.revision] for call in calls]
    points = [come[bisect_right(depths, revision.depth)] for revision in revisions]
    stretches = pairwise([*points, len(answers)])
    for call, revision, (at, following) in zip(calls, revisions, stretches, strict=True):
        said = sum(answers[at:following])
        told = None if call.usage is None else call.usage.output
        output = said if told is None else told
        number = state.batches[revision.batch].number
        yield CallPoint(at, revision.view, revision.log_size, number, output)
