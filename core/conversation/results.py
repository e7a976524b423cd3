"""Results: what an operation did, or would do; the expensive parts are computed when asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..engine.dialects import read_operation
from ..engine.diff import Diff, diff_views
from ..engine.operation import Operation
from ..engine.operations import Redo, Undo, apply
from ..engine.queries import ArrayState, Notice, OverLimit, Stats, array_state, notices_of
from ..engine.revisions import Batch, Revision
from ..engine.settings import Settings
from ..engine.state import Draft, Head, StateAtRevision
from ..errors import Refused
from ..values.models import JsonRecord


@dataclass(frozen=True, slots=True)
class TokenChange(JsonRecord):
    """Visible tokens before and after, both by the same counter."""

    before: int
    after: int
    counter: str


class Before(NamedTuple):
    """Where an operation set out from: what it can be compared with."""

    head: Head
    revisions: int
    batches: int

    @classmethod
    def of(cls, draft: Draft) -> Before:
        return cls(draft.head, len(draft.revisions), len(draft.batches))


class Result:
    """The outcome of an operation or of a list of them.

    ``changed`` is false if nothing changed and nothing was journaled; ``created_batch`` is true if
    it opened a batch.
    """

    def __init__(
        self,
        operation: Operation | tuple[Operation, ...],
        draft: Draft,
        before: Before,
        notices: tuple[Notice, ...] = (),
        steps: tuple[Result, ...] = (),
    ) -> None:
        self.operation = operation
        self.notices = notices
        self.steps = steps
        self._draft = draft
        self._before = before.head
        self.created_batch = len(draft.batches) > before.batches
        self.changed = (
            len(draft.revisions) > before.revisions
            or draft.head != before.head
            or isinstance(operation, Undo | Redo)
        )
        self._after = draft.head
        self._log_size = len(draft.log)

    @property
    def revision(self) -> Revision:
        return self._draft.revisions[self._after.revision]

    @property
    def batch(self) -> Batch:
        return self.moment.named(self._draft.batches[self.revision.batch])

    @property
    def affected_batch_index(self) -> int:
        return self.batch.number

    @property
    def tokens(self) -> TokenChange:
        moment = self.moment
        before = self._draft.revisions[self._before.revision]
        return TokenChange(moment.total(before), moment.total(self.revision), moment.counter)

    @property
    def stats(self) -> Stats:
        after = self.batch
        return Stats(self._log_size, len(self.revision.view), after.number + 1, after.number)

    @cached_property
    def diff(self) -> Diff:
        before = self._draft.revisions[self._before.revision]
        return diff_views(before.view, self.revision.view, before.log_size)

    @cached_property
    def state(self) -> ArrayState:
        whole = array_state(self.moment)
        return ArrayState(
            whole.messages[: self._log_size],
            whole.batch_snapshots,
            whole.current_batch_index,
            self._log_size,
        )

    @cached_property
    def moment(self) -> StateAtRevision:
        """Return the whole state after the operation, to be asked and linted."""
        return StateAtRevision(self._draft, self._after)

    def __repr__(self) -> str:
        names = [o.title for o in self.operation] if self.steps else [self.operation.title]  # type: ignore[union-attr]
        return f"Result({', '.join(names)}: batch {self.affected_batch_index}, {self.diff})"

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data, without the state, which may be large."""
        batch = self.batch
        operation = self.operation
        return {
            "operation": [o.to_dict() for o in operation]
            if isinstance(operation, tuple)
            else operation.to_dict(),
            "changed": self.changed,
            "batch": batch.place(),
            "affectedBatchIndex": batch.number,
            "createdBatch": self.created_batch,
            "revision": self.revision.id,
            "stats": self.stats.to_dict(),
            "diff": self.diff.to_dict(),
            "tokens": self.tokens.to_dict(),
            "notices": [notice.to_dict() for notice in self.notices],
            **({"steps": [step.to_dict() for step in self.steps]} if self.steps else {}),
        }


class Applied(NamedTuple):
    """What was asked, how it turned out, and the raw indices each operation resolved."""

    operations: tuple[Operation, ...]
    result: Result
    resolved: tuple[tuple[int, ...] | None, ...]


def apply_list(draft: Draft, asks: Iterable[Any]) -> Applied:
    """Apply operations to a draft in turn; a refusal names the step.

    They may be made lazily, from what the draft has become by then.
    """
    if not asks:
        raise Refused("the list holds no operation", "list", [], "one operation or more")
    before = Before.of(draft)
    done: list[Applied] = []
    for i, ask in enumerate(asks):
        try:
            done.append(apply_one(draft, read_operation(ask)))
        except Refused as refusal:
            raise refusal.with_step(i) from None
    operations = tuple(one.operations[0] for one in done)
    steps = tuple(one.result for one in done)
    notices = tuple(notice for step in steps for notice in step.notices)
    result = Result(operations, draft, before, notices, steps)
    return Applied(operations, result, tuple(one.resolved[0] for one in done))


def apply_one(draft: Draft, operation: Operation) -> Applied:
    """Apply one operation to a draft."""
    before = Before.of(draft)
    resolved = apply(draft, operation)
    notices: tuple[Notice, ...] = ()
    made = len(draft.revisions) - before.revisions
    if made == 1:
        notices = notices_of(draft, draft.current)
    elif made:
        fresh = draft.revisions.added[-made:]
        notices = tuple(notice for revision in fresh for notice in notices_of(draft, revision))
    elif draft.head.settings is not before.head.settings:
        notices = _new_limit(draft, before.head.settings)
    return Applied((operation,), Result(operation, draft, before, notices), (resolved,))


def _new_limit(draft: Draft, before: Settings) -> tuple[Notice, ...]:
    """Return the notice that a lower limit, or another counter, makes due."""
    now = draft.head.settings
    lower = before.token_limit is None or (now.token_limit or 0) < before.token_limit
    if now.token_limit is None or not (lower or now.counter != before.counter):
        return ()
    tokens = draft.total(draft.current)
    return (OverLimit(tokens, now.token_limit),) if tokens > now.token_limit else ()
