"""The message-index/batch engine: messages are shared, never edited, and any state can be had back.

Start reading at ``conversation``; ``history.state`` holds the idea, ``views.view`` the data
structure that makes it cheap, ``rules`` what each operation does.
"""

from core.conversation.conversation import Conversation
from core.conversation.results import Result
from core.errors import Refused
from core.history.revisions import Batch, Revision
from core.lint.findings import Finding
from core.messages.message import Message
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
