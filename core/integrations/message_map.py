"""The message map: which message of the log is which object of a framework."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic_core import to_jsonable_python

from ..conversation.conversation import Conversation
from ..engine.messages import Message, Part, ThinkingPart, ToolResultPart
from ..engine.operation import Operation
from ..engine.operations import Append, Delete, Insert, Replace, Select
from ..engine.revisions import Revision
from ..engine.state import State
from ..engine.views import indices_of
from ..errors import Refused
from ..formats.json_text import parsed

T = TypeVar("T")


class Translator(ABC, Generic[T]):
    """Reads and writes a framework's objects; never changes one that it is given."""

    def split(self, objects: Sequence[T]) -> list[tuple[T, ...]]:
        """Return the objects in groups that can be read alone, by default one each."""
        return [(one,) for one in objects]

    @abstractmethod
    def read(self, piece: Sequence[T]) -> Sequence[Message]:
        """Return the messages of a group of objects, at least one."""

    @abstractmethod
    def write(self, message: Message, raw: int) -> Sequence[T]:
        """Return new objects for a message that the framework never had."""

    def cut(self, piece: Sequence[T], kept: Sequence[int]) -> Sequence[T] | None:
        """Return a group with only some of its messages, or None to write those as new objects."""
        return None


def plain(value: Any) -> Any:
    """Return any value as JSON-ready data; what JSON can't hold becomes its ``repr``."""
    return to_jsonable_python(value, fallback=repr, inf_nan_mode="strings", bytes_mode="base64")


def read_arguments(arguments: Any) -> Any:
    """Return the input of a tool call, which may be the text of an object or missing."""
    if isinstance(arguments, str):
        return parsed(arguments)[1]
    return {} if arguments is None else arguments


def unreadable(piece: Sequence[Any], refusal: Refused) -> Message:
    """Return the message for objects that can't be read, which are sent as they are.

    An object that can't be read never breaks the agent's call.
    """
    data = {"unreadable": str(refusal), "objects": [plain(one) for one in piece]}
    return Message.from_dict({"role": "user", "content": [{"type": "data", "data": data}]})


ContentKey = tuple[Hashable, ...]
"""The content of messages, without ids, times and notes."""


@dataclass(eq=False, slots=True)
class ObjectGroup(Generic[T]):
    """Objects that belong together, and the raw indices of their messages."""

    objects: tuple[T, ...]
    raws: tuple[int, ...]
    content: ContentKey

    def has_objects(self, piece: Sequence[T]) -> bool:
        return len(piece) == len(self.objects) and all(
            one is other for one, other in zip(piece, self.objects, strict=True)
        )

    def continues(self, raw: int, other: int) -> bool:
        """Return whether both messages are in it, in this order."""
        raws = self.raws
        return raw in raws and other in raws and raws.index(raw) < raws.index(other)


def content_key(messages: Sequence[Message]) -> ContentKey:
    """Return the content of messages, by which equal ones are recognised."""
    return tuple((one.role, *map(_bare, one.parts)) for one in messages)


def _bare(part: Part) -> Part:
    """Return a part without metadata, which may change from call to call."""
    if isinstance(part, ThinkingPart):
        return ThinkingPart(part.text)
    if isinstance(part, ToolResultPart) and isinstance(part.content, tuple):
        part = replace(part, content=tuple(map(_bare, part.content)))
    return part if part.metadata is None else replace(part, metadata=None)


class Incoming(Generic[T]):
    """Objects of a framework's list that belong together; read only if they are not recognised."""

    def __init__(
        self,
        objects: tuple[T, ...],
        translator: Translator[T],
        group: ObjectGroup[T] | None = None,
    ) -> None:
        self.objects = objects
        self.group = group
        self._translator = translator

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        try:
            return tuple(self._translator.read(self.objects))
        except Refused as refusal:
            return (unreadable(self.objects, refusal),)

    @cached_property
    def content(self) -> ContentKey:
        return content_key(self.messages)


