"""The log: every message ever added, with one-byte columns of roles and flags and sums of tokens.

Tables turn the columns into masks at C speed; ``ToolIdIndex`` finds the messages that use an id.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, pairwise
from threading import Lock
from typing import Any, overload

from ..values.models import ROLES
from ..values.sequences import ReadOnlySequence
from .messages import NO_LINKS, Links, Message, facts_of
from .views import View

ROLE_CODES = {role: code for code, role in enumerate(ROLES)}


def role_table(roles: Iterable[str]) -> bytes:
    """Return a translation that maps wanted roles to 1 and all others to 0."""
    return _role_table(frozenset(roles))


@cache
def _role_table(roles: frozenset[str]) -> bytes:
    return bytes(code < len(ROLES) and ROLES[code] in roles for code in range(256))


@cache
def flag_table(flag: int) -> bytes:
    """Return a translation that maps bytes with any of some flags to 1 and all others to 0."""
    return bytes(bool(code & flag) for code in range(256))


BLOCKS = (64**3, 64**2, 64)
"""How many linked messages one figure of each level covers, the coarsest level first."""


class ToolIdIndex:
    """The messages that call or answer under each id, and which ids are used on both sides.

    One may extend another: its messages before ``start``, even if it has more by now.
    """

    __slots__ = ("_base", "_known", "_linked", "_lock", "_lowest", "_reach", "_start", "_uses")

    def __init__(self, base: ToolIdIndex | None = None, start: int = 0) -> None:
        self._base = base
        self._start = start
        self._known = 0
        self._uses: dict[str, array[int]] = {}
        self._linked = array("I")
        self._reach = array("I")
        self._lowest = [(size, array("I")) for size in BLOCKS]
        self._lock = Lock()

    def catch_up(self, linked: Sequence[int], links: Mapping[int, Links]) -> ToolIdIndex:
        """Add the linked messages, by raw index, that are new since the last time."""
        if self._known < (count := len(linked)):
            with self._lock:
                for place in range(self._known, count):
                    self._add(linked[place], links[linked[place]])
                self._known = max(self._known, count)
        return self

    def of(self, id: str) -> Sequence[int]:
        """Return the messages that use an id, each once, by raw index."""
        own = self._uses.get(id, NONE)
        if self._base is None:
            return own
        before = self._base.of(id)
        if before and before[-1] >= self._start:
            before = before[: bisect_left(before, self._start)]
        return [*before, *own] if before and own else own or before

    def across(self, raw: int) -> list[int]:
        """Return messages from a raw index on that use an id which is used before it too.

        Of each such id, the first use from there on is among them.
        """
        found = []
        if self._base is not None:
            found = [one for one in self._base.across(raw) if one < self._start]
        with self._lock:
            return found + self._own_across(raw)

    def _own_across(self, raw: int) -> list[int]:
        found = []
        at, count = bisect_left(self._linked, raw), len(self._linked)
        while at < count:
            for size, lowest in self._lowest:
                if at % size == 0 and lowest[at // size] >= raw:
                    at += size
                    break
            else:
                if self._reach[at] < raw:
                    found.append(self._linked[at])
                at += 1
        return found

    def _add(self, raw: int, links: Links) -> None:
        """Note a message under its ids, and how far back the latest use of one of them lies."""
        reach = raw
        for id in {*links.calls, *links.results}:
            own = self._uses.get(id)
            if own is not None:
                reach = min(reach, own[-1])
                own.append(raw)
                continue
            self._uses[id] = array("I", (raw,))
            if self._base is not None and (before := self._base.of(id)):
                end = bisect_left(before, self._start)
                reach = min(reach, before[end - 1]) if end else reach
        at = len(self._linked)
        self._linked.append(raw)
        self._reach.append(reach)
        for size, lowest in self._lowest:
            if at % size == 0:
                lowest.append(reach)
            elif reach < lowest[-1]:
                lowest[-1] = reach


NONE: Sequence[int] = array("I")

MADE = -1
"""The origin of a message that an operation wrote; that of a copy is the message it copies."""

Tally = Callable[[Message], int]
"""How a message's tokens are found: by a counter, or from a journal that is replayed."""

Counting = Callable[[str], Tally]
"""Finds the tally of a counter by its name."""


