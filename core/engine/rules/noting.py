"""The operations that leave the projection as it is: MARK, UNMARK, DESCRIBE, CONFIGURE."""

from __future__ import annotations

from ...errors import out_of_range
from ...values.frozen import FrozenDict
from ..operations import Configure, Describe, DescribeMeta, Mark, Unmark
from ..state import Draft, State
from ..views import EMPTY, View, with_indices, without_indices
from .picks import choose, within_log


def mark(draft: Draft, op: Mark) -> tuple[int, ...]:
    """Put a label on messages."""
    indices = _named(draft, op)
    _relabel(draft, op.label, with_indices(draft.head.marks.get(op.label, EMPTY), indices))
    return indices


def unmark(draft: Draft, op: Unmark) -> tuple[int, ...]:
    """Take a label off messages."""
    indices = _named(draft, op)
    _relabel(draft, op.label, without_indices(draft.head.marks.get(op.label, EMPTY), indices))
    return indices


def _named(state: State, op: Mark | Unmark) -> tuple[int, ...]:
    if op.indices is None:
        assert op.select is not None
        return tuple(choose(state, op.select))
    within_log(state, op.indices)
    return op.indices


def _relabel(draft: Draft, label: str, marked: View) -> None:
    marks = dict(draft.head.marks)
    if len(marked) == len(marks.get(label, EMPTY)):
        return  # Marking only adds and unmarking only takes away, so the same count is the same.
    if len(marked):
        marks[label] = marked
    else:
        del marks[label]
    draft.set_head(draft.head._replace(marks=marks))


def describe(draft: Draft, op: Describe) -> None:
    """Name a batch."""
    if not 0 <= op.batch < len(draft.batches):
        raise out_of_range("batch", op.batch, f"0…{len(draft.batches) - 1}")
    if draft.named(draft.batches[op.batch]).description != op.text:
        draft.set_head(draft.head._replace(names={**draft.head.names, op.batch: op.text}))


def describe_meta(draft: Draft, op: DescribeMeta) -> None:
    """Change what describes the conversation."""
    old = draft.head.meta
    new = {key: value for key, value in {**old, **op.meta}.items() if value is not None}
    if new != old:
        draft.set_head(draft.head._replace(meta=FrozenDict(new)))


def configure(draft: Draft, op: Configure) -> None:
    """Change settings; another counter counts every message anew."""
    settings = draft.head.settings.changed(op.settings())
    if settings is not draft.head.settings:
        draft.set_head(draft.head._replace(settings=settings))