class KnownGroups(Generic[T]):
    """The groups that can be recognised, by their objects or by their content."""

    def __init__(self) -> None:
        self._groups: dict[int, ObjectGroup[T]] = {}
        self._by_object: dict[int, list[ObjectGroup[T]]] = defaultdict(list)

    def has(self, one: T) -> bool:
        """Return whether an object is the first of a known group."""
        return any(group.objects[0] is one for group in self._by_object.get(id(one), ()))

    def add(self, group: ObjectGroup[T]) -> None:
        if id(group) not in self._groups and group.objects:
            self._groups[id(group)] = group
            self._by_object[id(group.objects[0])].append(group)

    def forget(self, group: ObjectGroup[T]) -> None:
        """Forget a group: if its objects come again, they are new."""
        if self._groups.pop(id(group), None) is not None:
            self._by_object[id(group.objects[0])].remove(group)

    def match(
        self,
        pieces: Sequence[Incoming[T]],
        log: Sequence[Message],
        *lines: Sequence[ObjectGroup[T]],
    ) -> None:
        """Set the group of each piece that is known, by identity or else by content.

        ``lines`` are the lists that a framework may continue: its own last one, and what it was
        given. After the last piece of the one that it does continue, everything is new: a message
        that is said again, even as the same object, is another one. Before it, objects may have
        been joined or split.
        """
        taken: set[int] = set()
        for piece in pieces:
            for group in self._by_object.get(id(piece.objects[0]), ()):
                if id(group) not in taken and group.has_objects(piece.objects):
                    _take(piece, group, taken)
                    break
        starts = [_common_start(pieces, line) for line in lines]
        fitting = [line for line, start in zip(lines, starts, strict=True) if start == max(starts)]
        for line in fitting:
            _by_content(pieces, line, taken)
        expected = {id(group) for line in fitting for group in line}
        ends = [i for i, piece in enumerate(pieces, 1) if id(piece.group) in expected]
        end = ends[-1] if ends else 0
        for piece in pieces[end:]:
            piece.group = None
        _by_content(pieces[:end], self._groups.values(), taken)
        for line in lines:
            self._regroup(pieces[:end], log, line)

    def _regroup(
        self, pieces: Sequence[Incoming[T]], log: Sequence[Message], line: Sequence[ObjectGroup[T]]
    ) -> None:
        """Give pieces new groups whose messages were adjacent in other groups."""
        unknown = [piece for piece in pieces if piece.group is None]
        if not unknown:
            return
        here = {raw for piece in pieces if piece.group is not None for raw in piece.group.raws}
        order = [raw for group in line for raw in group.raws if raw not in here]
        for piece, raws in zip(unknown, found_in_order(unknown, log, order), strict=True):
            if raws is not None:
                piece.group = ObjectGroup(piece.objects, raws, piece.content)
                self.add(piece.group)


def _take(piece: Incoming[T], group: ObjectGroup[T], taken: set[int]) -> None:
    piece.group = group
    taken.add(id(group))


def _common_start(pieces: Sequence[Incoming[T]], line: Sequence[ObjectGroup[T]]) -> int:
    """Return how many pieces at the start are those of a line."""
    for count, (piece, group) in enumerate(zip(pieces, line, strict=False)):
        is_same = piece.content == group.content if piece.group is None else piece.group is group
        if not is_same:
            return count
    return min(len(pieces), len(line))


def _by_content(
    pieces: Sequence[Incoming[T]], line: Iterable[ObjectGroup[T]], taken: set[int]
) -> None:
    """Give unknown pieces the groups with the same content, in order."""
    unknown = [piece for piece in pieces if piece.group is None]
    if not unknown:
        return
    free: dict[ContentKey, deque[ObjectGroup[T]]] = defaultdict(deque)
    for group in line:
        if id(group) not in taken:
            free[group.content].append(group)
    for piece in unknown:
        if free.get(piece.content):
            _take(piece, free[piece.content].popleft(), taken)


