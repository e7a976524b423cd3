"""Translating between a framework's objects and messages: what each integration has to say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic_core import to_jsonable_python

from ..conversation.conversation import Conversation
from ..engine.messages import Message, Part, ThinkingPart, ToolResultPart
from ..engine.operations import Append, Delete, Insert, Operation, Replace, Select
from ..engine.revisions import Revision
from ..engine.state import State
from ..engine.views import indices_of
from ..errors import Refused

T = TypeVar("T")


class Translator(ABC, Generic[T]):
    """How a framework's objects are read and written; it never changes one that it is given."""

    def split(self, objects: Sequence[T]) -> list[tuple[T, ...]]:
        """Return the objects in pieces that can be read alone: one each, unless they belong."""
        return [(one,) for one in objects]

    @abstractmethod
    def read(self, piece: Sequence[T]) -> Sequence[Message]:
        """Return the messages that a piece is, one at least."""

    @abstractmethod
    def write(self, message: Message, raw: int) -> Sequence[T]:
        """Return new objects for a message that the framework never had."""

    def cut(self, piece: Sequence[T], kept: Sequence[int]) -> Sequence[T] | None:
        """Return a piece of which only some messages are sent, or None to write those anew."""
        return None


def plain(value: Any) -> Any:
    """Return any value as JSON-ready data; what JSON can't hold is told in words."""
    return to_jsonable_python(value, fallback=repr, inf_nan_mode="strings", bytes_mode="base64")


def unreadable(piece: Sequence[Any], refusal: Refused) -> Message:
    """Return the message for objects that can't be read, which are sent as they are all the same.

    An agent's call never fails because of who looks on.
    """
    data = {"unreadable": str(refusal), "objects": [plain(one) for one in piece]}
    return Message.from_dict({"role": "user", "content": [{"type": "data", "data": data}]})


Essence = tuple[Hashable, ...]
"""What messages say, whatever ids, times and notes they carry."""


@dataclass(eq=False, slots=True)
class Unit(Generic[T]):
    """Some objects that belong together, and their messages in the log."""

    objects: tuple[T, ...]
    raws: tuple[int, ...]
    essence: Essence

    def is_of(self, piece: Sequence[T]) -> bool:
        """Return whether these very objects are its own."""
        return len(piece) == len(self.objects) and all(
            one is other for one, other in zip(piece, self.objects, strict=True)
        )

    def goes_on(self, raw: int, other: int) -> bool:
        """Return whether both messages are its own, one behind the other."""
        raws = self.raws
        return raw in raws and other in raws and raws.index(raw) < raws.index(other)


def essence_of(messages: Sequence[Message]) -> Essence:
    """Return what some messages say, to tell whether two are the same one."""
    return tuple((one.role, *map(_bare, one.parts)) for one in messages)


def _bare(part: Part) -> Part:
    """Return a part without what a program may note on it from one call to the next."""
    if isinstance(part, ThinkingPart):
        return ThinkingPart(part.text)
    if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
        part = replace(part, content=tuple(map(_bare, part.content)))
    return part if part.metadata is None else replace(part, metadata=None)


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
        """Return whether an object is the first of a unit."""
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
    """Return whether units that stayed have changed their order."""
    places = {id(unit): place for place, unit in enumerate(held)}
    stayed = [places[id(one.unit)] for one in pieces if id(one.unit) in places]
    return any(one > other for one, other in pairwise(stayed))


NOTHING: frozenset[int] = frozenset()


class StandIns:
    """What each message stands for that an operation made: itself aside, all that went for it.

    A copy stands for the one message whose place it took, a summary for all that it hid, and either
    for what those had stood for. What was only added stands for nothing.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._stands: dict[int, frozenset[int]] = {}

    def learn(self, state: State) -> None:
        """Take note of the revisions of the path that are new."""
        fresh: list[Revision] = []
        revision = state.current
        while revision.id not in self._seen:
            self._seen.add(revision.id)
            fresh.append(revision)
            if revision.parent is None:
                break
            revision = state.revisions[revision.parent]
        for revision in reversed(fresh):
            # What is only appended hides nothing; there are as many of those as messages.
            opens = revision.operation is not None and revision.operation.opens_batch
            if revision.parent is not None and revision.fresh and opens:
                self._learn(revision, state.revisions[revision.parent])

    def _learn(self, revision: Revision, parent: Revision) -> None:
        before, after = parent.view, revision.view
        added = [raw for raw in indices_of(revision.fresh) if raw in after]
        if len(before) == len(after):
            pairs = zip(before, after, strict=True)
            gone = {new: frozenset((old,)) for old, new in pairs if old != new}
        else:
            stayed = set(after)
            hidden = frozenset(raw for raw in before if raw not in stayed)
            gone = dict.fromkeys(added, hidden)
        for raw in added:
            old = gone.get(raw, NOTHING)
            self._stands[raw] = old.union(*(self.of(one) for one in old))

    def of(self, raw: int) -> frozenset[int]:
        """Return the raw indices that a message stands for."""
        return self._stands.get(raw, NOTHING)


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
        """Return whether the framework has given this very object before, or was given it."""
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
