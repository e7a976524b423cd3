"""The operations that move the pointer: ROLLBACK and CHECKOUT."""

from __future__ import annotations

from ...errors import out_of_range
from ..operations import Checkout, Rollback
from ..state import Draft


def rollback(draft: Draft, op: Rollback) -> None:
    """Go to the revision at which the path left a batch."""
    number, newest = op.target_batch_index, draft.batch.number
    if not 0 <= number <= newest:
        raise out_of_range(
            "targetBatchIndex", number, f"0…{newest}", why="the batches of this path"
        )
    draft.move(draft.on_path(number).id)


def checkout(draft: Draft, op: Checkout) -> None:
    """Go to any revision, or to the newest one of any batch."""
    if op.batch is not None:
        if not 0 <= op.batch < len(draft.batches):
            raise out_of_range("batch", op.batch, f"0…{len(draft.batches) - 1}")
        draft.move(draft.newest(op.batch).id)
        return
    assert op.revision is not None
    if not 0 <= op.revision < len(draft.revisions):
        raise out_of_range("revision", op.revision, f"0…{len(draft.revisions) - 1}")
    draft.move(op.revision)
