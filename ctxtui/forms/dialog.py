"""The frame of a dialog with fields: a head, the fields with their button, a preview beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content

from ctxtui.background import BackgroundTask
from ctxtui.commands.command import bindings
from ctxtui.core import Refused
from ctxtui.core.conversation.conversation import Result
from ctxtui.core.storage import Session
from ctxtui.core.what_if import WhatIf
from ctxtui.forms.drawing import SMALL_VIEW, Prospect, outcome_lines, price
from ctxtui.forms.keys import FIELDS
from ctxtui.forms.models import FormContext
from ctxtui.forms.preview import prospect_of
from ctxtui.forms.widgets import OutcomePane
from ctxtui.notify import notify
from ctxtui.text.icons import ERROR
from ctxtui.text.lines import Line, Piece, fit_pieces, line_width, paragraph
from ctxtui.text.toast import note, refused
from ctxtui.widgets.base_screen import ModalBase
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.panes import LineBox

WIDE_CELLS, TALL_LINES, TOP = 120, 30, 2
"""From which size on a dialog leaves something of the screen in sight, and lines above it."""
APPLY_LINES = 1
LAST_LEGAL = "of the last legal value"

Drafts = dict[str, Any]
"""Long texts that were not used yet, by the dialog they belong to."""

Asked = Mapping[str, Any] | Sequence[Any]


class PreviewScreen(ModalBase[Result | None]):
    """A dialog that shows what would happen; its result is what was done, or None.

    It is as tall as it takes, and takes all of a small screen.
    """

    AUTO_FOCUS = ""
    CSS_PATH = "form.tcss"
    HELP_COMMANDS = FIELDS
    BINDINGS: ClassVar[list[BindingType]] = bindings(FIELDS)

    title_words = ""
    about_words = ""
    """Its name, and what it is about."""
    would_lead_to = ""
    """Where it leads, as far as that is known from the start."""
    field_ids: frozenset[str] = frozenset()

    def __init__(self, context: FormContext, session: Session, drafts: Drafts) -> None:
        super().__init__()
        self.context = context
        self.session = session
        self.drafts = drafts
        self.prospect: Prospect | None = None
        self.what_if = WhatIf(session.conversation)
        self._is_refused = False
        self._cost: Line = []

    # Layout

    def compose(self) -> ComposeResult:
        self._is_small()
        with Vertical(id="form"):
            yield LineBox(id="form-head")
            with Horizontal(id="form-body"):
                with Vertical(id="left"):
                    with VerticalScroll(id="fields", can_focus=False):
                        yield from self.compose_fields()
                    yield LineBox(id="apply")
                yield OutcomePane(id="outcome")
        yield KeyFooter()

    def compose_fields(self) -> ComposeResult:
        raise NotImplementedError

    @property
    def least_lines(self) -> int:
        return 0

    @property
    def pane(self) -> OutcomePane:
        return self.query_one("#outcome", OutcomePane)

    def on_mount(self) -> None:
        self.query_one("#form-head", LineBox).show(self._head)
        self.show_button([Piece("nothing to do yet", "faint")], is_ready=False)
        self.fit()

    def on_resize(self) -> None:
        self.call_after_refresh(self.fit)

    def fit(self) -> None:
        """Grow to what there is to show; a dialog that shrinks while one types has no rest."""
        form, size = self.query_one("#form"), self.app.size
        if self._is_small():
            form.styles.height = None
            return
        most = size.height - 1 - TOP
        fields = max(self.least_lines, self.query_one("#fields").virtual_size.height)
        wanted = max(fields + APPLY_LINES + 1, self.pane.wanted(most) + 1) + 2
        before = form.styles.height.value if form.styles.height is not None else 0
        form.styles.height = int(min(most, max(wanted, min(before, most))))
        self._name_edges()

    def _is_small(self) -> bool:
        """Return whether all of the screen is needed, and lay it out so."""
        size = self.app.size
        is_small = size.width < WIDE_CELLS or size.height < TALL_LINES
        self.set_class(is_small, "-narrow")
        return is_small

    def _name_edges(self) -> None:
        form = self.query_one("#form")
        name, about = f" {self.title_words} ", f" {self.about_words}"
        line = form.size.width - len(name) - len(about) - 6
        fill = "-" if self.app.has_class("-ascii") else "━"
        chip, rest = "bold $hlink on $hl", "$focus on $background"
        if line < 1:
            form.border_title = Content.styled(name, chip)
        else:
            form.border_title = Content.assemble(
                (name, chip), (fill * line, rest), (about, "$muted on $background")
            )
        form.border_subtitle = Content(self.leads_to)

    def _head(self, width: int) -> Line:
        """Return the head of a small screen, which has no edges to write on."""
        left = [Piece(f" {self.title_words} ", "chip"), Piece(f"  {self.leads_to}", "muted")]
        right = [*self._cost, Piece(" ")]
        room = width - line_width(right)
        used = line_width(left)
        return [*fit_pieces(left, room), *right] if used < room else fit_pieces(left, width)

    def show_button(self, cost: Line, *, is_ready: bool) -> None:
        self._cost = cost
        button = self.query_one("#apply", LineBox)
        chip = Piece(" ctrl+s ", "chip" if is_ready else "pill")
        name = Piece(" Apply   ", "bright" if is_ready else "faint")
        button.show(lambda _: [chip, name, *cost])

    # What each dialog answers

    def read(self) -> Asked:
        """Return the operation that the fields ask for, or refuse it."""
        raise NotImplementedError

    def refusal_words(self, refusal: Refused) -> str:
        return str(refusal)

    def complain(self, refusal: Refused) -> bool:
        """Say at its field what is wrong; return whether there was such a field."""
        return False

    def begin(self) -> None:
        """Show how to start; nothing was entered yet."""

    def advise(self, prospect: Prospect, task: BackgroundTask) -> Prospect:
        """Return a prospect with advice that takes longer to find; called in a thread."""
        return prospect

    def lacks_something(self, refusal: Refused) -> bool:
        """Return whether nothing is wrong, but something is not filled in as yet."""
        return False

    @property
    def is_untouched(self) -> bool:
        """Return whether nothing was entered yet."""
        return False

    @property
    def leads_to(self) -> str:
        if self.prospect is None:
            return self.would_lead_to
        result = self.prospect.result
        return f"opens batch {result.batch.number}" if result.created_batch else "no new batch"

    # Preview

    def refresh_preview(self) -> None:
        try:
            asked = self.read()
        except Refused as refusal:
            self._refuse(refusal)
        else:
            self.background.run("preview", partial(self._preview, asked), failed=self._failed)

    def _preview(self, asked: Asked, task: BackgroundTask) -> None:
        try:
            result = self.session.preview(asked)
            outcome = self.what_if.judge(result)
        except Refused as refusal:
            task.show(self._refuse, refusal)
            return
        prospect = prospect_of(self.context.look, asked, result, outcome, self.field_ids)
        task.show(self._show, prospect)
        advised = self.advise(prospect, task)
        if advised is not prospect:
            task.show(self._show, advised)

    def _failed(self, sentence: str) -> None:
        self.prospect, self._is_refused = None, True
        self.show_button([Piece("no preview", ERROR.kind)], is_ready=False)
        self.pane.present(partial(_sentence, ERROR.text(sentence)))
        self._after_showing()

    def _show(self, prospect: Prospect) -> None:
        self.prospect, self._is_refused = prospect, False
        self.pane.present(partial(_preview_lines, prospect, "nothing is changed yet"))
        self.show_button(price(prospect), is_ready=True)
        self._after_showing()

    def _refuse(self, refusal: Refused) -> None:
        self._is_refused = True
        if self.is_untouched or self.lacks_something(refusal):
            self.prospect = None
            self.show_button([Piece("nothing to do yet", "faint")], is_ready=False)
            self.begin()
        else:
            at_field = self.complain(refusal)
            words = "fix the red field first" if at_field else "not valid yet"
            self.show_button([Piece(words, ERROR.kind)], is_ready=False)
            if at_field and self.prospect is not None:
                # The last preview stays; it is of the last value that was legal.
                self.pane.present(partial(_preview_lines, self.prospect, LAST_LEGAL))
            else:
                self.pane.present(partial(_sentence, ERROR.text(self.refusal_words(refusal))))
        self._after_showing()

    def _after_showing(self) -> None:
        self.query_one("#form-head", LineBox).refresh()
        self.fit()
        self.refresh_bindings()

    # Leaving

    def action_apply(self) -> None:
        if not self.is_current:
            return
        try:
            result = self.session.change(self.read())
        except Refused as refusal:
            self.complain(refusal)
            notify(self, refused(self.refusal_words(refusal)))
            return
        if not result.changed:
            notify(self, note("This would change nothing", "It already has this value."))
            return
        self.forget()
        self.dismiss(result)

    def forget(self) -> None:
        """Throw away what was kept for the next time."""

    def keep(self) -> bool:
        """Keep a long text for the next time; return whether there was one."""
        return False

    def action_leave(self) -> None:
        if self.is_current and self.keep():
            notify(self, note("The draft is kept for the next time"))
        self.dismiss(None)


def _preview_lines(prospect: Prospect, about: str, width: int, height: int | None) -> list[Line]:
    """Return a preview with its heading, which goes where there is no room."""
    head: Line = [Piece("Preview", "bright"), Piece(f"   {about}", "faint")]
    if height is not None and height < SMALL_VIEW and about != LAST_LEGAL:
        return outcome_lines(prospect, width, height)
    return [head, [], *outcome_lines(prospect, width, None if height is None else height - 2)]


def _sentence(text: str, width: int, height: int | None) -> list[Line]:
    return paragraph(text[:2_000], width, ERROR.kind)
