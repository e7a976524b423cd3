"""The operations that move the pointer: ROLLBACK, CHECKOUT, UNDO, REDO."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from ...errors import Refused
from ...values.models import Number
from ..operation import Operation


class Rollback(Operation):
    """Go back to a batch of the path, as it was when the path left it."""

    title: ClassVar[str] = "ROLLBACK"
    target_batch_index: Number = Field(description="Number of a batch on the path")


BatchEnd = Rollback


class Checkout(Operation):
    """Go to any batch or revision, also of an abandoned branch."""

    title: ClassVar[str] = "CHECKOUT"
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


class Undo(Operation):
    """Take back the newest change that is not yet undone."""

    title: ClassVar[str] = "UNDO"


class Redo(Operation):
    """Make the change again that was undone last."""

    title: ClassVar[str] = "REDO"
