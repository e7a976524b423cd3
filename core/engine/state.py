"""State: what a conversation is at one moment.

Messages, revisions, batches and calls only ever grow. Everything else is one small immutable value,
the ``Head``: undoing puts an earlier head back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..errors import Refused
from ..values.frozen import FrozenDict
from ..values.models import ROLES
from .calls import CallLog, CallsPrefix
from .log import MADE, ROLE_CODES, Counting, Log, LogReader, StagedLog, Tally
from .messages import Message
from .operation import Operation
from .revisions import Batch, Overlay, Path, Revision, ancestor, jump_from
from .settings import Settings
from .views import Marks, Run, View, indices_of, runs_of, size_of, spans_of


class Head(NamedTuple):
    """The part of a state that can be undone."""

    revision: int
    marks: Marks
    names: Mapping[int, str]
    settings: Settings
    meta: FrozenDict = FrozenDict()


class State:
    """A conversation at one moment, to be read."""

    __slots__ = ("batches", "calls", "head", "latest", "log", "revisions", "toggle_messages")

    log: LogReader
    revisions: Sequence[Revision]
    batches: Sequence[Batch]
    calls: CallLog | CallsPrefix
    latest: dict[int, int]
    toggle_messages: frozenset[int]
    """Messages that only a TOGGLE needed: they are younger than their revisions seem."""
    head: Head

    @property
    def current(self) -> Revision:
        return self.revisions[self.head.revision]

    @property
    def view(self) -> View:
        return self.revisions[self.head.revision].view

    @property
    def batch(self) -> Batch:
        return self.named(self.batches[self.current.batch])

    @property
    def path(self) -> Path:
        """Return the batches from number 0 to the current one."""
        return Path(self.batches, self.batches[self.current.batch])

    @property
    def counter(self) -> str:
        return self.head.settings.counter

    def named(self, batch: Batch) -> Batch:
        """Return a batch with the name it was given, if any."""
        name = self.head.names.get(batch.id)
        return batch if name is None else batch._replace(name=name)

    def newest(self, batch: int) -> Revision:
        """Return the revision of a batch that was made last, among those this state knows."""
        revisions, at = self.revisions, self.latest[batch]
        if at < len(revisions) and revisions[at].batch == batch:
            return revisions[at]
        # The conversation has gone on since.
        known = (revisions[id] for id in range(len(revisions) - 1, -1, -1))
        return next(revision for revision in known if revision.batch == batch)

    def on_path(self, number: int) -> Revision:
        """Return the newest revision of a batch of the path among the ancestors."""
        current = self.current
        batch = self.batches[current.batch]
        if number == batch.number:
            return current
        following = ancestor(self.batches, batch, number + 1)
        left = self.revisions[following.opened].parent
        assert left is not None
        return self.revisions[left]

    def total(self, revision: Revision) -> int:
        """Return the visible tokens of a revision, in the counter that is in use."""
        if revision.counter == self.counter:
            return revision.tokens
        return self.log.total(revision.view, self.counter)


class StateAtRevision(State):
    """A state with another head: at an earlier revision, or after a step of a list."""

    __slots__ = ()

    def __init__(self, base: State, head: Head) -> None:
        self.log = base.log
        self.revisions = base.revisions
        self.batches = base.batches
        self.calls = base.calls
        self.latest = base.latest
        self.toggle_messages = base.toggle_messages
        self.head = head


class ConversationState(State):
    """The state a conversation really has.

    ``version`` counts the changes it has taken over. A draft is made for one version and fits no
    other; what only reads may read on while the state grows.
    """

    __slots__ = ("version",)

    log: Log
    revisions: list[Revision]
    batches: list[Batch]
    calls: CallLog

    def __init__(self, head: Head) -> None:
        self.log = Log()
        self.revisions = []
        self.batches = []
        self.calls = CallLog()
        self.latest = {}
        self.toggle_messages = frozenset()
        self.head = head
        self.version = 0

    def copy(self) -> ConversationState:
        copy = ConversationState(self.head)
        copy.log = self.log.copy()
        copy.revisions = self.revisions[:]
        copy.batches = self.batches[:]
        copy.calls = self.calls.copy()
        copy.latest = self.latest.copy()
        copy.toggle_messages = self.toggle_messages
        copy.version = self.version
        return copy


class Draft(State):
    """A state that operations may write to; nothing of it is real before it is committed.

    It reads the state it was made for, even if that grows meanwhile. Only making and committing it
    need the state not to change.
    """

    __slots__ = (
        "_counting",
        "_current",
        "_fresh",
        "_original",
        "_pool",
        "counts",
        "latest_added",
        "stock",
        "time",
        "version",
    )

    log: StagedLog
    revisions: Overlay[Revision]
    batches: Overlay[Batch]

    def __init__(self, base: ConversationState, time: int, counting: Counting) -> None:
        self.version = base.version
        self.log = StagedLog(base.log)
        self.revisions = Overlay(base.revisions)
        self.batches = Overlay(base.batches)
        self.calls = base.calls
        self.latest = base.latest
        self.latest_added: dict[int, int] = {}
        self.head = base.head
        self._current = None if base.head.revision < 0 else base.current
        self.time = time
        self.toggle_messages = base.toggle_messages
        self.counts: list[int] = []
        self.stock: Mapping[int, Sequence[int]] | None = None
        self._counting = counting
        self._fresh: tuple[Run, ...] = ()
        self._original: Revision | None = None
        self._pool: list[int] = []
        self.log.use(base.head.settings.counter, self._tally)

    @property
    def current(self) -> Revision:
        """Return the current revision; stored, since every operation reads it."""
        assert self._current is not None
        return self._current

    @property
    def view(self) -> View:
        return self.current.view

    def newest(self, batch: int) -> Revision:
        added = self.latest_added.get(batch)
        return super().newest(batch) if added is None else self.revisions[added]

    @property
    def log_size(self) -> int:
        """Return the length of the log that operations see: in a replay, what the first run saw."""
        return len(self.log) if self._original is None else self._original.log_size

    @property
    def seen_size(self) -> int:
        """Return the length of the log before an operation adds to it; in a replay, as it was."""
        return min([self.log_size, *self._pool])

    def replaying(self, original: Revision) -> None:
        """Make the next operation repeat a revision, with the messages it added the first time."""
        self._original = original
        self._pool = indices_of(original.fresh)

    def replayed(self) -> None:
        self._original = None
        self._pool = []

    def add(self, messages: Sequence[Message], sources: Sequence[int] = ()) -> tuple[Run, ...]:
        """Stage messages and return their raw indices as runs.

        In a replay, a message that the first run added is taken from there. Copies name the
        messages they replace, so that equal copies are not mistaken for each other; what
        an operation wrote has the source ``MADE``. With a ``stock``, what was written before in the
        same way is used again.
        """
        if self._original is None and self.stock is None:
            fresh = self.log.extend(messages, self.counter, self._tally)
            self._fresh = ((fresh.start, len(fresh)),)
            if sources:
                self.log.added_origins.update(zip(fresh, sources, strict=True))
            return self._fresh
        origins: Sequence[int | None] = sources or [None] * len(messages)
        find = self._in_stock if self._original is None else self._copy_of
        known = list(map(find, origins, messages))
        found = [
            self._again(message, origin) if raw is None or raw in known[:at] else raw
            for at, (raw, message, origin) in enumerate(zip(known, messages, origins, strict=True))
        ]
        self._fresh = tuple(runs_of(found))
        return self._fresh

    def _in_stock(self, source: int | None, message: Message) -> int | None:
        """Return an equal message that was written before in the same way and is not visible."""
        known = () if source is None or self.stock is None else self.stock.get(source, ())
        return next(
            (raw for raw in known if self.log[raw] == message and raw not in self.view), None
        )

    def _copy_of(self, source: int | None, message: Message) -> int | None:
        """Return the copy that the first run made of the same message, if it made one."""
        first = self._original
        assert first is not None
        assert first.parent is not None
        if source is None or source == MADE:
            return None
        position = self.revisions[first.parent].view.position(source)
        raw = None if position is None or position >= len(first.view) else first.view[position]
        if raw not in self._pool or self.log[raw] != message:
            return None
        self._pool.remove(raw)
        return raw

    def _again(self, message: Message, origin: int | None) -> int:
        for raw in self._pool:
            if self.log[raw] == message:
                self._pool.remove(raw)
                return raw
        raw = self.log.extend((message,), self.counter, self._tally).start
        if origin is not None:
            self.log.added_origins[raw] = origin
        if self._original is not None:
            self.toggle_messages |= {raw}
        return raw

    def write(self, messages: Sequence[Message]) -> tuple[Run, ...]:
        """Stage messages that an operation brings, and return their raw indices as runs."""
        return self.add(messages, [MADE] * len(messages))

    def tokens_of(self, runs: Iterable[Run]) -> int:
        before, counter = self.log.tokens_before, self.counter
        total = 0
        for start, length in runs:
            total += before(start + length, counter) - before(start, counter)
        return total

    def start(self, messages: Sequence[Message]) -> None:
        """Stage batch 0 with the messages a conversation starts with."""
        fresh = self.add(messages)
        view, tokens = View.of_runs(fresh), self.tokens_of(fresh)
        size, counter = len(self.log), self.counter
        self.batches.added.append(Batch(0, 0, None, 0, self.time, None, 0))
        self._put(Revision(0, None, 0, None, view, self.time, size, 0, tokens, counter, fresh))

    def grow(self, operation: Operation, view: View, tokens: int) -> None:
        """Stage a revision within the current batch."""
        self._revise(operation, view, tokens, self.current.batch)

    def open_batch(
        self,
        operation: Operation,
        view: View,
        *,
        tokens: int | None = None,
        boundary: int | None = None,
    ) -> None:
        """Stage a batch and the revision that opens it; tokens not known are summed up."""
        if tokens is None:
            tokens = self.log.total(view, self.counter)
        if boundary is None:
            low, size = view.low, self.log_size
            boundary = size if low is None else min(low, size)
        batches = self.batches
        parent = batches[self.current.batch]
        batch = Batch(
            len(batches),
            parent.number + 1,
            parent.id,
            boundary,
            self.time,
            operation,
            len(self.revisions),
            jump=jump_from(batches, parent),
        )
        batches.added.append(batch)
        self._revise(operation, view, tokens, batch.id)

    def move(self, revision: int) -> None:
        if revision != self.head.revision:
            self.set_head(self.head._replace(revision=revision))

    def set_head(self, head: Head) -> None:
        """Take another head, and count what its token counter hasn't counted yet."""
        if head.settings.counter != self.counter:
            self.log.use(head.settings.counter, self._tally)
        self.head = head
        self._current = self.revisions[head.revision]

    def commit(self, stored: ConversationState) -> None:
        """Make the draft real in the state it was made for; refuse it if that has changed."""
        if stored.version != self.version:
            raise changed_meanwhile(self.version, stored)
        stored.version += 1
        stored.log.absorb(self.log)
        stored.revisions += self.revisions.added
        stored.batches += self.batches.added
        stored.latest.update(self.latest_added)
        stored.toggle_messages = self.toggle_messages
        stored.head = self.head

    def _revise(self, operation: Operation, view: View, tokens: int, batch: int) -> None:
        parent, revisions = self.current, self.revisions
        self._put(
            Revision(
                len(revisions),
                parent.id,
                batch,
                operation,
                view,
                self.time,
                self.log_size,
                parent.depth + 1,
                tokens,
                self.counter,
                self._fresh,
                jump_from(revisions, parent),
            )
        )

    def _put(self, revision: Revision) -> None:
        self.revisions.added.append(revision)
        self.latest_added[revision.batch] = revision.id
        self._fresh = ()
        head = self.head
        self.head = Head(revision.id, head.marks, head.names, head.settings, head.meta)
        self._current = revision

    def _tally(self, counter: str) -> Tally:
        """Return a counter's tally that notes each count for the journal."""
        tally, note = self._counting(counter), self.counts.append

        def count(message: Message) -> int:
            tokens = tally(message)
            note(tokens)
            return tokens

        return count


