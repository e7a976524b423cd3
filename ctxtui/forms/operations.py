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


class OperationSource(ChoiceSource):
    """A line for every operation, and one for a list of them as JSON."""

    indent = 27

    def __len__(self) -> int:
        return len(ALL) + 1

    def header(self, width: int) -> Line | None:
        return [Piece("  key  operation    batch  what it does", "faint")]

    def name(self, at: int) -> Line:
        title, key, batch = JSON, "", ""
        if at < len(ALL):
            title = ALL[at].title
            key = KEYS_OF_OPERATIONS.get(title, "")
            batch = "opens" if ALL[at].opens_batch else ""
        return [
            Piece(f"  {key:<4} ", "key"),
            Piece(f"{title:<13}", "bright"),
            Piece(f"{batch:<7}", "muted"),
        ]

    def sentence(self, at: int) -> str:
        if at == len(ALL):
            return "Paste or load a list of operations; all of it is done or nothing."
        return sentence(ALL[at])


class OperationPicker(Picker[str]):
    """Lets an operation be picked, by its name, or a list of them as JSON."""

    title_text = "All operations"
    subtitle_text = "u undoes any of them"
    noun, verb = "operation", "open its form"

    def __init__(self) -> None:
        super().__init__(OperationSource(), (*(one.title for one in ALL), JSON))


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
