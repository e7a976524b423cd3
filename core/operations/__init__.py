"""One model per operation: its fields, what is legal among them, and how it reads as a sentence."""

from core.operations.base import BatchOperation, Operation
from core.operations.changing import Append, Compress, Insert, Redact, Replace
from core.operations.fields import Choice, Keeping, Picking, Positions
from core.operations.hiding import BatchStart, Clear, Delete, Filter, Select
from core.operations.moving import BatchEnd, Checkout, Redo, Rollback, Undo
from core.operations.noting import Configure, Describe, DescribeMeta, Mark, Unmark
from core.operations.repairing import Repair, Toggle
from core.operations.truncate import Range, Truncate

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

__all__ = [
    "ALL",
    "Append",
    "BatchEnd",
    "BatchOperation",
    "BatchStart",
    "Checkout",
    "Choice",
    "Clear",
    "Compress",
    "Configure",
    "Delete",
    "Describe",
    "DescribeMeta",
    "Filter",
    "Insert",
    "Keeping",
    "Mark",
    "Operation",
    "Picking",
    "Positions",
    "Range",
    "Redact",
    "Redo",
    "Repair",
    "Replace",
    "Rollback",
    "Select",
    "Toggle",
    "Truncate",
    "Undo",
    "Unmark",
]
