"""The message-index/batch engine: nothing is copied, nothing is lost, any state can be had back.

Start reading at ``conversation``; ``state`` holds the idea, ``view`` the data structure that makes
it cheap, ``rules`` what each operation does.
"""

from core.conversation import Conversation
from core.errors import Refused
from core.history import Batch, Revision
from core.lint.findings import Finding
from core.messages import Message
from core.operations import (
    Append,
    BatchEnd,
    BatchStart,
    Checkout,
    Clear,
    Compress,
    Configure,
    Delete,
    Describe,
    Filter,
    Insert,
    Mark,
    Redact,
    Redo,
    Repair,
    Replace,
    Rollback,
    Select,
    Toggle,
    Truncate,
    Undo,
    Unmark,
)
from core.results import Result

__all__ = [
    "Append",
    "Batch",
    "BatchEnd",
    "BatchStart",
    "Checkout",
    "Clear",
    "Compress",
    "Configure",
    "Conversation",
    "Delete",
    "Describe",
    "Filter",
    "Finding",
    "Insert",
    "Mark",
    "Message",
    "Redact",
    "Redo",
    "Refused",
    "Repair",
    "Replace",
    "Result",
    "Revision",
    "Rollback",
    "Select",
    "Toggle",
    "Truncate",
    "Undo",
    "Unmark",
]
