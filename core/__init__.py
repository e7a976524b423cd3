"""The engine: messages are shared and never edited, and every earlier state can be restored.

Start with ``conversation/conversation.py``; ``engine/state.py`` holds the idea, ``engine/views.py``
the data structure that makes it cheap, ``engine/operations.py`` what each operation does.
"""

from typing import TYPE_CHECKING, Any

from .conversation.conversation import Conversation, Result
from .engine.messages import Message
from .engine.operations import (
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
from .engine.revisions import Batch, Revision
from .errors import Refused

if TYPE_CHECKING:
    from .engine.seen import ProviderEdit, Seen
    from .lint.projection import Finding

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
    "ProviderEdit",
    "Redact",
    "Redo",
    "Refused",
    "Repair",
    "Replace",
    "Result",
    "Revision",
    "Rollback",
    "Seen",
    "Select",
    "Toggle",
    "Truncate",
    "Undo",
    "Unmark",
]


def __getattr__(name: str) -> Any:
    """Import these on first use: many programs need none of them, and start quicker."""
    if name == "Finding":
        from .lint.projection import Finding  # noqa: PLC0415

        return Finding
    if name in ("ProviderEdit", "Seen"):
        from .engine import seen  # noqa: PLC0415

        return getattr(seen, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
