"""The recorded calls of a path by number, and one of them with the call before it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ctxtui.core import Conversation, Revision
from ctxtui.core.engine.calls import Call, ToolDefinitions
from ctxtui.core.engine.diff import Diff, diff_views
from ctxtui.core.engine.operations import Operation
from ctxtui.core.engine.queries import Calls
from ctxtui.core.engine.revisions import is_on_way
from ctxtui.core.engine.state import State
from ctxtui.core.engine.views import View
from ctxtui.models.look import Look

MOST_KEPT = 32
"""Calls that are kept with what was found out about them: one goes back and forth."""


class CallPath:
    """The calls on the way to a revision, counted from 1; the present, where that leads further."""

    def __init__(self, conversation: Conversation, revision: int | None = None) -> None:
        revisions, now = conversation.revisions, conversation.current
        wanted = now if revision is None else revisions[revision]
        self.conversation = conversation
        self.to = now if is_on_way(revisions, wanted.id, now) else wanted
        self.calls = Calls(conversation.at(self.to.id).moment)
        self._known: dict[int, RecordedCall] = {}

    def __len__(self) -> int:
        """Return how many calls there are."""
        return len(self.calls)

    def __iter__(self) -> Iterator[RecordedCall]:
        """Yield the calls from the first to the newest."""
        return (RecordedCall(self, number) for number in range(1, len(self) + 1))

    def at(self, number: int) -> RecordedCall:
        """Return a call by its number, with what is known of it already."""
        if number not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[number] = RecordedCall(self, number)
        return self._known[number]

    def nearest(self, revision: Revision) -> int | None:
        """Return the newest call up to a revision, else the first one; None where there is none."""
        revisions = self.conversation.revisions
        found = (
            number
            for number in range(len(self), 0, -1)
            if is_on_way(revisions, self.calls[number - 1].revision, revision)
        )
        return next(found, 1 if len(self) else None)

    def number_of(self, place: int) -> int | None:
        """Return the number of a call by its place among all that were recorded, if it is here."""
        return self._numbers.get(place)

    @cached_property
    def _recorded(self) -> dict[int, int]:
        """Return which call each was among all that were recorded, by identity."""
        return {id(call): place for place, call in enumerate(self.calls.all)}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """Return the number of each call by its place among all."""
        return {self._recorded[id(call)]: number for number, call in enumerate(self.calls, 1)}

    def place(self, call: Call) -> int:
        """Return the place of a call among all that were recorded, from 0."""
        return self._recorded[id(call)]

    def number_at(self, place: int) -> int | None:
        """Return the number of the call at a place among all; None where it is not on this path."""
        return self._numbers.get(place)


class RecordedCall:
    """One call of a path; what it is compared with is the call before it there."""

    def __init__(self, path: CallPath, number: int) -> None:
        self.path = path
        self.number = number
        self.call: Call = path.calls[number - 1]
        self.before: Call | None = path.calls[number - 2] if number > 1 else None

    @cached_property
    def look(self) -> Look:
        """Return what was sent, as a look at its revision."""
        return Look(self.path.conversation, self.call.revision)

    @property
    def state(self) -> State:
        """Return what was sent, as a state."""
        return self.look.state

    @property
    def view(self) -> View:
        """Return what was sent, as raw indices."""
        return self.look.view

    @property
    def follows(self) -> bool:
        """Tell whether the call before it on the path is the one that was recorded before it."""
        place = self.path.place
        return self.before is not None and place(self.before) + 1 == place(self.call)

    @property
    def revision_before(self) -> Revision | None:
        """Return the revision of the call before."""
        return None if self.before is None else self.state.revisions[self.before.revision]

    @cached_property
    def difference(self) -> Diff | None:
        """Return what differs from what the call before sent; None for the first one."""
        was = self.revision_before
        return None if was is None else diff_views(was.view, self.view, was.log_size)

    @cached_property
    def definitions(self) -> ToolDefinitions:
        """Return the tools that were sent with it."""
        return self.path.calls.tools.get(self.call.tools or "", ())

    @cached_property
    def definitions_before(self) -> ToolDefinitions:
        """Return the tools that were sent with the call before."""
        key = None if self.before is None else self.before.tools
        return self.path.calls.tools.get(key or "", ())

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """Return what was done between the call before and this one, in order."""
        revisions, stop = self.state.revisions, self.revision_before
        at: Revision = revisions[self.call.revision]
        done: list[Operation] = []
        while stop is not None and at.id != stop.id and at.parent is not None:
            if at.operation is not None:
                done.append(at.operation)
            at = revisions[at.parent]
        return tuple(reversed(done))

    @property
    def waited(self) -> int | None:
        """Return the milliseconds since the call before was sent, where they are known."""
        if self.before is None or self.call.time < self.before.time:
            return None
        return self.call.time - self.before.time