class LogReader(ReadOnlySequence[Message]):
    """What can be asked of a log, staged or not; ``counter`` names the token column in use."""

    @abstractmethod
    def roles(self, start: int, stop: int) -> bytes | bytearray: ...

    @abstractmethod
    def flags(self, start: int, stop: int) -> bytes | bytearray: ...

    @abstractmethod
    def links(self, raw: int) -> Links: ...

    @property
    @abstractmethod
    def uses(self) -> ToolIdIndex: ...

    @abstractmethod
    def origin(self, raw: int) -> int | None:
        """Return which message an operation copied, ``MADE``, or None for one of the run."""

    @abstractmethod
    def derived(self, raw: int) -> dict[int, Any]:
        """Return where to keep what follows from a message and those before it."""

    @property
    @abstractmethod
    def flags_seen(self) -> int: ...

    @abstractmethod
    def tokens_before(self, raw: int, counter: str) -> int:
        """Return the tokens of all messages before a raw index."""

    def tokens(self, raw: int, counter: str) -> int:
        return self.tokens_before(raw + 1, counter) - self.tokens_before(raw, counter)

    def total(self, view: View, counter: str) -> int:
        """Return the tokens of everything visible in a view; costs what its runs cost."""
        before = self.tokens_before
        return sum(
            [before(start + n, counter) - before(start, counter) for start, n in view.runs()]
        )

    def largest(self, view: View, counter: str) -> int:
        """Return the tokens of the largest visible message, 0 if nothing is visible."""
        most = 0
        for start, length in view.runs():
            sums = [self.tokens_before(raw, counter) for raw in range(start, start + length + 1)]
            most = max(most, *(after - before for before, after in pairwise(sums)))
        return most

    def longest_suffix(self, view: View, budget: int, counter: str) -> int:
        """Return how many messages at the end of a view fit into a number of tokens."""
        kept = 0
        for start, length in view.runs(backwards=True):
            end = self.tokens_before(start + length, counter)
            fits = bisect_left(
                range(length),
                end - budget,
                key=lambda i, s=start: self.tokens_before(s + i, counter),  # type: ignore[misc]
            )
            kept += length - fits
            if fits:
                break
            budget -= end - self.tokens_before(start, counter)
        return kept

    def with_flag(self, view: View, flag: int) -> list[int]:
        if not self.flags_seen & flag:
            return []
        mask = view.column(self.flags).translate(flag_table(flag))
        return list(compress(view, mask)) if 1 in mask else []


class Log(LogReader):
    """Every message ever added, in order of arrival."""

    __slots__ = (
        "_derived",
        "_flags",
        "_linked",
        "_links",
        "_messages",
        "_origins",
        "_roles",
        "_seen",
        "_sums",
        "_uses",
    )

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._roles = bytearray()
        self._flags = bytearray()
        self._links: dict[int, Links] = {}
        self._linked: list[int] = []
        self._seen = 0
        self._sums: dict[str, array[int]] = {}
        self._uses = ToolIdIndex()
        self._origins: dict[int, int] = {}
        self._derived: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self._messages)

    # Without the base's check of the key: filters and lint read every message here.
    @overload
    def __getitem__(self, key: int) -> Message: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Message]: ...
    def __getitem__(self, key: int | slice) -> Message | Sequence[Message]:
        return self._messages[key]

    def _item(self, index: int) -> Message:
        return self._messages[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Log):
            return NotImplemented
        return self._messages == other._messages and self._sums == other._sums

    __hash__ = None  # type: ignore[assignment]

    def roles(self, start: int, stop: int) -> bytearray:
        return self._roles[start:stop]

    def flags(self, start: int, stop: int) -> bytearray:
        return self._flags[start:stop]

    def links(self, raw: int) -> Links:
        return self._links.get(raw, NO_LINKS)

    @property
    def uses(self) -> ToolIdIndex:
        return self._uses.catch_up(self._linked, self._links)

    def origin(self, raw: int) -> int | None:
        return self._origins.get(raw)

    def derived(self, raw: int) -> dict[int, Any]:
        return self._derived

    def tokens_before(self, raw: int, counter: str) -> int:
        return self._sums[counter][raw]

    @property
    def flags_seen(self) -> int:
        return self._seen

    def counted(self, counter: str) -> int:
        """Return up to which raw index a counter's column is filled."""
        sums = self._sums.get(counter)
        return -1 if sums is None else len(sums) - 1

    def absorb(self, staged: StagedLog) -> None:
        self._messages += staged.added
        self._roles += staged.added_roles
        self._flags += staged.added_flags
        self._links.update(staged.added_links)
        self._linked += staged.added_links
        self._origins.update(staged.added_origins)
        self._seen = staged.flags_seen
        for counter, sums in staged.added_sums.items():
            self._sums.setdefault(counter, array("Q")).extend(sums)

    def copy(self) -> Log:
        copy = Log()
        copy._messages = self._messages[:]
        copy._roles = self._roles[:]
        copy._flags = self._flags[:]
        copy._links = self._links.copy()
        copy._linked = self._linked[:]
        copy._origins = self._origins.copy()
        copy._seen = self._seen
        copy._sums = {counter: sums[:] for counter, sums in self._sums.items()}
        return copy


