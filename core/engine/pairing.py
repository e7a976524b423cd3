"""Tool exchanges: a message that calls tools, and all the visible messages with its results."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from .log import LogReader, flag_table
from .messages import LINKED, Links
from .views import View


def exchanges(log: LogReader, view: View) -> list[list[int]]:
    """Return the exchanges of a view as groups of two or more raw indices, in visible order.

    A result belongs to the latest visible call of its id before it. Exchanges that share a message
    (one that holds results of two calling messages) are one group: they can only stay together.
    """
    group: dict[int, list[int]] = {}
    caller: dict[str, int] = {}
    for raw in log.with_flag(view, LINKED):
        links = log.links(raw)
        group[raw] = [raw]
        for call in links.calls:
            caller[call] = raw
        for result in links.results:
            if result in caller:
                _join(group, caller[result], raw)
    groups = {id(members): members for members in group.values()}
    return [members for members in groups.values() if len(members) > 1]


def _join(group: dict[int, list[int]], one: int, other: int) -> None:
    into, old = sorted((group[one], group[other]), key=len, reverse=True)
    if into is old:
        return
    into += old
    for raw in old:
        group[raw] = into


Linked = tuple[int, str, Links]
"""A message that calls tools or holds results: its visible position, its role and its links.

A tool message that names no call is linked too: it is a result of nothing.
"""

Answer = tuple[str, int]
"""The id of a call and the position of its result; plain, since there are very many of them."""


@dataclass(slots=True)
class ToolExchange:
    """A message that calls tools, and the positions of the results of its calls.

    ``in_block`` are those right after it, ``displaced`` all others. ``foreign`` is set if the
    block also holds results of another message.
    """

    position: int
    calls: tuple[str, ...]
    in_block: list[Answer] = field(default_factory=list)
    displaced: list[Answer] = field(default_factory=list)
    block_end: int = 0
    foreign: bool = False

    def missing(self) -> list[str]:
        answered = {id for id, _ in self.in_block + self.displaced}
        return [call for call in self.calls if call not in answered]

    def is_complete(self) -> bool:
        """Return whether every call has a result right after this message."""
        return {id for id, _ in self.in_block}.issuperset(self.calls)

    def is_sound(self) -> bool:
        if self.displaced:
            return False
        if len(self.calls) == 1:
            return bool(self.in_block)
        return self.is_complete()

    def waits(self, size: int) -> bool:
        """Return whether only this message's own results come after it."""
        return self.block_end == size and not self.foreign

    def members(self) -> list[int]:
        return [self.position, *(position for _, position in self.in_block + self.displaced)]


class Orphan(NamedTuple):
    """A result without a call before it; ``id`` is None if it names no call."""

    position: int
    id: str | None


class Repeat(NamedTuple):
    """A call id that is used again, or a second result for a call."""

    position: int
    id: str
    is_call: bool


@dataclass
class Pairing:
    """Everything there is to know about calls and results of a projection."""

    sites: list[ToolExchange] = field(default_factory=list)
    orphans: list[Orphan] = field(default_factory=list)
    repeats: list[Repeat] = field(default_factory=list)

    @cached_property
    def unsound(self) -> list[ToolExchange]:
        """The calling messages that something is wrong with."""
        return [site for site in self.sites if not site.is_sound()]


def pair(linked: Iterable[Linked]) -> Pairing:
    """Match results with calls: each belongs to the latest call of its id before it."""
    found = Pairing()
    caller: dict[str, ToolExchange] = {}
    answered: set[str] = set()
    block: ToolExchange | None = None
    for position, role, links in linked:
        in_block = block is not None and position == block.block_end and role != "assistant"
        if not in_block:
            block = None
        if links.calls:
            block = _call(found, caller, position, links.calls)
            answered.difference_update(links.calls)
        if not links.results and not links.calls:
            found.orphans.append(Orphan(position, None))
            if block is not None:
                block.foreign = True
        for result in links.results:
            site = caller.get(result)
            if site is None:
                found.orphans.append(Orphan(position, result))
            else:
                # An id is in this set once its call has a result; a new call takes it out again.
                if result in answered:
                    found.repeats.append(Repeat(position, result, False))
                answered.add(result)
                (site.in_block if site is block else site.displaced).append((result, position))
            if block is not None and site is not block and position != block.position:
                block.foreign = True
        if block is not None:
            block.block_end = position + 1
    return found


def _call(
    found: Pairing, caller: dict[str, ToolExchange], position: int, calls: tuple[str, ...]
) -> ToolExchange:
    site = ToolExchange(position, calls)
    for call in calls:
        if call in caller:
            found.repeats.append(Repeat(position, call, True))
        caller[call] = site
    found.sites.append(site)
    return site


FEW_MESSAGES = 256
"""So few visible messages are read sooner than the places of a cut are looked up."""
MOST_PIECES = 4096
MOST_PLACES = 64
FEW_STEPS = 2048
PER_STEP = 8
"""A step costs as much as reading so many messages."""
SHORT = 64
"""Pieces up to this length are passed over where they hold no call and no result."""


class SplitExchange(NamedTuple):
    """An exchange of which a part would stay, and that part."""

    exchange: list[int]
    staying: list[int]


