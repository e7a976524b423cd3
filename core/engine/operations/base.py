"""The bases of operations: each class has its fields and, in ``apply``, what it does to a draft."""

from pydantic import Field

from ...values.models import Text
from ..operation import Operation
from ..state import Draft

Resolved = tuple[int, ...] | None
"""The raw indices that an operation acted on, where it does not name them itself."""


class DraftOperation(Operation):
    """An operation that works on a draft, so that it can be part of a list."""

    def apply(self, draft: Draft) -> Resolved:
        """Write the outcome to a draft, or refuse."""
        raise NotImplementedError


class BatchOperation(DraftOperation):
    """An operation that opens a batch, and may name it."""

    opens_batch = True
    description: Text | None = Field(default=None, description="Name of the new batch")
