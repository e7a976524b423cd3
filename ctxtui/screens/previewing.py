"""What all dialogs that change something share: a preview that follows, and doing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import work
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.worker import get_current_worker

from core import Refused
from core.conversation.results import Result
from core.storage import Session
from core.what_if import Outcome, WhatIf
from ctxtui.commands import FORM
from ctxtui.forms.prefill import FormContext
from ctxtui.render.outcome import outcome_lines
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import ERROR
from ctxtui.render.text.wrap import wrap
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.scene import Scene
from ctxtui.symbols import visible
from ctxtui.widgets.inked import INKS
from ctxtui.widgets.text_pane import TextPane

Drafts = dict[str, Any]
"""Long texts that were not used yet, by the dialog they belong to."""

Asked = Mapping[str, Any] | Sequence[Any]


class PreviewScreen(Scene, ModalScreen[Result | None]):
    """A dialog over the inspector; its result is what was done, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in FORM]
    AUTO_FOCUS = ""
    CSS_PATH = "form.tcss"
    COMPONENT_CLASSES: ClassVar[set[str]] = INKS
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(self, context: FormContext, session: Session, drafts: Drafts) -> None:
        super().__init__()
        self.context = context
        self.session = session
        self.drafts = drafts
        self.outcome: Outcome | None = None
        self._what_if = WhatIf(session.conversation)

    def read(self) -> Asked:
        """Return what is asked for as it stands here, or refuse it."""
        raise NotImplementedError

    def complain(self, refusal: Refused) -> bool:
        """Say at its field what is wrong; tell whether there was such a field."""
        return False

    @property
    def is_untouched(self) -> bool:
        """Tell whether nothing was entered yet."""
        return False

    # Preview

    def refresh_preview(self) -> None:
        """Work out again what would happen, without holding up a key."""
        try:
            asked = self.read()
        except Refused as refusal:
            self._refuse(refusal)
        else:
            self._preview(asked)

    @work(thread=True, exclusive=True, group="preview")
    def _preview(self, asked: Asked) -> None:
        worker = get_current_worker()
        try:
            result = self.session.preview(asked)
            if worker.is_cancelled:
                return
            show = partial(self._show, result, self._what_if.judge(result))
        except Refused as refusal:
            show = partial(self._refuse, refusal)
        if not worker.is_cancelled:
            self.from_thread(show)

    def _show(self, result: Result, outcome: Outcome) -> None:
        self.outcome = outcome
        pane = self.query_one("#outcome", TextPane)
        pane.show(partial(outcome_lines, self.context.look, result, outcome), top=False)
        pane.border_subtitle = ""

    def _refuse(self, refusal: Refused) -> None:
        pane = self.query_one("#outcome", TextPane)
        if self.is_untouched:
            pane.show(partial(_sentence, "", refusal, "muted"))
        elif self.complain(refusal):
            # The last preview stays; it is of the last value that was legal.
            pane.border_subtitle = "of the last legal value" if self.outcome else ""
        else:
            pane.show(partial(_sentence, ERROR.text(""), refusal, ERROR.kind))

    # Leaving

    def action_apply(self) -> None:
        """Do it, once; a refusal keeps the dialog open and says why."""
        if not self.is_current:
            return
        try:
            result = self.session.change(self.read())
        except Refused as refusal:
            self.complain(refusal)
            sentence = f"Refused: {refusal}. Nothing was changed."
            self.notify(sentence, severity="error", markup=False)
            return
        if not result.changed:
            self.notify("This would change nothing: it is so already.", markup=False)
            return
        self.forget()
        self.dismiss(result)

    def forget(self) -> None:
        """Throw away what was kept for the next time."""

    def keep(self) -> bool:
        """Keep a long text for the next time; tell whether there was one."""
        return False

    def action_leave(self) -> None:
        """Leave without doing anything; a long text is kept for the next time."""
        if self.is_current and self.keep():
            self.notify("The draft is kept for the next time.", markup=False)
        self.dismiss(None)

    def action_help(self) -> None:
        """Show the keys of a dialog."""
        self.app.push_screen(HelpScreen(FORM))


def _sentence(sign: str, refusal: Refused, kind: str, width: int) -> list[Line]:
    return [[Piece(row, kind)] for row in wrap(visible(f"{sign}{refusal}"), max(10, width))]
