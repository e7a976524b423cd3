"""One model per operation: its fields, what is legal among them, and how it reads as a sentence."""

from __future__ import annotations

from ..operation import BatchOperation, Choice, Keeping, Operation, Picking, Positions
from .changing import Append, Compress, Insert, Redact, Replace
from .hiding import BatchStart, Clear, Delete, Filter, Select
from .moving import BatchEnd, Checkout, Redo, Rollback, Undo
from .noting import Configure, Describe, DescribeMeta, Mark, Unmark
from .repairing import Repair, Toggle
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
