"""The invariants of a conversation, told as sentences where one is broken."""

from __future__ import annotations

from collections.abc import Iterator

from core.history import Revision, ancestor
from core.log import ROLE_CODES
from core.messages import ROLES
from core.spans import size_of, spans_of
from core.state import State


def check_state(state: State) -> list[str]:
    """Return a sentence for each broken invariant; an empty list means all is well."""
    return [
        *_log(state),
        *_revisions(state),
        *_batches(state),
        *_path(state),
        *_head(state),
    ]


def _log(state: State) -> Iterator[str]:
    codes = state.log.roles(0, len(state.log))
    if len(codes) != len(state.log):
        yield f"the role index covers {len(codes)} of {len(state.log)} messages"
    for raw, (message, code) in enumerate(zip(state.log, codes, strict=False)):
        if ROLE_CODES.get(message.role) != code:
            yield f"message {raw} is of role {message.role} but indexed as {ROLES[code]}"
    counted = sum(codes.count(code) for code in ROLE_CODES.values())
    if counted != len(codes):
        yield f"the roles hold {counted} of {len(codes)} messages"
    if state.log.tokens_before(0, state.counter) != 0:
        yield "the token column does not begin at 0"


def _revisions(state: State) -> Iterator[str]:
    for i, revision in enumerate(state.revisions):
        if revision.id != i:
            yield f"revision {revision.id} stands at place {i}"
        if not 0 <= revision.batch < len(state.batches):
            yield f"revision {i} belongs to batch {revision.batch}, which does not exist"
        if i and (revision.parent is None or not 0 <= revision.parent < i):
            yield f"revision {i} has the parent {revision.parent}"
        elif revision.parent is not None:
            above = state.revisions[revision.parent]
            if revision.depth != above.depth + 1 or revision.log_size < above.log_size:
                yield f"revision {i} does not follow from its parent {above.id}"
        yield from _view(state, revision)
    longest = max(revision.log_size for revision in state.revisions)
    if longest != len(state.log):
        yield f"the log has {len(state.log)} messages, the revisions know {longest}"


def _view(state: State, revision: Revision) -> Iterator[str]:
    spans = spans_of(revision.view.runs())
    if size_of(spans) != len(revision.view):
        yield f"revision {revision.id} shows a message twice"
    if spans and spans[-1][1] > min(revision.log_size, len(state.log)):
        yield f"revision {revision.id} shows message {spans[-1][1] - 1}, which was not there"
    elif revision.counter == state.counter:
        total = state.log.total(revision.view, state.counter)
        if total != revision.tokens:
            yield f"revision {revision.id} says {revision.tokens} tokens, not {total}"


def _batches(state: State) -> Iterator[str]:
    for i, batch in enumerate(state.batches):
        opening = state.revisions[batch.opened]
        if batch.id != i or opening.batch != i:
            yield f"batch {batch.id} stands at place {i} and was opened by another's revision"
        if opening.view.low is not None and opening.view.low < batch.boundary:
            yield f"batch {i} shows message {opening.view.low} below its boundary {batch.boundary}"
        if state.newest(i).batch != i:
            yield f"batch {i} has a newest revision of another batch"
        if batch.parent is None:
            if i != 0 or batch.number != 0 or batch.boundary != 0:
                yield f"batch {i} has no parent, number {batch.number}, boundary {batch.boundary}"
            continue
        parent = state.batches[batch.parent]
        if batch.number != parent.number + 1:
            yield f"batch {i} has number {batch.number} after number {parent.number}"
        if batch.boundary < parent.boundary:
            yield f"batch {i} has boundary {batch.boundary} after boundary {parent.boundary}"


def _path(state: State) -> Iterator[str]:
    numbers = [batch.number for batch in state.path]
    if numbers != list(range(len(numbers))):
        yield f"the path has the numbers {numbers[:10]}"
    for number in numbers:
        found = ancestor(state.batches, state.batches[state.current.batch], number)
        if state.on_path(number).batch != found.id:
            yield f"number {number} of the path leads to another batch"


def _head(state: State) -> Iterator[str]:
    if not 0 <= state.head.revision < len(state.revisions):
        yield f"the pointer {state.head.revision} is no revision"
    for label, indices in state.head.marks.items():
        if not indices or min(indices) < 0 or max(indices) >= len(state.log):
            yield f"the mark {label!r} is on a message that does not exist"
    for batch in state.head.names:
        if not 0 <= batch < len(state.batches):
            yield f"a name belongs to batch {batch}, which does not exist"