def found_in_order(
    pieces: Sequence[Incoming[T]], log: Sequence[Message], order: Sequence[int]
) -> list[tuple[int, ...] | None]:
    """Return the raw indices of pieces whose messages are adjacent in a log, in order."""
    said = [content_key((log[raw],))[0] for raw in order]
    places: dict[object, list[int]] = defaultdict(list)
    for place, one in enumerate(said):
        places[one].append(place)
    found: list[tuple[int, ...] | None] = []
    start = 0
    for piece in pieces:
        size, first = len(piece.content), places.get(piece.content[0], [])
        for place in first[bisect_left(first, start) :]:
            if tuple(said[place : place + size]) == piece.content:
                found.append(tuple(order[place : place + size]))
                start = place + size
                break
        else:
            found.append(None)
    return found


class ListGap(Generic[T], NamedTuple):
    """What is new and what is gone just before a group that stayed, or at the end."""

    before: ObjectGroup[T] | None
    new: list[Incoming[T]]
    gone: list[ObjectGroup[T]]


def gaps(held: Sequence[ObjectGroup[T]], pieces: Sequence[Incoming[T]]) -> list[ListGap[T]]:
    """Return where a list differs from the one before, in order."""
    here = {id(piece.group) for piece in pieces if piece.group is not None}
    gone_before: dict[int, list[ObjectGroup[T]]] = {}
    waiting: list[ObjectGroup[T]] = []
    for group in held:
        if id(group) in here:
            gone_before[id(group)], waiting = waiting, []
        else:
            waiting.append(group)
    found: list[ListGap[T]] = []
    new: list[Incoming[T]] = []
    for piece in pieces:
        if piece.group is None:
            new.append(piece)
            continue
        gone = gone_before.get(id(piece.group), [])
        if new or gone:
            found.append(ListGap(piece.group, new, gone))
        new = []
    if new or waiting:
        found.append(ListGap(None, new, waiting))
    return found


class ViewPlan(Generic[T]):
    """Operations in order, and what they would leave visible."""

    def __init__(self, view: Sequence[int], log_size: int) -> None:
        self.operations: list[Operation] = []
        self.added: list[tuple[Incoming[T], tuple[int, ...]]] = []
        self._shown = list(view)
        self._next = log_size

    def hide(self, raws: Set[int]) -> None:
        going = [raw for raw in self._shown if raw in raws]
        if going:
            self.operations.append(Delete(indices=going))
            self._shown = [raw for raw in self._shown if raw not in raws]

    def fill(self, gap: ListGap[T], gone: Set[int], following: Sequence[int]) -> None:
        """Show what is new in a gap: in place of what is gone there, or before what follows."""
        old = [raw for group in gap.gone for raw in group.raws if raw in gone]
        old = sorted((raw for raw in old if raw in self._shown), key=self._shown.index)
        new = gap.new
        if old and new:
            # At the end, what is said next is not part of an edited message.
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

    def _show(self, at: int, pieces: Sequence[Incoming[T]]) -> None:
        start = self._next
        for piece in pieces:
            raws = tuple(range(self._next, self._next + len(piece.messages)))
            self.added.append((piece, raws))
            self._next += len(raws)
        self._shown[at:at] = range(start, self._next)

    def reorder(self, wanted: Sequence[int]) -> None:
        """Put some messages into another order, within the positions that they have."""
        asked = [raw for raw in wanted if raw in set(self._shown)]
        among = set(asked)
        if asked == [raw for raw in self._shown if raw in among]:
            return
        turn = iter(asked)
        self._shown = [next(turn) if raw in among else raw for raw in self._shown]
        self.operations.append(Select(indices=self._shown))


NOTHING: frozenset[int] = frozenset()


