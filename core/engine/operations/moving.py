"""The operations that move the pointer: ROLLBACK, CHECKOUT, TOGGLE, UNDO, REDO."""

from typing import Self

from pydantic import Field, model_validator

from ...errors import Refused, format_value, out_of_range
from ...values.models import Indices, Number
from ..operation import Operation
from ..revisions import Revision, ancestor
from ..state import Draft, State
from .base import DraftOperation


class Rollback(DraftOperation):
    """Return to a batch of the path, as it was when the path left it."""

    title = "ROLLBACK"
    target_batch_index: Number = Field(description="Number of a batch on the path")

    def apply(self, draft: Draft) -> None:
        number, newest = self.target_batch_index, draft.batch.number
        if not 0 <= number <= newest:
            legal = f"0…{newest}"
            raise out_of_range("targetBatchIndex", number, legal, why="the batches of this path")
        draft.move(draft.on_path(number).id)


BatchEnd = Rollback


class Checkout(DraftOperation):
    """Go to any batch or revision, also of an abandoned branch."""

    title = "CHECKOUT"
    batch: Number | None = Field(default=None, description="Id of a batch")
    revision: Number | None = Field(default=None, description="Id of a revision")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.batch is None) == (self.revision is None):
            raise Refused(
                "CHECKOUT takes either a batch or a revision",
                field="batch",
                value=self.batch,
                legal="batch or revision",
            )
        return self

    def apply(self, draft: Draft) -> None:
        if self.batch is not None:
            if not 0 <= self.batch < len(draft.batches):
                raise out_of_range("batch", self.batch, f"0…{len(draft.batches) - 1}")
            draft.move(draft.newest(self.batch).id)
            return
        assert self.revision is not None
        if not 0 <= self.revision < len(draft.revisions):
            raise out_of_range("revision", self.revision, f"0…{len(draft.revisions) - 1}")
        draft.move(self.revision)


class Toggle(DraftOperation):
    """Switch past operations off: the later ones of the path run again as a new branch."""

    title = "TOGGLE"
    skip: Indices = Field(description="Ids of the revisions to leave out")

    def apply(self, draft: Draft) -> None:
        skipped = {id: _on_path(draft, id) for id in self.skip}
        current, revisions = draft.current, draft.revisions
        earliest = min(revision.depth for revision in skipped.values())
        depths = range(earliest, current.depth + 1)
        later = [ancestor(revisions, current, depth) for depth in depths]
        draft.move(ancestor(revisions, current, earliest - 1).id)
        for original in later:
            if original.id in skipped:
                continue
            operation = original.operation
            assert isinstance(operation, DraftOperation)
            draft.replaying(original)
            try:
                operation.apply(draft)
            except Refused as refusal:
                raise Refused(
                    f"{operation.title} of revision {original.id} no longer applies: "
                    f"{refusal.sentence}",
                    field=refusal.field,
                    value=refusal.value,
                    legal=refusal.legal,
                ) from None
            draft.replayed()


def _on_path(state: State, id: int) -> Revision:
    """Return a revision of the path that an operation made, or refuse its id."""
    if 0 < id < len(state.revisions):
        revision = state.revisions[id]
        current = state.current
        if revision.depth <= current.depth:
            found = ancestor(state.revisions, current, revision.depth)
            if found.id == id:
                return revision
    raise Refused(
        f"skip: revision {format_value(id)} is not an operation on the current path",
        field="skip",
        value=id,
        legal="revisions of the path after 0",
    )


class Undo(Operation):
    """Reverse the newest change that is not yet undone."""

    title = "UNDO"


class Redo(Operation):
    """Repeat the change that was undone last."""

    title = "REDO"
