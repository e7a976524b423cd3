"""What is looked at, in the words of the viewing bar and the status line."""

from __future__ import annotations

from ctxtui.models.frame import Frame
from ctxtui.models.look import Look, is_on_path
from ctxtui.render.record_words import record_words
from ctxtui.symbols import visible

ABANDONED = "on an abandoned branch"


def viewed(look: Look) -> str:
    """Return which batch it is, among those of the path or off it, or which record."""
    if isinstance(look, Frame):
        return f"record {look.place} of {look.last}"
    number = look.batch.number
    if not is_on_path(look.conversation, look.batch):
        return f"batch {number} {ABANDONED}"
    return f"batch {number} of {look.conversation.batch.number}"


def viewed_operation(look: Look) -> str:
    """Return the operation that made what is looked at so, and what is said of it."""
    if isinstance(look, Frame):
        return record_words(look.record)
    batch = look.batch
    name = "START" if batch.operation is None else batch.operation.title
    return visible(f"{name} {batch.description.removeprefix(name).strip()}".strip(), 80)
