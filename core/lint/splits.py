"""Tool exchanges that a cut would split: found at the cut, without reading all that is visible.

A cut divides the visible messages into those that stay and those that go. Put in order of raw
index, they are pieces that stay or go; an exchange with messages of both kinds has an id that is
used on both sides of a place where such pieces meet. Where a cut has too many of these places, or
an id too many uses, all exchanges are looked at instead.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..history.columns import flag_table
from ..history.log import LogReader
from ..messages.facts import LINKED
from ..views.view import View
from .exchanges import exchanges

FEW_MESSAGES = 256
"""So few visible messages are read sooner than the places of a cut are looked up."""
MOST_PIECES = 4096
MOST_PLACES = 64
FEW_STEPS = 2048
PER_STEP = 8
"""A step costs as much as reading so many messages."""
SHORT = 64
"""Pieces up to this length are passed over where they hold no call and no result."""


class Split(NamedTuple):
    """An exchange of which a part would stay, and that part."""

    exchange: list[int]
    staying: list[int]


def splits(log: LogReader, view: View, kept: View, *gone: View) -> list[Split]:
    """Return the exchanges of a view that have messages among the kept and among the gone."""
    pieces = kept.run_count + sum(part.run_count for part in gone)
    if len(view) > FEW_MESSAGES and pieces <= MOST_PIECES:
        search = _Search(log, view, kept, gone)
        try:
            return _split(log, search.around(), search.stays)
        except _TooFarError:
            pass
    stays = bytearray(len(log))
    for start, length in kept.runs():
        stays[start : start + length] = b"\1" * length
    return _split(log, view, stays.__getitem__)


def _split(log: LogReader, view: View, stays: Callable[[int], int | None]) -> list[Split]:
    found = [Split(one, [raw for raw in one if stays(raw)]) for one in exchanges(log, view)]
    return [split for split in found if 0 < len(split.staying) < len(split.exchange)]


class _TooFarError(Exception):
    """The cut has too many places to be looked at one by one."""


class _Search:
    """Looks for split exchanges from the places where kept and gone pieces meet."""

    def __init__(self, log: LogReader, view: View, kept: View, gone: Sequence[View]) -> None:
        self._log, self._view, self._uses = log, view, log.uses
        pieces = [(start, start + length, True) for start, length in kept.runs()]
        pieces += [(s, s + length, False) for part in gone for s, length in part.runs()]
        self._pieces = sorted(pieces)
        self._starts = [start for start, _, _ in self._pieces]
        # Then what stands first has the lower raw index, and no use of an id needs to be placed.
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
        """Tell whether a message stays or goes; None where it is hidden already."""
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
