"""Matching: which objects of a framework's list are known, though they may be copies by now."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from ..errors import Refused
from ..messages.message import Message
from .translator import Translator, unreadable
from .units import Essence, Unit, essence_of

T = TypeVar("T")


class Piece(Generic[T]):
    """Objects of a list that belong together, read only where their identity tells nothing."""

    __slots__ = ("_essence", "_messages", "_translator", "objects", "unit")

    def __init__(self, objects: tuple[T, ...], translator: Translator[T]) -> None:
        self.objects = objects
        self.unit: Unit[T] | None = None
        self._translator = translator
        self._messages: tuple[Message, ...] | None = None
        self._essence: Essence | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """Return the messages that it is."""
        if self._messages is None:
            try:
                self._messages = tuple(self._translator.read(self.objects))
            except Refused as refusal:
                self._messages = (unreadable(self.objects, refusal),)
        return self._messages

    @property
    def essence(self) -> Essence:
        """Return what it says."""
        if self._essence is None:
            self._essence = essence_of(self.messages)
        return self._essence


class Known(Generic[T]):
    """The units that can be found again, by their objects or by what they say."""

    def __init__(self) -> None:
        self._units: dict[int, Unit[T]] = {}
        self._by_object: dict[int, list[Unit[T]]] = defaultdict(list)

    def has(self, one: T) -> bool:
        """Tell whether an object is the first of a unit."""
        return any(unit.objects[0] is one for unit in self._by_object.get(id(one), ()))

    def add(self, unit: Unit[T]) -> None:
        """Note a unit, if it isn't known."""
        if id(unit) not in self._units and unit.objects:
            self._units[id(unit)] = unit
            self._by_object[id(unit.objects[0])].append(unit)

    def forget(self, unit: Unit[T]) -> None:
        """Let go of a unit: if its objects come again, they are new."""
        if self._units.pop(id(unit), None) is not None:
            self._by_object[id(unit.objects[0])].remove(unit)

    def renew(self, unit: Unit[T], objects: tuple[T, ...]) -> None:
        """Note that a unit has other objects now, equal ones: they are what is given back."""
        if not unit.is_of(objects):
            self.forget(unit)
            unit.objects = objects
            self.add(unit)

    def match(
        self, pieces: Sequence[Piece[T]], log: Sequence[Message], *lines: Sequence[Unit[T]]
    ) -> None:
        """Set the unit of each piece that is known: by identity, or else by what it says.

        ``lines`` are the lists that a framework may go on from: its own last one, and what it was
        given. Behind the last piece of the one that it does go on from, everything is new: a
        message that somebody says again, with the same words or even as the same object, is
        another one. Before it, objects may have been joined or parted.
        """
        taken: set[int] = set()
        for piece in pieces:
            for unit in self._by_object.get(id(piece.objects[0]), ()):
                if id(unit) not in taken and unit.is_of(piece.objects):
                    _take(piece, unit, taken)
                    break
        starts = [_common_start(pieces, line) for line in lines]
        fitting = [line for line, start in zip(lines, starts, strict=True) if start == max(starts)]
        for line in fitting:
            _by_essence(pieces, line, taken)
        expected = {id(unit) for line in fitting for unit in line}
        ends = [i for i, piece in enumerate(pieces, 1) if id(piece.unit) in expected]
        end = ends[-1] if ends else 0
        for piece in pieces[end:]:
            piece.unit = None
        _by_essence(pieces[:end], self._units.values(), taken)
        for line in lines:
            self._regroup(pieces[:end], log, line)

    def _regroup(
        self, pieces: Sequence[Piece[T]], log: Sequence[Message], line: Sequence[Unit[T]]
    ) -> None:
        """Give pieces units of their own whose messages stood side by side in other units."""
        unknown = [piece for piece in pieces if piece.unit is None]
        if not unknown:
            return
        here = {raw for piece in pieces if piece.unit is not None for raw in piece.unit.raws}
        order = [raw for unit in line for raw in unit.raws if raw not in here]
        for piece, raws in zip(unknown, found_in_order(unknown, log, order), strict=True):
            if raws is not None:
                piece.unit = Unit(piece.objects, raws, piece.essence)
                self.add(piece.unit)


def _take(piece: Piece[T], unit: Unit[T], taken: set[int]) -> None:
    piece.unit = unit
    taken.add(id(unit))


def _common_start(pieces: Sequence[Piece[T]], line: Sequence[Unit[T]]) -> int:
    """Return how many pieces at the start of a list are the same as in another."""
    for count, (piece, unit) in enumerate(zip(pieces, line, strict=False)):
        is_same = piece.essence == unit.essence if piece.unit is None else piece.unit is unit
        if not is_same:
            return count
    return min(len(pieces), len(line))


def _by_essence(pieces: Sequence[Piece[T]], line: Iterable[Unit[T]], taken: set[int]) -> None:
    """Give pieces that are not known yet the units that say the same, in order."""
    unknown = [piece for piece in pieces if piece.unit is None]
    if not unknown:
        return
    free: dict[Essence, deque[Unit[T]]] = defaultdict(deque)
    for unit in line:
        if id(unit) not in taken:
            free[unit.essence].append(unit)
    for piece in unknown:
        if free.get(piece.essence):
            _take(piece, free[piece.essence].popleft(), taken)


def found_in_order(
    pieces: Sequence[Piece[T]], log: Sequence[Message], order: Sequence[int]
) -> list[tuple[int, ...] | None]:
    """Return the raw indices of pieces whose messages stand in a log one behind the other."""
    said = [essence_of((log[raw],))[0] for raw in order]
    places: dict[object, list[int]] = defaultdict(list)
    for place, one in enumerate(said):
        places[one].append(place)
    found: list[tuple[int, ...] | None] = []
    start = 0
    for piece in pieces:
        size, first = len(piece.essence), places.get(piece.essence[0], [])
        for place in first[bisect_left(first, start) :]:
            if tuple(said[place : place + size]) == piece.essence:
                found.append(tuple(order[place : place + size]))
                start = place + size
                break
        else:
            found.append(None)
    return found
