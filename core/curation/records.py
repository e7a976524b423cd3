"""Records: what of a conversation is written into a data set, and what no trainer would take."""

from __future__ import annotations

from typing import Literal

from ..conversation.conversation import Conversation
from ..values.frozen import thaw

Scope = Literal["visible", "raw"]
SCOPES: tuple[Scope, ...] = ("visible", "raw")
TRAINING = "fine-tuning"
"""The profile of what a fine-tuning file may hold."""


def scoped(conversation: Conversation, scope: Scope | None) -> Conversation:
    """Return the conversation itself, or one in which every message ever added is visible."""
    if scope != "raw":
        return conversation
    meta = thaw(conversation.meta)
    return Conversation(conversation.log, conversation.settings, meta=meta)


def breach(conversation: Conversation) -> str | None:
    """Return why a trainer would refuse a conversation, if one would."""
    errors = [one for one in conversation.lint(TRAINING) if one.severity == "error"]
    if not errors:
        return None
    more = f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
    return f"{errors[0].rule} {errors[0].message}{more}"
