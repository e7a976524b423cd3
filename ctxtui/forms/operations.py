"""All operations: what each does in one sentence, and whether it opens a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.commands.dialogs import OPERATIONS as DIALOGS_OPERATIONS
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
from ctxtui.widgets.base_screen import ModalBase
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList

JSON = "JSON"


class OperationSource(ChoiceSource):
    """A line for every operation, and one for a list of them as JSON."""

    indent = 27

    def __len__(self) -> int:
        """Return how many there are."""
        return len(ALL) + 1

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return [Piece("  key  operation    batch  what it does", "faint")]

    def name(self, at: int) -> Line:
        """Return the key of an operation, its name, and whether it opens a batch."""
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
        """Return what an operation does."""
        if at == len(ALL):
            return "Paste or load a list of operations; all of it is done or nothing."
        return sentence(ALL[at])


class OperationsScreen(ModalBase[str | None]):
    """Lets an operation be chosen; its result is the operation's name."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in DIALOGS_OPERATIONS]
    CSS_PATH = "form.tcss"

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        yield LineList(id="operations")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Fill the list."""
        lines = self.query_one(LineList)
        lines.border_title = "All operations"
        lines.border_subtitle = "u undoes any of them"
        lines.show(OperationSource())
        lines.focus()

    @on(LineList.Opened)
    def _opened(self, event: LineList.Opened) -> None:
        self.dismiss(JSON if event.key == len(ALL) else ALL[event.key].title)


# Which form belongs to an operation, or to a list of them.

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