def changed_meanwhile(version: int, stored: ConversationState) -> Refused:
    """Return the refusal of a change that was made for an older state than there is now."""
    return Refused(
        "the conversation was changed meanwhile; try again", "version", version, str(stored.version)
    )


def check_state(state: ConversationState) -> list[str]:
    """Return a sentence for each broken invariant; an empty list means all is well.

    Broken links are reported first; the rest is checked only if there are none.
    """
    loose = [*_log(state), *_revision_links(state), *_batch_links(state), *_head(state)]
    loose += _calls(state)
    return loose or [*_views(state), *_batches(state), *_path(state)]


def _log(state: ConversationState) -> Iterator[str]:
    codes = state.log.roles(0, len(state.log))
    if len(codes) != len(state.log):
        yield f"the role index covers {len(codes)} of {len(state.log)} messages"
    for raw, (message, code) in enumerate(zip(state.log, codes, strict=False)):
        if ROLE_CODES[message.role] != code:
            indexed = ROLES[code] if code < len(ROLES) else f"number {code}"
            yield f"message {raw} is of role {message.role} but indexed as {indexed}"
    counted = state.log.counted(state.counter)
    if counted != len(state.log):
        yield f"tokens are counted for {max(0, counted)} of {len(state.log)} messages"
    elif state.log.tokens_before(0, state.counter) != 0:
        yield "the token column does not begin at 0"


