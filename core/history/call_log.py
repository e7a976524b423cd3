"""The call log: every call a conversation has recorded, and the tool definitions they name."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, overload

from .call import Call, ToolDefinitions
from .revisions import Revision, is_on_way


class ToolSet(NamedTuple):
    """Tool definitions, and the number of the call that named them first."""

    first: int
    definitions: ToolDefinitions


class CallReader(Sequence[Call]):
    """What can be asked of a call log: calls by number, in the order they were recorded."""

    @abstractmethod
    def on_path(self, revisions: Sequence[Revision], to: Revision) -> tuple[int, ...]:
        """Return the numbers of the calls on the way to a revision, in the order of the path.

        Those of one revision stand in the order they were recorded.
        """

    @property
    @abstractmethod
    def tools(self) -> Mapping[str, ToolSet]:
        """Return the tool definitions that calls name, by key."""


class FoundCalls(NamedTuple):
    """The calls on the way to a revision, found when so many calls were known."""

    to: Revision | None
    known: int
    numbers: tuple[int, ...]


NOTHING_FOUND = FoundCalls(None, 0, ())


class CallLog(CallReader):
    """All calls; it only ever grows.

    What was found last is kept: a conversation that goes on asks about the same path again, so that
    one more call costs what is new, not what there is.
    """

    __slots__ = ("_calls", "_found", "_order", "_places", "_tools")

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._places: list[int] = []
        self._order: list[tuple[int, int]] = []
        self._tools: dict[str, ToolSet] = {}
        self._found = NOTHING_FOUND

    def __len__(self) -> int:
        """Return how many calls there are."""
        return len(self._calls)

    @overload
    def __getitem__(self, key: int) -> Call: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Call]: ...
    def __getitem__(self, key: int | slice) -> Call | Sequence[Call]:
        """Return a call by its number, or a list of them."""
        return self._calls[key]

    def __iter__(self) -> Iterator[Call]:
        """Yield the calls in the order they were recorded."""
        return iter(self._calls)

    @property
    def tools(self) -> Mapping[str, ToolSet]:
        """Return the tool definitions that calls name, by key."""
        return self._tools

    def append(self, call: Call, place: int) -> None:
        """Take in a call that stands at a place of the journal."""
        number = len(self._calls)
        if call.tools is not None and call.definitions is not None:
            self._tools.setdefault(call.tools, ToolSet(number, call.definitions))
        insort(self._order, (call.revision, number))
        self._places.append(place)
        self._calls.append(call.without_definitions())

    def size_after(self, place: int) -> int:
        """Return how many calls there were when the journal ended with the record at a place."""
        return bisect_right(self._places, place)

    def on_path(self, revisions: Sequence[Revision], to: Revision) -> tuple[int, ...]:
        """Return the numbers of the calls on the way to a revision, in the order of the path."""
        known, last = len(self._calls), self._found
        if last.to is to and last.known == known:
            return last.numbers
        first = 0 if last.to is None else last.to.id
        older = (call.revision < first for call in self._calls[last.known : known])
        # A preview's revision may have the id of one that was made afterwards.
        goes_on = is_on_way(revisions, first, to) and last.to in (None, revisions[first])
        if any(older) or not goes_on:
            last, first = NOTHING_FOUND, 0
        order = self._order
        found = [
            number
            for revision, number in order[
                bisect_left(order, (first, 0)) : bisect_left(order, (to.id + 1, 0))
            ]
            if (revision > first or number >= last.known)
            and number < known
            and is_on_way(revisions, revision, to)
        ]
        self._found = now = FoundCalls(to, known, (*last.numbers, *found))
        return now.numbers

    def copy(self) -> CallLog:
        """Return an independent log with the same content."""
        twin = CallLog()
        twin._calls = self._calls[:]
        twin._places = self._places[:]
        twin._order = self._order[:]
        twin._tools = self._tools.copy()
        twin._found = self._found
        return twin


class CallsUntil(CallReader):
    """The first calls of a log that may have grown since."""

    __slots__ = ("_log", "_size")

    def __init__(self, log: CallReader, size: int) -> None:
        self._log = log
        self._size = size

    def __len__(self) -> int:
        """Return how many calls there were."""
        return self._size

    @overload
    def __getitem__(self, key: int) -> Call: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Call]: ...
    def __getitem__(self, key: int | slice) -> Call | Sequence[Call]:
        """Return a call by its number, or a list of them."""
        places = range(self._size)[key]
        if isinstance(places, int):
            return self._log[places]
        return [self._log[number] for number in places]

    def __iter__(self) -> Iterator[Call]:
        """Yield the calls in the order they were recorded."""
        return islice(self._log, self._size)

    def on_path(self, revisions: Sequence[Revision], to: Revision) -> tuple[int, ...]:
        """Return the numbers of the calls on the way to a revision, in the order of the path."""
        found = self._log.on_path(revisions, to)
        if len(self._log) == self._size:
            return found
        return tuple([number for number in found if number < self._size])

    @property
    def tools(self) -> Mapping[str, ToolSet]:
        """Return the tool definitions that calls name, by key."""
        return {key: one for key, one in self._log.tools.items() if one.first < self._size}