def splits(log: LogReader, view: View, kept: View, *gone: View) -> list[SplitExchange]:
    """Return the exchanges of a view that have messages among the kept and among the gone."""
    pieces = kept.run_count + sum(part.run_count for part in gone)
    if len(view) > FEW_MESSAGES and pieces <= MOST_PIECES:
        search = _SplitSearch(log, view, kept, gone)
        try:
            return _split(log, search.around(), search.stays)
        except _TooFarError:
            pass
    stays = bytearray(len(log))
    for start, length in kept.runs():
        stays[start : start + length] = b"\1" * length
    return _split(log, view, stays.__getitem__)


def _split(log: LogReader, view: View, stays: Callable[[int], int | None]) -> list[SplitExchange]:
    found = [SplitExchange(one, [raw for raw in one if stays(raw)]) for one in exchanges(log, view)]
    return [split for split in found if 0 < len(split.staying) < len(split.exchange)]


class _TooFarError(Exception):
    """The cut has too many places to check one by one."""


class _SplitSearch:
    """Looks for split exchanges from the places where kept and gone pieces meet.

    It makes the cost of ``keepPairs`` independent of the length of the log.
    """

    def __init__(self, log: LogReader, view: View, kept: View, gone: Sequence[View]) -> None:
        self._log, self._view, self._uses = log, view, log.uses
        pieces = [(start, start + length, True) for start, length in kept.runs()]
        pieces += [(s, s + length, False) for part in gone for s, length in part.runs()]
        self._pieces = sorted(pieces)
        self._starts = [start for start, _, _ in self._pieces]
        # Then what comes first has the lower raw index, and no use of an id needs to be located.
        self._in_order = all(one < other for (one, _), (other, _) in pairwise(view.runs()))
        self._orders: dict[str, Sequence[int]] = {}
        self._left = max(FEW_STEPS, len(view) // PER_STEP)

    def around(self) -> View:
        """Return the view of some whole exchanges, those that are split among them."""
        members: set[int] = set()
        waiting = list(self._seeds())
        while waiting:
            raw = waiting.pop()
            if raw not in members:
                members.add(raw)
                waiting += self._neighbours(raw)
        return View.of(sorted(members, key=None if self._in_order else self._position))

    def stays(self, raw: int) -> bool | None:
        """Return whether a message stays; None if it is hidden already."""
        at = bisect_right(self._starts, raw) - 1
        if at < 0:
            return None
        _, stop, stays = self._pieces[at]
        return stays if raw < stop else None

    def _seeds(self) -> Iterator[int]:
        """Yield a message, or more, of each exchange that is split; others may be among them."""
        for place in self._places():
            for id in self._ids_across(place):
                order = self._order(id)
                if self._in_order:
                    caller = self._caller(id, order, bisect_left(order, place) - 1)
                    if caller is not None:
                        yield caller
                else:
                    yield from order

    def _places(self) -> list[int]:
        """Return the raw indices at which a kept piece follows a gone one, or the other way."""
        linked = [
            (start, stays)
            for start, stop, stays in self._pieces
            if stop - start > SHORT or 1 in self._log.flags(start, stop).translate(LINKED_TABLE)
        ]
        places = [start for (_, one), (start, other) in pairwise(linked) if one != other]
        if len(places) > MOST_PLACES:
            raise _TooFarError
        return places

    def _ids_across(self, place: int) -> dict[str, None]:
        """Return the ids that are used before a raw index and from there on."""
        ids = [id for raw in self._uses.across(place) for id in self._ids(raw)]
        self._step(len(ids))
        return {id: None for id in ids if self._uses.of(id)[0] < place}

    def _neighbours(self, raw: int) -> Iterator[int]:
        """Yield the results of the calls in a message, and the callers of its results."""
        links = self._log.links(raw)
        for id in self._ids(raw):
            order = self._order(id)
            at = bisect_left(order, raw) if self._in_order else order.index(raw)
            if id in links.calls:
                yield from self._answers(id, order, at + 1)
            elif (caller := self._caller(id, order, at - 1)) is not None:
                yield caller

    def _caller(self, id: str, order: Sequence[int], at: int) -> int | None:
        """Return the latest visible call of an id, from a place in the order of its uses back."""
        for place in range(at, -1, -1):
            self._step()
            raw = order[place]
            if self.stays(raw) is not None and id in self._log.links(raw).calls:
                return raw
        return None

    def _answers(self, id: str, order: Sequence[int], at: int) -> Iterator[int]:
        """Yield the visible results of an id from a place on, up to its next visible call."""
        for place in range(at, len(order)):
            self._step()
            raw = order[place]
            if self.stays(raw) is not None:
                if id in self._log.links(raw).calls:
                    return
                yield raw

    def _order(self, id: str) -> Sequence[int]:
        """Return the messages that use an id in visible order; hidden ones may be among them."""
        if self._in_order:
            return self._uses.of(id)
        order = self._orders.get(id)
        if order is None:
            uses = self._uses.of(id)
            self._step(len(uses))
            shown = [raw for raw in uses if self.stays(raw) is not None]
            order = self._orders[id] = sorted(shown, key=self._position)
        return order

    def _position(self, raw: int) -> int:
        position = self._view.position(raw)
        assert position is not None
        return position

    def _ids(self, raw: int) -> set[str]:
        links = self._log.links(raw)
        return {*links.calls, *links.results}

    def _step(self, count: int = 1) -> None:
        self._left -= count
        if self._left < 0:
            raise _TooFarError


LINKED_TABLE = flag_table(LINKED)
