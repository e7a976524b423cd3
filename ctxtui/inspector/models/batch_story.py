"""The story of a batch or of a record of the journal: what it was, what it moved, what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple

from ctxtui.calls.models.call import RecordedCall, calls_in
from ctxtui.core import Batch
from ctxtui.core.engine.diff import Diff, Prefix, common_prefix, diff_views
from ctxtui.core.engine.log import role_table
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.state import Head
from ctxtui.core.engine.views import EMPTY, View
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.models.lint import ErrorCounts
from ctxtui.inspector.models.look import Frame, Look

MoveKind = Literal["hidden", "added", "appended", "shown", "moved"]


class MovedRun(NamedTuple):
    """Neighbours of the log that moved in the same way."""

    kind: MoveKind
    first: int
    last: int
    roles: tuple[int, ...]
    tokens: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


class AgainstNow(NamedTuple):
    """What is shown there and not now, and the other way round."""

    number: int
    only_here: int
    only_now: int
    marked_here: tuple[int, ...]


class Noted(NamedTuple):
    """Something that is written down and moves no message: a mark, a name or a setting."""

    kind: Literal["mark", "unmark", "name", "setting"]
    name: str
    before: object
    after: object


class BatchStory:
    """What the batch pane shows: the batch of a look, or the record of a frame."""

    def __init__(self, look: Look, errors: ErrorCounts) -> None:
        self.look = look
        self.before = look.before
        self._errors = errors

    @property
    def frame(self) -> Frame | None:
        return self.look if isinstance(self.look, Frame) else None

    @property
    def batch(self) -> Batch:
        return self.look.batch

    @property
    def time(self) -> int:
        return self.batch.time if self.frame is None else self.frame.record.time

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Return what was done, as it was given; nothing for the first batch."""
        if self.frame is not None:
            return self.frame.record.operations
        return () if self.batch.operation is None else (self.batch.operation,)

    @property
    def errors(self) -> tuple[int | None, int | None]:
        """Return the errors before and after; None for those that are still being counted."""
        before = 0 if self.before is None else self._errors.of(self.before)
        return before, self._errors.of(self.look.revision)

    @cached_property
    def tokens(self) -> tuple[int, int]:
        before = 0 if self.before is None else self.look.state.total(self.before)
        return before, self.look.total

    @cached_property
    def messages(self) -> tuple[int, int]:
        return 0 if self.before is None else len(self.before.view), len(self.look.view)

    @cached_property
    def prefix(self) -> Prefix:
        before = EMPTY if self.before is None else self.before.view
        return common_prefix(self.look.state, before, self.look.view)

    @cached_property
    def diff(self) -> Diff:
        """Return what went, came and moved; for the first state everything came."""
        found = self.look.difference
        return Diff(EMPTY, self.look.view, EMPTY, EMPTY) if found is None else found

    @cached_property
    def appended(self) -> View:
        """Return what was appended to the batch after it was opened."""
        if self.frame is not None:
            return EMPTY
        opened = self.look.state.revisions[self.batch.opened]
        return diff_views(opened.view, self.look.view, opened.log_size).added

    @property
    def moves(self) -> list[tuple[MoveKind, View]]:
        diff, later = self.diff, self.appended
        first = diff_views(diff.added, later, 0).hidden
        named: list[tuple[MoveKind, View]] = [
            ("hidden", diff.hidden),
            ("added", first),
            ("appended", later),
            ("shown", diff.shown),
            ("moved", diff.moved),
        ]
        return [(kind, view) for kind, view in named if len(view)]

    @property
    def moved_count(self) -> int:
        return sum(len(view) for _, view in self.moves)

    def runs(self, most: int) -> tuple[list[MovedRun], int]:
        """Return what moved as runs, at most so many, and how many messages are in the others."""
        found = list(islice(self._runs(), most))
        return found, self.moved_count - sum(run.size for run in found)

    def _runs(self) -> Iterator[MovedRun]:
        log, counter = self.look.state.log, self.look.counter
        for kind, view in self.moves:
            for start, length in view.joined():
                stop = start + length
                codes = log.roles(start, stop)
                roles = tuple(codes.translate(role_table((role,))).count(1) for role in ROLES)
                sums = log.tokens_before(stop, counter) - log.tokens_before(start, counter)
                yield MovedRun(kind, start, stop - 1, roles, sums)

    @cached_property
    def calls(self) -> Sequence[RecordedCall]:
        """Return the calls of the batch that were recorded by then; none for a record."""
        return calls_in(self.look) if self.frame is None else ()

    @cached_property
    def against_now(self) -> AgainstNow | None:
        look, now = self.look, self.look.now
        if look.is_live:
            return None
        diff = diff_views(look.view, now.view, look.log_size)
        marked = tuple(raw for raw in sorted(look.marked) if raw in diff.hidden)
        number = look.conversation.batch.number
        return AgainstNow(number, len(diff.hidden), len(diff.added) + len(diff.shown), marked)

    @cached_property
    def noted(self) -> Sequence[Noted]:
        frame = self.frame
        if frame is None or frame.was is None:
            return ()
        return noted_between(frame.was.head, frame.state.head)


def noted_between(before: Head, after: Head) -> tuple[Noted, ...]:
    """Return the marks, names and settings that differ between two heads."""
    return tuple(_noted(before, after))


def _noted(before: Head, after: Head) -> Iterator[Noted]:
    if before.marks is not after.marks:
        for label in sorted({*before.marks, *after.marks}):
            old, new = before.marks.get(label, EMPTY), after.marks.get(label, EMPTY)
            change = diff_views(old, new, 0)
            if len(change.hidden):
                yield Noted("unmark", label, list(change.hidden), [])
            if len(change.added):
                yield Noted("mark", label, [], list(change.added))
    if before.names is not after.names:
        for batch in sorted({*before.names, *after.names}):
            one, other = before.names.get(batch), after.names.get(batch)
            if one != other:
                yield Noted("name", f"#{batch}", one, other)
    if before.settings is not after.settings:
        yield from _settings(before.settings.to_dict(), after.settings.to_dict())


def _settings(before: dict[str, object], after: dict[str, object]) -> Iterator[Noted]:
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _settings(old, new)
        elif old != new:
            yield Noted("setting", name, old, new)
