"""The invariants of a conversation, told as sentences where one is broken."""

from __future__ import annotations

from collections.abc import Iterator

from ..values.roles import ROLES
from ..views.spans import size_of, spans_of
from .columns import ROLE_CODES
from .revisions import Revision, ancestor, jump_from
from .state import Stored


def check_state(state: Stored) -> list[str]:
    """Return a sentence for each broken invariant; an empty list means all is well.

    What doesn't hold together is told first; only a state that does is looked at more closely.
    """
    loose = [*_log(state), *_revision_links(state), *_batch_links(state), *_head(state)]
    loose += _calls(state)
    return loose or [*_views(state), *_batches(state), *_path(state)]


def _log(state: Stored) -> Iterator[str]:
    codes = state.log.roles(0, len(state.log))
    if len(codes) != len(state.log):
        yield f"the role index covers {len(codes)} of {len(state.log)} messages"
    for raw, (message, code) in enumerate(zip(state.log, codes, strict=False)):
        if ROLE_CODES[message.role] != code:
            indexed = ROLES[code] if code < len(ROLES) else f"number {code}"
            yield f"message {raw} is of role {message.role} but indexed as {indexed}"
    counted = state.log.counted(state.counter)
    if counted != len(state.log):
        yield f"tokens are counted for {max(0, counted)} of {len(state.log)} messages"
    elif state.log.tokens_before(0, state.counter) != 0:
        yield "the token column does not begin at 0"


def _revision_links(state: Stored) -> Iterator[str]:
    for i, revision in enumerate(state.revisions):
        if revision.id != i:
            yield f"revision {revision.id} stands at place {i}"
        if not 0 <= revision.batch < len(state.batches):
            yield f"revision {i} belongs to batch {revision.batch}, which does not exist"
        if (revision.parent is None) != (i == 0) or (
            revision.parent is not None and not 0 <= revision.parent < i
        ):
            yield f"revision {i} has the parent {revision.parent}"
        elif revision.parent is not None:
            above = state.revisions[revision.parent]
            if revision.depth != above.depth + 1 or revision.log_size < above.log_size:
                yield f"revision {i} does not follow from its parent {above.id}"
            elif revision.jump != jump_from(state.revisions, above):
                yield f"revision {i} points to {revision.jump} as an ancestor further up"


def _batch_links(state: Stored) -> Iterator[str]:
    for i, batch in enumerate(state.batches):
        if batch.id != i:
            yield f"batch {batch.id} stands at place {i}"
        opened = 0 <= batch.opened < len(state.revisions)
        if not opened or state.revisions[batch.opened].batch != i:
            yield f"batch {i} was opened by revision {batch.opened}, which is not its own"
        newest = state.latest.get(i, -1)
        if not 0 <= newest < len(state.revisions) or state.revisions[newest].batch != i:
            yield f"batch {i} has the newest revision {newest}, which is not its own"
        if batch.parent is None:
            if i != 0 or batch.number != 0 or batch.boundary != 0:
                yield f"batch {i} has no parent, number {batch.number}, boundary {batch.boundary}"
        elif not 0 <= batch.parent < i:
            yield f"batch {i} has the parent {batch.parent}"
        elif batch.number != state.batches[batch.parent].number + 1:
            above = state.batches[batch.parent]
            yield f"batch {i} has number {batch.number} after number {above.number}"
        elif batch.jump != jump_from(state.batches, state.batches[batch.parent]):
            yield f"batch {i} points to {batch.jump} as an ancestor further up"


def _calls(state: Stored) -> Iterator[str]:
    for number, call in enumerate(state.calls):
        if not 0 <= call.revision < len(state.revisions):
            yield f"call {number + 1} was sent at revision {call.revision}, which does not exist"
        if call.tools is not None and call.tools not in state.calls.tools:
            yield f"call {number + 1} has tools that nobody has defined"


def _views(state: Stored) -> Iterator[str]:
    for revision in state.revisions:
        yield from _view(state, revision)
    longest = max(revision.log_size for revision in state.revisions)
    if longest > len(state.log) or (longest < len(state.log) and not state.extras):
        yield f"the log has {len(state.log)} messages, the revisions know {longest}"


def _view(state: Stored, revision: Revision) -> Iterator[str]:
    spans = spans_of(revision.view.runs())
    if size_of(spans) != len(revision.view):
        yield f"revision {revision.id} shows a message twice"
    known = len(state.log) if state.extras else min(len(state.log), revision.log_size)
    if spans and spans[-1][1] > known:
        yield f"revision {revision.id} shows message {spans[-1][1] - 1}, which was not there"
    elif revision.counter == state.counter:
        total = state.log.total(revision.view, state.counter)
        if total != revision.tokens:
            yield f"revision {revision.id} says {revision.tokens} tokens, not {total}"


def _batches(state: Stored) -> Iterator[str]:
    for i, batch in enumerate(state.batches):
        low = state.revisions[batch.opened].view.low
        if low is not None and low < batch.boundary:
            yield f"batch {i} shows message {low} below its boundary {batch.boundary}"
        if batch.parent is not None:
            above = state.batches[batch.parent]
            if batch.boundary < above.boundary:
                yield f"batch {i} has boundary {batch.boundary} after boundary {above.boundary}"


def _path(state: Stored) -> Iterator[str]:
    numbers = [batch.number for batch in state.path]
    if numbers != list(range(len(numbers))):
        yield f"the path has the numbers {numbers[:10]}"
        return
    for number in numbers:
        found = ancestor(state.batches, state.batches[state.current.batch], number)
        if state.on_path(number).batch != found.id:
            yield f"number {number} of the path leads to another batch"


def _head(state: Stored) -> Iterator[str]:
    if not 0 <= state.head.revision < len(state.revisions):
        yield f"the pointer {state.head.revision} is no revision"
    for label, indices in state.head.marks.items():
        if (
            not len(indices)
            or indices[-1] >= len(state.log)
            or list(indices) != sorted(set(indices))
        ):
            yield f"the mark {label!r} is on a message that does not exist"
    for batch in state.head.names:
        if not 0 <= batch < len(state.batches):
            yield f"a name belongs to batch {batch}, which does not exist"