def _revision_links(state: ConversationState) -> Iterator[str]:
    for i, revision in enumerate(state.revisions):
        if revision.id != i:
            yield f"revision {revision.id} is at index {i}"
        if not 0 <= revision.batch < len(state.batches):
            yield f"revision {i} belongs to batch {revision.batch}, which does not exist"
        if (revision.parent is None) != (i == 0) or (
            revision.parent is not None and not 0 <= revision.parent < i
        ):
            yield f"revision {i} has the parent {revision.parent}"
        elif revision.parent is not None:
            above = state.revisions[revision.parent]
            if revision.depth != above.depth + 1 or revision.log_size < above.log_size:
                yield f"revision {i} does not follow from its parent {above.id}"
            elif revision.jump != jump_from(state.revisions, above):
                yield f"revision {i} points to {revision.jump} as an ancestor further up"


def _batch_links(state: ConversationState) -> Iterator[str]:
    for i, batch in enumerate(state.batches):
        if batch.id != i:
            yield f"batch {batch.id} is at index {i}"
        opened = 0 <= batch.opened < len(state.revisions)
        if not opened or state.revisions[batch.opened].batch != i:
            yield f"batch {i} was opened by revision {batch.opened}, which is not its own"
        newest = state.latest.get(i, -1)
        if not 0 <= newest < len(state.revisions) or state.revisions[newest].batch != i:
            yield f"batch {i} has the newest revision {newest}, which is not its own"
        if batch.parent is None:
            if i != 0 or batch.number != 0 or batch.boundary != 0:
                yield f"batch {i} has no parent, number {batch.number}, boundary {batch.boundary}"
        elif not 0 <= batch.parent < i:
            yield f"batch {i} has the parent {batch.parent}"
        elif batch.number != state.batches[batch.parent].number + 1:
            above = state.batches[batch.parent]
            yield f"batch {i} has number {batch.number} after number {above.number}"
        elif batch.jump != jump_from(state.batches, state.batches[batch.parent]):
            yield f"batch {i} points to {batch.jump} as an ancestor further up"


