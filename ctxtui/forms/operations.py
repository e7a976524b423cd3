"""All operations: what each does in one sentence, and whether it opens a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxtui.core.engine.operations import ALL
from ctxtui.core.storage import Session
from ctxtui.forms.dialog import Drafts, PreviewScreen
from ctxtui.forms.models import FormContext
from ctxtui.forms.paste import PasteScreen
from ctxtui.forms.screen import FormScreen
from ctxtui.help.palette import sentence
from ctxtui.inspector.keys import KEYS_OF_OPERATIONS
from ctxtui.text.lines import Line, Piece
from ctxtui.text.options import ChoiceSource
from ctxtui.widgets.picker import Picker

JSON = "JSON"


def _operation_row(title: str, opens_batch: bool, about: str) -> tuple[Line, str]:
    name = [
        Piece(f"  {KEYS_OF_OPERATIONS.get(title, ''):<4} ", "key"),
        Piece(f"{title:<13}", "bright"),
        Piece(f"{'opens' if opens_batch else '':<7}", "muted"),
    ]
    return name, about


class OperationPicker(Picker[str]):
    """Lets an operation be picked, by its name, or a list of them as JSON."""

    title_text = "All operations"
    subtitle_text = "u undoes any of them"
    noun, verb = "operation", "open its form"

    def __init__(self) -> None:
        rows = [_operation_row(one.title, one.opens_batch, sentence(one)) for one in ALL]
        about = "Paste or load a list of operations; all of it is done or nothing."
        rows.append(_operation_row(JSON, False, about))
        source = ChoiceSource(rows, "  key  operation    batch  what it does")
        super().__init__(source, (*(one.title for one in ALL), JSON))


OPERATIONS = {operation.title: operation for operation in ALL}


def form_of(
    title: str,
    context: FormContext,
    session: Session,
    drafts: Drafts,
    given: Mapping[str, Any] | None = None,
) -> PreviewScreen:
    """Return the form of an operation by its name, or the one that takes a list as JSON."""
    if title == JSON:
        return PasteScreen(context, session, drafts)
    return FormScreen(OPERATIONS[title], context, session, drafts, given)
