"""One class per operation: its fields, and in ``apply`` what it does to a draft."""

from ...errors import Refused
from ..operation import Operation
from ..state import Draft
from .base import BatchOperation, DraftOperation, Resolved
from .changing import Append, Compress, Insert, Redact, Replace
from .hiding import BatchStart, Clear, Delete, Filter, Select
from .moving import BatchEnd, Checkout, Redo, Rollback, Toggle, Undo
from .noting import Configure, Describe, DescribeMeta, Mark, Unmark
from .repair import Repair
from .selection import KeepFields, MessageSelection, Positions, SelectFields
from .truncate import Range, Truncate

ALL: tuple[type[Operation], ...] = (
    Append,
    Insert,
    Replace,
    Truncate,
    Clear,
    Filter,
    Select,
    Delete,
    Compress,
    Redact,
    Repair,
    BatchStart,
    Rollback,
    Checkout,
    Toggle,
    Undo,
    Redo,
    Mark,
    Unmark,
    Describe,
    Configure,
)
"""Every operation, in the order of the documentation."""


def apply(draft: Draft, operation: Operation) -> Resolved:
    """Apply one operation to a draft; return the raw indices it resolved, if it did."""
    if isinstance(operation, DraftOperation):
        return operation.apply(draft)
    raise Refused(
        f"{operation.title} can't be part of a list of operations",
        field="operation",
        value=operation.title,
        legal=", ".join(one.title for one in ALL if issubclass(one, DraftOperation)),
    )


__all__ = [
    "ALL",
    "Append",
    "BatchEnd",
    "BatchOperation",
    "BatchStart",
    "Checkout",
    "Clear",
    "Compress",
    "Configure",
    "Delete",
    "Describe",
    "DescribeMeta",
    "DraftOperation",
    "Filter",
    "Insert",
    "KeepFields",
    "Mark",
    "MessageSelection",
    "Operation",
    "Positions",
    "Range",
    "Redact",
    "Redo",
    "Repair",
    "Replace",
    "Rollback",
    "Select",
    "SelectFields",
    "Toggle",
    "Truncate",
    "Undo",
    "Unmark",
    "apply",
]
