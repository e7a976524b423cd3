"""State: what a conversation is at one moment.

Messages, revisions, batches and calls only ever grow. Everything else is one small immutable value,
the ``Head``: undoing puts an earlier head back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..settings import Settings
from ..values.frozen import FrozenDict
from ..views.marks import Marks
from ..views.view import View
from .call_log import CallLog, CallReader
from .log import Log, LogReader
from .revisions import Batch, Path, Revision, ancestor


class Head(NamedTuple):
    """Where a conversation stands: everything about it that can be undone."""

    revision: int
    marks: Marks
    names: Mapping[int, str]
    settings: Settings
    meta: FrozenDict = FrozenDict()


class State:
    """A conversation at one moment, to be read."""

    __slots__ = ("batches", "calls", "extras", "head", "latest", "log", "revisions")

    log: LogReader
    revisions: Sequence[Revision]
    batches: Sequence[Batch]
    calls: CallReader
    latest: dict[int, int]
    extras: frozenset[int]
    """Messages that only a TOGGLE needed: they are younger than their revisions seem."""
    head: Head

    @property
    def current(self) -> Revision:
        """Return the revision the conversation stands at."""
        return self.revisions[self.head.revision]

    @property
    def view(self) -> View:
        """Return what is visible."""
        return self.revisions[self.head.revision].view

    @property
    def batch(self) -> Batch:
        """Return the current batch."""
        return self.named(self.batches[self.current.batch])

    @property
    def path(self) -> Path:
        """Return the batches from number 0 to the current one."""
        return Path(self.batches, self.batches[self.current.batch])

    @property
    def counter(self) -> str:
        """Return the name of the token counter in use."""
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


class Moment(State):
    """A state as it stands under another head: an earlier revision, or a step of a list."""

    __slots__ = ()

    def __init__(self, base: State, head: Head) -> None:
        self.log = base.log
        self.revisions = base.revisions
        self.batches = base.batches
        self.calls = base.calls
        self.latest = base.latest
        self.extras = base.extras
        self.head = head


class Stored(State):
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
        self.extras = frozenset()
        self.head = head
        self.version = 0

    def copy(self) -> Stored:
        """Return an independent state with the same content."""
        twin = Stored(self.head)
        twin.log = self.log.copy()
        twin.revisions = self.revisions[:]
        twin.batches = self.batches[:]
        twin.calls = self.calls.copy()
        twin.latest = self.latest.copy()
        twin.extras = self.extras
        twin.version = self.version
        return twin