class StagedLog(LogReader):
    """A log and, behind it, messages that may or may not get into it.

    With a size it is only the start of the log, as it was when it had so many messages.
    """

    __slots__ = (
        "_derived",
        "_floors",
        "_size",
        "_start",
        "_uses",
        "added",
        "added_flags",
        "added_links",
        "added_origins",
        "added_roles",
        "added_sums",
        "base",
        "seen",
    )

    def __init__(self, base: Log, size: int | None = None) -> None:
        self.base = base
        self._start = self._size = len(base) if size is None else size
        self._floors: dict[str, int] = {}
        self.added: list[Message] = []
        self.added_roles = bytearray()
        self.added_flags = bytearray()
        self.added_links: dict[int, Links] = {}
        self.added_origins: dict[int, int] = {}
        self._derived: dict[int, Any] = {}
        self.seen = base.flags_seen
        self.added_sums: dict[str, array[int]] = {}
        self._uses: ToolIdIndex | None = None

    def __len__(self) -> int:
        return self._size

    def _item(self, index: int) -> Message:
        return self.base[index] if index < self._start else self.added[index - self._start]

    def roles(self, start: int, stop: int) -> bytes | bytearray:
        if stop <= self._start:
            return self.base.roles(start, stop)
        own = self.added_roles[max(start - self._start, 0) : stop - self._start]
        return own if start >= self._start else self.base.roles(start, self._start) + own

    def flags(self, start: int, stop: int) -> bytes | bytearray:
        if stop <= self._start:
            return self.base.flags(start, stop)
        own = self.added_flags[max(start - self._start, 0) : stop - self._start]
        return own if start >= self._start else self.base.flags(start, self._start) + own

    def links(self, raw: int) -> Links:
        return self.base.links(raw) if raw < self._start else self.added_links.get(raw, NO_LINKS)

    @property
    def uses(self) -> ToolIdIndex:
        if not self.added_links:
            return self.base.uses
        if self._uses is None:
            self._uses = ToolIdIndex(self.base.uses, self._start)
        return self._uses.catch_up(list(self.added_links), self.added_links)

    def origin(self, raw: int) -> int | None:
        return self.base.origin(raw) if raw < self._start else self.added_origins.get(raw)

    def derived(self, raw: int) -> dict[int, Any]:
        return self.base.derived(raw) if raw < self._start else self._derived

    def tokens_before(self, raw: int, counter: str) -> int:
        floor = self._floors.get(counter)
        if floor is None or raw < floor:
            return self.base.tokens_before(raw, counter)
        return self.added_sums[counter][raw - floor]

    @property
    def flags_seen(self) -> int:
        return self.seen

    def use(self, counter: str, counting: Counting) -> None:
        """Make sure a counter's column covers the whole log; each message is counted once."""
        if counter not in self._floors:
            floor = self._floors[counter] = min(self.base.counted(counter), self._start) + 1
            self.added_sums[counter] = array("Q", [0] if floor == 0 else [])
            if floor == 0:
                counting(counter)  # An unknown counter is refused before it is needed.
        first, size = self._floors[counter] + len(self.added_sums[counter]) - 1, self._size
        if first < size:
            self._count(counter, counting(counter), [self[raw] for raw in range(first, size)])

    def _count(self, counter: str, tally: Tally, messages: Sequence[Message]) -> None:
        sums, floor = self.added_sums[counter], self._floors[counter]
        total = sums[-1] if sums else self.base.tokens_before(floor - 1, counter)
        for message in messages:
            total += tally(message)
            sums.append(total)

    def extend(self, messages: Sequence[Message], counter: str, counting: Counting) -> range:
        """Stage messages and return the raw indices they would get."""
        start = self._size
        self._size += len(messages)
        self.added += messages
        self.added_roles += bytes([ROLE_CODES[message.role] for message in messages])
        for raw, message in enumerate(messages, start):
            flags, links = facts_of(message)
            self.added_flags.append(flags)
            if flags:
                self.seen |= flags
                if links is not NO_LINKS:
                    self.added_links[raw] = links
        self._count(counter, counting(counter), messages)
        return range(start, self._size)


class Visible(ReadOnlySequence[Message]):
    """The messages of a view, in visible order."""

    __slots__ = ("_log", "_view")

    def __init__(self, log: Sequence[Message], view: View) -> None:
        self._log = log
        self._view = view

    def __len__(self) -> int:
        return len(self._view)

    @overload
    def __getitem__(self, key: int) -> Message: ...
    @overload
    def __getitem__(self, key: slice) -> Visible: ...
    def __getitem__(self, key: int | slice) -> Message | Visible:
        if isinstance(key, slice):
            return Visible(self._log, self._view[key])
        return self._log[self._view[key]]

    def _item(self, index: int) -> Message:
        return self._log[self._view[index]]

    def __iter__(self) -> Iterator[Message]:
        return map(self._log.__getitem__, self._view)
