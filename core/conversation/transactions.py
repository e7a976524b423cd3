"""Attempts: an operation or a list of them, worked out on a draft."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import Refused
from ..history.draft import Draft
from ..operations import Operation
from ..operations.dialects import read_operation
from ..queries.notices import Notice, OverLimit, notices_of
from ..rules import apply
from ..settings import Settings
from .results import Before, Result


class Attempt(NamedTuple):
    """What was asked, how it turned out, and the raw indices each operation resolved."""

    operations: tuple[Operation, ...]
    result: Result
    resolved: tuple[tuple[int, ...] | None, ...]


def attempt_one(draft: Draft, operation: Operation) -> Attempt:
    """Apply one operation to a draft."""
    result, resolved = _step(draft, operation)
    return Attempt((operation,), result, (resolved,))


def attempt_list(draft: Draft, asks: Iterable[Any]) -> Attempt:
    """Apply operations to a draft in turn; a refusal names the step.

    They may be worked out as they are asked for, from what the draft has become by then.
    """
    if not asks:
        raise Refused(
            "the list holds no operation", field="list", value=[], legal="one operation or more"
        )
    before = Before.of(draft)
    operations, steps, resolved = [], [], []
    for i, ask in enumerate(asks):
        try:
            operation = read_operation(ask)
            step, named = _step(draft, operation)
        except Refused as refusal:
            raise refusal.at(i) from None
        operations.append(operation)
        steps.append(step)
        resolved.append(named)
    notices = tuple(notice for step in steps for notice in step.notices)
    result = Result(tuple(operations), draft, before, notices, tuple(steps))
    return Attempt(tuple(operations), result, tuple(resolved))


def _step(draft: Draft, operation: Operation) -> tuple[Result, tuple[int, ...] | None]:
    """Apply one operation to a draft; return its result and the indices it resolved."""
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
    return Result(operation, draft, before, notices), resolved


def _new_limit(draft: Draft, before: Settings) -> tuple[Notice, ...]:
    """Return the notice that a lower limit, or another counter, makes due."""
    now = draft.head.settings
    lower = before.token_limit is None or (now.token_limit or 0) < before.token_limit
    if now.token_limit is None or not (lower or now.counter != before.counter):
        return ()
    tokens = draft.total(draft.current)
    return (OverLimit(tokens, now.token_limit),) if tokens > now.token_limit else ()
