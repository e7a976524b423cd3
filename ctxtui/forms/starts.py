"""The first words of a form: what to fill in, and what that will show."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.engine.operations import Operation
from ctxtui.forms.fields import FormField
from ctxtui.forms.groups import WRITTEN
from ctxtui.models.look import Look

CUTTING = ("TRUNCATE", "FILTER")
"""Operations of which every field says what goes."""
FOLLOWS = "Rows, ribbon, cache and lint follow every key you type."


def start_words(
    operation: type[Operation], fields: Sequence[FormField], look: Look
) -> tuple[str, str]:
    """Return a sentence that says what to do first, and one that says what comes of it."""
    if operation.title in CUTTING:
        if not len(look.view):
            return "There is nothing to cut: no message is visible.", ""
        return "Fill in one field to see what goes.", FOLLOWS
    if any(field.kind in WRITTEN for field in fields):
        return "Write a message to see where it stands.", FOLLOWS
    if operation.null_counts:
        return "Change a field to see what that means.", ""
    if any(field.id == "indices" for field in fields) and not any(
        field.is_required for field in fields
    ):
        return "Say which messages are meant to see what happens to them.", FOLLOWS
    needed = [field.label for field in fields if field.is_required]
    named = " and ".join(needed) or "a field"
    return f"Fill in {named} to see what would happen.", ""
