"""The ledger: which message of a log is which object of a framework.

A framework's list of objects comes in, the conversation follows it, and what is visible goes back
as the framework's own objects; only what an operation made is written anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from ..conversation.conversation import Conversation
from ..operations import Delete
from .following import Plan, gaps, is_moved
from .matching import Known, Piece, found_in_order
from .standing import NOTHING, StandIns
from .translator import Translator
from .units import Unit

T = TypeVar("T")


class Ledger(Generic[T]):
    """Raw indices beside the objects of a framework, for one conversation.

    What the framework holds is known by identity, or else by what it says. Four rules:

    - An object it never had is added to the conversation, where it stands in the framework's list.
    - What the framework has no more is hidden, and whatever stands for nothing else with it.
    - What an operation hid stays hidden, though the framework still has it.
    - What an operation made stays as long as the framework has it or what it stands for.
    """

    def __init__(self, conversation: Conversation, translator: Translator[T]) -> None:
        self.conversation = conversation
        self._translator = translator
        self._known: Known[T] = Known()
        self._stand_ins = StandIns()
        self._added: set[int] = set()
        self._given: dict[int, Unit[T]] = {}
        self._made: dict[tuple[int, ...], Unit[T]] = {}
        self._held: list[Unit[T]] = []
        self._handed: list[Unit[T]] = []
        self._is_first = True

    def has(self, one: T) -> bool:
        """Tell whether the framework has given this very object before, or was given it."""
        return self._known.has(one)

    def follow(self, objects: Sequence[T]) -> None:
        """Make the conversation what a framework's list has become; nothing of it is lost."""
        pieces = self._pieces(objects)
        if self._is_first and len(self.conversation.log):
            self._find_again(pieces)
        self._is_first = False
        self._known.match(pieces, self.conversation.log, self._held, self._handed)
        gone = self._gone(pieces)
        plan: Plan[T] = Plan(self.conversation.view, len(self.conversation.log))
        found = gaps(self._held, pieces)
        replaced = [unit for gap in found if gap.new for unit in gap.gone]
        plan.hide(gone - {raw for unit in replaced for raw in unit.raws})
        order = [piece.unit for piece in pieces if piece.unit is not None]
        places = {id(unit): place for place, unit in enumerate(order)}
        instead = self._instead()
        for gap in found:
            after = order[places[id(gap.before)] :] if gap.before is not None else []
            raws = [raw for unit in after for raw in unit.raws]
            plan.fill(gap, gone, [instead.get(raw, raw) for raw in raws])
        if is_moved(self._held, pieces):
            plan.reorder([raw for unit in order for raw in unit.raws])
        self._carry_out(plan, pieces, gone)

    def add(self, objects: Sequence[T]) -> None:
        """Append objects that the framework will have next, such as the model's answer."""
        pieces = self._pieces(objects)
        plan: Plan[T] = Plan(self.conversation.view, len(self.conversation.log))
        for gap in gaps([], pieces):
            plan.fill(gap, set(), [])
        self._carry_out(plan, [*map(self._known_piece, self._held), *pieces], set())
        self._handed += [piece.unit for piece in pieces if piece.unit is not None]

    def clear(self) -> None:
        """Hide everything, because the framework starts anew."""
        if len(self.conversation.view):
            self.conversation.execute(Delete(indices=list(self.conversation.view)))
        self._known, self._given, self._made = Known(), {}, {}
        self._held, self._handed, self._is_first = [], [], False

    def visible(self) -> list[T]:
        """Return what is to be sent: the framework's own objects, and new ones for what was made.

        A message that was made is the same object each time.
        """
        self._handed = [self._unit(raws) for raws in self._stretches()]
        for unit in self._handed:
            self._known.add(unit)
        return _objects(self._handed)

    def _pieces(self, objects: Sequence[T]) -> list[Piece[T]]:
        split = self._translator.split(objects)
        return [Piece(one, self._translator) for one in split]

    def _known_piece(self, unit: Unit[T]) -> Piece[T]:
        piece = Piece(unit.objects, self._translator)
        piece.unit = unit
        return piece

    def _find_again(self, pieces: Sequence[Piece[T]]) -> None:
        """Find the objects of a conversation that was kept, which have other identities now."""
        log, view = self.conversation.log, self.conversation.view
        ways = [found_in_order(pieces, log, list(order)) for order in (view, range(len(log)))]
        best = max(ways, key=lambda way: len(way) - way.count(None))
        found = [
            self._note(piece.objects, raws, piece)
            for piece, raws in zip(pieces, best, strict=True)
            if raws is not None and self._given.keys().isdisjoint(raws)
        ]
        self._held = [*found, *self._held]

    def _note(self, objects: tuple[T, ...], raws: tuple[int, ...], piece: Piece[T]) -> Unit[T]:
        unit = Unit(objects, raws, piece.essence)
        self._known.add(unit)
        self._given.update(dict.fromkeys(raws, unit))
        piece.unit = unit
        return unit

    def _gone(self, pieces: Iterable[Piece[T]]) -> set[int]:
        """Return what is visible though the framework has it no more."""
        self._stand_ins.learn(self.conversation.moment)
        here = {raw for piece in pieces if piece.unit is not None for raw in piece.unit.raws}
        missing = {raw for unit in self._held for raw in unit.raws} - here
        if not missing:
            return set()
        gone = set()
        for raw in self.conversation.view:
            whole = {raw, *self._stood_for(raw)}
            if not whole.isdisjoint(missing) and whole.isdisjoint(here):
                gone.add(raw)
        return gone

    def _instead(self) -> dict[int, int]:
        """Return the visible messages that stand for hidden ones, by those."""
        view = self.conversation.view
        return {hidden: raw for raw in view for hidden in self._stood_for(raw)}

    def _stood_for(self, raw: int) -> frozenset[int]:
        """Return what a message stands for that an operation made."""
        return NOTHING if raw in self._added else self._stand_ins.of(raw)

    def _carry_out(self, plan: Plan[T], pieces: Sequence[Piece[T]], gone: set[int]) -> None:
        if plan.operations:
            only = plan.operations[0] if len(plan.operations) == 1 else None
            self.conversation.execute(only or plan.operations)
        for unit in self._held:
            if not gone.isdisjoint(unit.raws):
                self._known.forget(unit)
        for piece, raws in plan.added:
            self._note(piece.objects, raws, piece)
            self._added.update(raws)
        self._held = []
        for piece in pieces:
            assert piece.unit is not None
            self._known.renew(piece.unit, piece.objects)
            self._held.append(piece.unit)
            self._adopt(piece.unit)

    def _adopt(self, unit: Unit[T]) -> None:
        """Take a unit for the framework's own where it has joined or parted others."""
        if self._made.get(unit.raws) is not unit:
            self._given.update(dict.fromkeys(unit.raws, unit))

    def _stretches(self) -> Iterable[tuple[int, ...]]:
        """Yield what is visible, messages of one unit together where they stand in order."""
        run: list[int] = []
        for raw in self.conversation.view:
            unit = self._given.get(raw)
            if run and not (unit is not None and unit.goes_on(run[-1], raw)):
                yield tuple(run)
                run = []
            run.append(raw)
        if run:
            yield tuple(run)

    def _unit(self, raws: tuple[int, ...]) -> Unit[T]:
        """Return the unit of a stretch: the framework's, a part of it, or one that is made."""
        given = self._given.get(raws[0])
        if given is not None and given.raws == raws:
            return given
        if raws not in self._made:
            self._made[raws] = self._make(raws, given)
        return self._made[raws]

    def _make(self, raws: tuple[int, ...], given: Unit[T] | None) -> Unit[T]:
        objects: Sequence[T] | None = None
        if given is not None:
            objects = self._translator.cut(given.objects, [given.raws.index(raw) for raw in raws])
        if objects is None:
            log = self.conversation.log
            objects = [one for raw in raws for one in self._translator.write(log[raw], raw)]
        piece = Piece(tuple(objects), self._translator)
        return Unit(piece.objects, raws, piece.essence if objects else ())


def _objects(units: Iterable[Unit[T]]) -> list[T]:
    return [one for unit in units for one in unit.objects]
