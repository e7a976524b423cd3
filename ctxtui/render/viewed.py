"""What is looked at, in the words of the viewing bar and the status line."""

from __future__ import annotations

from ctxtui.models.frame import Frame
from ctxtui.models.look import Look, is_on_path
from ctxtui.render.batch.fields import operation_title
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
        return record_words(look)
    batch = look.batch
    name = "START" if batch.operation is None else batch.operation.title
    return visible(f"{name} {batch.description.removeprefix(name).strip()}".strip(), 80)


def record_words(frame: Frame) -> str:
    """Return a record in a few words: its name and what it was given."""
    record = frame.record
    if record.listed:
        return f"LIST of {len(record.operations)}"
    first = record.operations[0]
    name = operation_title(first)
    if name == "START":
        return f"START {len(frame.state.revisions[0].view)} messages"
    return visible(f"{name} {first.sentence().removeprefix(name).strip()}".strip(), 80)
