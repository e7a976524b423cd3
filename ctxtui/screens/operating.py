"""From the inspector to the form of an operation, and back with what it did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ctxtui.core import Conversation
from ctxtui.core.conversation.results import Result
from ctxtui.core.storage import Session
from ctxtui.explorer.explorer import Explorer
from ctxtui.forms.prefill import FormContext
from ctxtui.models.look import Look
from ctxtui.models.told import failed, note
from ctxtui.models.workspace import Workspace
from ctxtui.screens.form_of import form_of
from ctxtui.screens.operations import OperationsScreen
from ctxtui.screens.previewing import Drafts
from ctxtui.telling import tell

if TYPE_CHECKING:
    from textual.screen import Screen

    Base = Screen[Any]
else:
    Base = object


class Operating(Base):
    """Opens forms over an inspector, filled from where the user stands."""

    session: Session
    conversation: Conversation
    workspace: Workspace
    explorer: Explorer
    drafts: Drafts

    if TYPE_CHECKING:

        @property
        def look(self) -> Look:
            """Return what is looked at."""

        def after_change(self, result: Result, word: str | None = None) -> None:
            """Show what a change has made, save it, and say so in plain words."""

    @property
    def form_context(self) -> FormContext:
        """Return where the user stands: what a form is filled from."""
        explorer = self.explorer
        return FormContext(Look(self.conversation), explorer.raw, explorer.selection.raws)

    def may_change(self) -> bool:
        """Tell whether the session can be changed; say why not."""
        reason = self.workspace.saver.read_only_reason
        if reason is not None:
            tell(self, failed(reason))
        return reason is None

    def action_operate(self, title: str) -> None:
        """Open the form of an operation."""
        self._open_form(title)

    def action_offer(self) -> None:
        """Open the form of the operation that is offered, ready to be applied."""
        offer = self.workspace.offer
        if offer is not None:
            self._open_form(offer.operation.title, offer.operation.to_dict())
        else:
            tell(self, note("Nothing is offered", "No APPEND has just passed the threshold."))

    def action_operations(self) -> None:
        """Show all operations."""
        self.app.push_screen(OperationsScreen(), self._operation_chosen)

    def _operation_chosen(self, title: str | None) -> None:
        if title is not None:
            self._open_form(title)

    def _open_form(self, title: str, given: Mapping[str, Any] | None = None) -> None:
        if not self.may_change():
            return
        self._return_to_now()
        form = form_of(title, self.form_context, self.session, self.drafts, given)
        self.app.push_screen(form, self._form_closed)

    def _return_to_now(self) -> None:
        """Leave the past before something is changed: only the present can be."""
        if not self.look.is_live:
            number = self.look.batch.number
            self.explorer.show_now()
            tell(
                self, note("Back in the present, which is what changes", f"It was batch {number}.")
            )

    def _form_closed(self, result: Result | None) -> None:
        if result is not None:
            self.after_change(result)