def _calls(state: ConversationState) -> Iterator[str]:
    for number, call in enumerate(state.calls):
        if not 0 <= call.revision < len(state.revisions):
            yield f"call {number + 1} was sent at revision {call.revision}, which does not exist"
        if call.tools is not None and call.tools not in state.calls.tools:
            yield f"call {number + 1} has undefined tools"


def _views(state: ConversationState) -> Iterator[str]:
    size = len(state.log)
    for revision in state.revisions:
        spans = spans_of(revision.view.runs())
        if size_of(spans) != len(revision.view):
            yield f"revision {revision.id} shows a message twice"
        known = size if state.toggle_messages else min(size, revision.log_size)
        if spans and spans[-1][1] > known:
            yield f"revision {revision.id} shows message {spans[-1][1] - 1}, which was not there"
        elif revision.counter == state.counter:
            total = state.log.total(revision.view, state.counter)
            if total != revision.tokens:
                yield f"revision {revision.id} says {revision.tokens} tokens, not {total}"
    longest = max(revision.log_size for revision in state.revisions)
    if longest > size or (longest < size and not state.toggle_messages):
        yield f"the log has {size} messages, the revisions know {longest}"


def _batches(state: ConversationState) -> Iterator[str]:
    for i, batch in enumerate(state.batches):
        low = state.revisions[batch.opened].view.low
        if low is not None and low < batch.boundary:
            yield f"batch {i} shows message {low} below its boundary {batch.boundary}"
        if batch.parent is not None:
            above = state.batches[batch.parent]
            if batch.boundary < above.boundary:
                yield f"batch {i} has boundary {batch.boundary} after boundary {above.boundary}"


def _path(state: ConversationState) -> Iterator[str]:
    numbers = [batch.number for batch in state.path]
    if numbers != list(range(len(numbers))):
        yield f"the path has the numbers {numbers[:10]}"
        return
    for number in numbers:
        found = ancestor(state.batches, state.batches[state.current.batch], number)
        if state.on_path(number).batch != found.id:
            yield f"number {number} of the path leads to another batch"


def _head(state: ConversationState) -> Iterator[str]:
    if not 0 <= state.head.revision < len(state.revisions):
        yield f"the pointer {state.head.revision} is no revision"
    for label, indices in state.head.marks.items():
        is_sorted = list(indices) == sorted(set(indices))
        if not is_sorted or not len(indices) or indices[-1] >= len(state.log):
            yield f"the mark {label!r} is on a message that does not exist"
    for batch in state.head.names:
        if not 0 <= batch < len(state.batches):
            yield f"a name belongs to batch {batch}, which does not exist"
