"""The draft of what a conversation might become.

A draft is a state with things staged behind the real ones. Operations write to a draft only, so a
preview is a draft that is thrown away, and a refused operation has nothing to clean up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import Refused
from ..messages.message import Message
from ..operations import Operation
from ..views.spans import Run, indices_of, runs_of
from ..views.view import View
from .log import Counting, StagedLog, Tally
from .revisions import Batch, Revision, Tail, jump_from
from .state import Head, State, Stored


class Draft(State):
    """A state that operations may write to; nothing of it is real before it is committed.

    It reads the state it was made for, however that grows meanwhile. Only making and committing it
    need the state to stand still.
    """

    __slots__ = (
        "_counting",
        "_current",
        "_fresh",
        "_original",
        "_pool",
        "counts",
        "latest_added",
        "time",
        "version",
    )

    log: StagedLog
    revisions: Tail[Revision]
    batches: Tail[Batch]

    def __init__(self, base: Stored, time: int, counting: Counting) -> None:
        self.version = base.version
        self.log = StagedLog(base.log)
        self.revisions = Tail(base.revisions)
        self.batches = Tail(base.batches)
        self.calls = base.calls
        self.latest = base.latest
        self.latest_added: dict[int, int] = {}
        self.head = base.head
        self._current = None if base.head.revision < 0 else base.current
        self.time = time
        self.extras = base.extras
        self.counts: list[int] = []
        self._counting = counting
        self._fresh: tuple[Run, ...] = ()
        self._original: Revision | None = None
        self._pool: list[int] = []
        self.log.use(base.head.settings.counter, self._tally)

    @property
    def current(self) -> Revision:
        """Return the revision the draft stands at; kept at hand, since every rule asks for it."""
        assert self._current is not None
        return self._current

    @property
    def view(self) -> View:
        """Return what is visible."""
        return self.current.view

    def newest(self, batch: int) -> Revision:
        """Return the revision of a batch that was made last."""
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
        """Let the next operation do again what a revision did, with the messages it added then."""
        self._original = original
        self._pool = indices_of(original.fresh)

    def replayed(self) -> None:
        """End a replay."""
        self._original = None
        self._pool = []

    def add(self, messages: Sequence[Message], sources: Sequence[int] = ()) -> tuple[Run, ...]:
        """Stage messages and return their raw indices as runs.

        In a replay, a message that the first run added is taken from there. Copies name the
        messages they stand for, so that copies that look alike are not mistaken for each other.
        """
        if self._original is None:
            fresh = self.log.extend(messages, self.counter, self._tally)
            self._fresh = ((fresh.start, len(fresh)),)
        else:
            none = [None] * len(messages)
            copies = list(map(self._copy_of, sources, messages)) or none
            again = [
                self._again(message) if raw is None else raw
                for message, raw in zip(messages, copies, strict=True)
            ]
            self._fresh = tuple(runs_of(again))
        return self._fresh

    def _copy_of(self, source: int, message: Message) -> int | None:
        """Return the copy that the first run made of the same message, if it made one."""
        first = self._original
        assert first is not None
        assert first.parent is not None
        position = self.revisions[first.parent].view.position(source)
        raw = None if position is None else first.view[position]
        if raw not in self._pool or self.log[raw] != message:
            return None
        self._pool.remove(raw)
        return raw

    def _again(self, message: Message) -> int:
        for raw in self._pool:
            if self.log[raw] == message:
                self._pool.remove(raw)
                return raw
        raw = self.log.extend((message,), self.counter, self._tally).start
        self.extras |= {raw}
        return raw

    def tokens_of(self, runs: Iterable[Run]) -> int:
        """Return the tokens of some runs of messages."""
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
        """Point to another revision."""
        if revision != self.head.revision:
            self.set_head(self.head._replace(revision=revision))

    def set_head(self, head: Head) -> None:
        """Take another head, and count what its token counter hasn't counted yet."""
        if head.settings.counter != self.counter:
            self.log.use(head.settings.counter, self._tally)
        self.head = head
        self._current = self.revisions[head.revision]

    def commit(self, stored: Stored) -> None:
        """Make the draft real in the state it was made for; refuse it if that has changed."""
        if stored.version != self.version:
            raise changed_meanwhile(self.version, stored)
        stored.version += 1
        stored.log.absorb(self.log)
        stored.revisions += self.revisions.added
        stored.batches += self.batches.added
        stored.latest.update(self.latest_added)
        stored.extras = self.extras
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


def changed_meanwhile(version: int, stored: Stored) -> Refused:
    """Return the refusal of a change that was made for an older state than there is now."""
    return Refused(
        "the conversation was changed meanwhile; try again",
        field="version",
        value=version,
        legal=str(stored.version),
    )
