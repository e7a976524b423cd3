"""The past: a conversation as it stood after one of the records of its journal.

Log, revisions, batches and calls only ever grow, so that the past is what there is now, cut off
where it ended then, under the head of then. Nothing is copied.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeVar, overload

from ..messages.facts import Links
from ..messages.message import Message
from .call_log import CallsUntil
from .journal import Record
from .log import LogReader
from .state import State, Stored
from .uses import Uses

T = TypeVar("T")


class Past(State):
    """A state as the record at a place of the journal left it: log, tree, calls, and the head."""

    __slots__ = ()

    def __init__(self, now: Stored, record: Record, place: int) -> None:
        assert record.after is not None
        self.log = LogUntil(now.log, record.log_size)
        self.revisions = Until(now.revisions, record.revisions)
        batches = bisect_left(now.batches, record.revisions, key=lambda batch: batch.opened)
        self.batches = Until(now.batches, batches)
        self.calls = CallsUntil(now.calls, now.calls.size_after(place))
        self.latest = now.latest
        self.extras = frozenset(raw for raw in now.extras if raw < record.log_size)
        self.head = record.after


class Until(Sequence[T]):
    """The first items of a list that has grown since."""

    __slots__ = ("_items", "_size")

    def __init__(self, items: Sequence[T], size: int) -> None:
        self._items = items
        self._size = size

    def __len__(self) -> int:
        """Return how many items there were."""
        return self._size

    @overload
    def __getitem__(self, key: int) -> T: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[T]: ...
    def __getitem__(self, key: int | slice) -> T | Sequence[T]:
        """Return an item, or a list of them."""
        places = range(self._size)[key]
        if isinstance(places, int):
            return self._items[places]
        return [self._items[at] for at in places]


class LogUntil(LogReader):
    """The first messages of a log that has grown since."""

    __slots__ = ("_log", "_size")

    def __init__(self, log: LogReader, size: int) -> None:
        self._log = log
        self._size = size

    def __len__(self) -> int:
        """Return how many messages there were."""
        return self._size

    @overload
    def __getitem__(self, key: int) -> Message: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Message]: ...
    def __getitem__(self, key: int | slice) -> Message | Sequence[Message]:
        """Return the message at a raw index, or a list of them."""
        places = range(self._size)[key]
        if isinstance(places, int):
            return self._log[places]
        return [self._log[at] for at in places]

    def roles(self, start: int, stop: int) -> bytes | bytearray:
        """Return the role codes of a stretch of the log."""
        return self._log.roles(start, min(stop, self._size))

    def flags(self, start: int, stop: int) -> bytes | bytearray:
        """Return the flags of a stretch of the log."""
        return self._log.flags(start, min(stop, self._size))

    def links(self, raw: int) -> Links:
        """Return the ids of the tool calls and results in a message."""
        return self._log.links(raw)

    @property
    def uses(self) -> Uses:
        """Return where the ids of tool calls are used, by messages that came later too."""
        return self._log.uses

    def tokens_before(self, raw: int, counter: str) -> int:
        """Return the tokens of all messages before a raw index."""
        return self._log.tokens_before(raw, counter)

    @property
    def flags_seen(self) -> int:
        """Return every flag that any message carries, of those that came later too."""
        return self._log.flags_seen