class Replacements:
    """Which messages each message replaced that an operation made.

    A copy replaced the one message whose position it has, a summary all that it hid, and either
    also what those had replaced. What was only added replaced nothing.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._replaced: dict[int, frozenset[int]] = {}

    def learn(self, state: State) -> None:
        fresh: list[Revision] = []
        revision = state.current
        while revision.id not in self._seen:
            self._seen.add(revision.id)
            fresh.append(revision)
            if revision.parent is None:
                break
            revision = state.revisions[revision.parent]
        for revision in reversed(fresh):
            # An APPEND hides nothing, and most revisions are one.
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
            self._replaced[raw] = old.union(*(self.of(one) for one in old))

    def of(self, raw: int) -> frozenset[int]:
        return self._replaced.get(raw, NOTHING)


class MessageMap(Generic[T]):
    """Maps the objects of a framework to the raw indices of one conversation.

    Objects are recognised by identity, or else by their content. Four rules:

    - An object the framework never had is added where it is in the framework's list.
    - What the framework no longer has is hidden, together with what replaced nothing else.
    - What an operation hid stays hidden, though the framework still has it.
    - What an operation made stays as long as the framework has it or what it replaced.
    """

    def __init__(self, conversation: Conversation, translator: Translator[T]) -> None:
        self.conversation = conversation
        self._translator = translator
        self._known: KnownGroups[T] = KnownGroups()
        self._replacements = Replacements()
        self._added: set[int] = set()
        self._given: dict[int, ObjectGroup[T]] = {}
        self._made: dict[tuple[int, ...], ObjectGroup[T]] = {}
        self._held: list[ObjectGroup[T]] = []
        self._handed: list[ObjectGroup[T]] = []
        self._is_first = True

    def has(self, one: T) -> bool:
        return self._known.has(one)

    def follow(self, objects: Sequence[T]) -> None:
        """Change the conversation as a framework's list has changed."""
        pieces = self._pieces(objects)
        if self._is_first and len(self.conversation.log):
            self._recognise(pieces)
        self._is_first = False
        self._known.match(pieces, self.conversation.log, self._held, self._handed)
        gone = self._gone(pieces)
        plan: ViewPlan[T] = ViewPlan(self.conversation.view, len(self.conversation.log))
        found = gaps(self._held, pieces)
        replaced = [group for gap in found if gap.new for group in gap.gone]
        plan.hide(gone - {raw for group in replaced for raw in group.raws})
        order = [piece.group for piece in pieces if piece.group is not None]
        places = {id(group): place for place, group in enumerate(order)}
        instead = self._replacing()
        for gap in found:
            after = order[places[id(gap.before)] :] if gap.before is not None else []
            raws = [raw for group in after for raw in group.raws]
            plan.fill(gap, gone, [instead.get(raw, raw) for raw in raws])
        held = {id(group): place for place, group in enumerate(self._held)}
        stayed = [held[id(group)] for group in order if id(group) in held]
        if any(one > other for one, other in pairwise(stayed)):
            plan.reorder([raw for group in order for raw in group.raws])
        self._apply(plan, pieces, gone)

    def add(self, objects: Sequence[T]) -> None:
        """Append objects that the framework will have next, such as the model's answer."""
        pieces = self._pieces(objects)
        plan: ViewPlan[T] = ViewPlan(self.conversation.view, len(self.conversation.log))
        for gap in gaps([], pieces):
            plan.fill(gap, set(), [])
        held = [Incoming(group.objects, self._translator, group) for group in self._held]
        self._apply(plan, [*held, *pieces], set())
        self._handed += [piece.group for piece in pieces if piece.group is not None]

    def clear(self) -> None:
        """Hide everything, because the framework starts from scratch."""
        if len(self.conversation.view):
            self.conversation.execute(Delete(indices=list(self.conversation.view)))
        self._known, self._given, self._made = KnownGroups(), {}, {}
        self._held, self._handed, self._is_first = [], [], False

    def visible(self) -> list[T]:
        """Return what to send: the framework's own objects, and new ones for new messages.

        A new message is the same object each time.
        """
        self._handed = [self._group_of(raws) for raws in self._runs(self.conversation.view)]
        for group in self._handed:
            self._known.add(group)
        return [one for group in self._handed for one in group.objects]

    def request(self, raws: Sequence[int | None], messages: Sequence[Message]) -> list[T]:
        """Return what to send if some messages are written for this request only."""
        found: list[T] = []
        size = len(self.conversation.log)
        for is_kept, some in groupby(enumerate(raws), key=lambda one: one[1] is not None):
            if is_kept:
                kept = [raw for _, raw in some if raw is not None]
                groups = [self._group_of(run) for run in self._runs(kept)]
                found += [one for group in groups for one in group.objects]
            else:
                for at, _ in some:
                    found += self._translator.write(messages[at], size + at)
        return found

    def _pieces(self, objects: Sequence[T]) -> list[Incoming[T]]:
        split = self._translator.split(objects)
        return [Incoming(one, self._translator) for one in split]

    def _recognise(self, pieces: Sequence[Incoming[T]]) -> None:
        """Recognise the objects of a stored conversation by their content."""
        log, view = self.conversation.log, self.conversation.view
        ways = [found_in_order(pieces, log, list(order)) for order in (view, range(len(log)))]
        best = max(ways, key=lambda way: len(way) - way.count(None))
        found = [
            self._note(piece.objects, raws, piece)
            for piece, raws in zip(pieces, best, strict=True)
            if raws is not None and self._given.keys().isdisjoint(raws)
        ]
        self._held = [*found, *self._held]

    def _note(
        self, objects: tuple[T, ...], raws: tuple[int, ...], piece: Incoming[T]
    ) -> ObjectGroup[T]:
        group = ObjectGroup(objects, raws, piece.content)
        self._known.add(group)
        self._given.update(dict.fromkeys(raws, group))
        piece.group = group
        return group

    def _gone(self, pieces: Iterable[Incoming[T]]) -> set[int]:
        """Return what is visible though the framework no longer has it."""
        self._replacements.learn(self.conversation.moment)
        here = {raw for piece in pieces if piece.group is not None for raw in piece.group.raws}
        missing = {raw for group in self._held for raw in group.raws} - here
        if not missing:
            return set()
        gone = set()
        for raw in self.conversation.view:
            whole = {raw, *self._replaced_by(raw)}
            if not whole.isdisjoint(missing) and whole.isdisjoint(here):
                gone.add(raw)
        return gone

    def _replacing(self) -> dict[int, int]:
        """Return the visible messages that replaced hidden ones, by those."""
        view = self.conversation.view
        return {hidden: raw for raw in view for hidden in self._replaced_by(raw)}

    def _replaced_by(self, raw: int) -> frozenset[int]:
        return NOTHING if raw in self._added else self._replacements.of(raw)

    def _apply(self, plan: ViewPlan[T], pieces: Sequence[Incoming[T]], gone: set[int]) -> None:
        if plan.operations:
            only = plan.operations[0] if len(plan.operations) == 1 else None
            self.conversation.execute(only or plan.operations)
        for group in self._held:
            if not gone.isdisjoint(group.raws):
                self._known.forget(group)
        for piece, raws in plan.added:
            self._note(piece.objects, raws, piece)
            self._added.update(raws)
        self._held = []
        for piece in pieces:
            assert piece.group is not None
            group = piece.group
            if not group.has_objects(piece.objects):
                # Equal objects, which are returned to the framework from now on.
                self._known.forget(group)
                group.objects = piece.objects
                self._known.add(group)
            self._held.append(group)
            if self._made.get(group.raws) is not group:
                # It is the framework's now, which may have joined or split others.
                self._given.update(dict.fromkeys(group.raws, group))

    def _runs(self, raws: Sequence[int]) -> Iterable[tuple[int, ...]]:
        """Yield raw indices, those of one group together where they are in order."""
        run: list[int] = []
        for raw in raws:
            group = self._given.get(raw)
            if run and not (group is not None and group.continues(run[-1], raw)):
                yield tuple(run)
                run = []
            run.append(raw)
        if run:
            yield tuple(run)

    def _group_of(self, raws: tuple[int, ...]) -> ObjectGroup[T]:
        """Return the group of a run: the framework's, a part of one, or a new one."""
        given = self._given.get(raws[0])
        if given is not None and given.raws == raws:
            return given
        if raws not in self._made:
            self._made[raws] = self._make(raws, given)
        return self._made[raws]

    def _make(self, raws: tuple[int, ...], given: ObjectGroup[T] | None) -> ObjectGroup[T]:
        objects: Sequence[T] | None = None
        if given is not None:
            objects = self._translator.cut(given.objects, [given.raws.index(raw) for raw in raws])
        if objects is None:
            log = self.conversation.log
            objects = [one for raw in raws for one in self._translator.write(log[raw], raw)]
        piece = Incoming(tuple(objects), self._translator)
        return ObjectGroup(piece.objects, raws, piece.content if objects else ())
