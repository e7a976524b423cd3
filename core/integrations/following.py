"""Following: the operations that make a conversation what a framework's list has become."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from ..operations import Append, Delete, Insert, Operation, Replace, Select
from .matching import Piece
from .units import Unit

T = TypeVar("T")


class Gap(Generic[T], NamedTuple):
    """What is new and what has gone just before a unit that stayed, or at the end."""

    before: Unit[T] | None
    new: list[Piece[T]]
    gone: list[Unit[T]]


def gaps(held: Sequence[Unit[T]], pieces: Sequence[Piece[T]]) -> list[Gap[T]]:
    """Return where a list differs from the one before, from its start to its end."""
    here = {id(piece.unit) for piece in pieces if piece.unit is not None}
    gone_before: dict[int, list[Unit[T]]] = {}
    waiting: list[Unit[T]] = []
    for unit in held:
        if id(unit) in here:
            gone_before[id(unit)], waiting = waiting, []
        else:
            waiting.append(unit)
    found: list[Gap[T]] = []
    new: list[Piece[T]] = []
    for piece in pieces:
        if piece.unit is None:
            new.append(piece)
            continue
        gone = gone_before.get(id(piece.unit), [])
        if new or gone:
            found.append(Gap(piece.unit, new, gone))
        new = []
    if new or waiting:
        found.append(Gap(None, new, waiting))
    return found


class Plan(Generic[T]):
    """Operations one after the other, and what they would leave visible."""

    def __init__(self, view: Sequence[int], log_size: int) -> None:
        self.operations: list[Operation] = []
        self.added: list[tuple[Piece[T], tuple[int, ...]]] = []
        self._shown = list(view)
        self._next = log_size

    def hide(self, raws: Set[int]) -> None:
        """Hide what the framework has no more."""
        going = [raw for raw in self._shown if raw in raws]
        if going:
            self.operations.append(Delete(indices=going))
            self._shown = [raw for raw in self._shown if raw not in raws]

    def fill(self, gap: Gap[T], gone: Set[int], following: Sequence[int]) -> None:
        """Show what is new in a gap: in place of what has gone there, or before what follows."""
        old = [raw for unit in gap.gone for raw in unit.raws if raw in gone]
        old = sorted((raw for raw in old if raw in self._shown), key=self._shown.index)
        new = gap.new
        if old and new:
            # At the end, what is said next is not part of what an edited message has become.
            count = len(gap.gone) if gap.before is None else len(new)
            instead, new = new[:count], new[count:]
            at = self._shown.index(old[0])
            messages = [message for piece in instead for message in piece.messages]
            self.operations.append(Replace(indices=old, messages=messages))
            self._shown = [raw for raw in self._shown if raw not in old]
            self._show(at, instead)
        if not new:
            return
        messages = [message for piece in new for message in piece.messages]
        shown = [raw for raw in following if raw in self._shown]
        place = self._shown.index(shown[0]) if shown else len(self._shown)
        if shown:
            self.operations.append(Insert(position=place, messages=messages))
        else:
            self.operations.append(Append(messages=messages))
        self._show(place, new)

    def _show(self, at: int, pieces: Sequence[Piece[T]]) -> None:
        start = self._next
        for piece in pieces:
            raws = tuple(range(self._next, self._next + len(piece.messages)))
            self.added.append((piece, raws))
            self._next += len(raws)
        self._shown[at:at] = range(start, self._next)

    def reorder(self, wanted: Sequence[int]) -> None:
        """Put some messages into another order, in the places that they have together."""
        asked = [raw for raw in wanted if raw in set(self._shown)]
        among = set(asked)
        if asked == [raw for raw in self._shown if raw in among]:
            return
        turn = iter(asked)
        self._shown = [next(turn) if raw in among else raw for raw in self._shown]
        self.operations.append(Select(indices=self._shown))


def is_moved(held: Sequence[Unit[T]], pieces: Sequence[Piece[T]]) -> bool:
    """Tell whether units that stayed have changed their order."""
    places = {id(unit): place for place, unit in enumerate(held)}
    stayed = [places[id(one.unit)] for one in pieces if id(one.unit) in places]
    return any(one > other for one, other in pairwise(stayed))
