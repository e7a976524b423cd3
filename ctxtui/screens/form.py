"""The form of an operation: its fields left, what it would do right; nothing is done before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.dom import DOMNode
from textual.widgets import Input, Static

from ctxtui.core import Refused
from ctxtui.core.engine.operations import Operation
from ctxtui.core.storage import Session
from ctxtui.editor import edit_text
from ctxtui.forms.fields import FormField, fields_of
from ctxtui.forms.groups import WRITTEN, Section, halved, sections
from ctxtui.forms.prefill import FormContext, prefilled
from ctxtui.forms.ranges import legal
from ctxtui.forms.reading import assembled
from ctxtui.forms.refusals import field_of, refusal_told
from ctxtui.palette import sentence
from ctxtui.screens.form_advice import AdvisedForm
from ctxtui.screens.previewing import Drafts
from ctxtui.widgets.field_row import FieldRow
from ctxtui.widgets.message_editor import MessageEditor
from ctxtui.widgets.operation_box import OperationBox
from ctxtui.widgets.pick_bar import PickBar

LONG_TEXT = 40
"""Characters from which on something typed is kept when the form is left."""
LEAST_LABEL = 14
EDITOR_LINES, SMALL_EDITOR_LINES = 15, 9
"""Cells of the names of fields, and lines that an editor takes."""
FEW_SECTIONS = 2
"""Groups of fields beside which there is room for a large editor."""


class FormScreen(AdvisedForm):
    """Asks for the fields of an operation and shows what it would do."""

    def __init__(
        self,
        operation: type[Operation],
        context: FormContext,
        session: Session,
        drafts: Drafts,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(context, session, drafts)
        self.operation = operation
        self.title_words = operation.title
        self.about_words = sentence(operation).rstrip(".")
        number = session.conversation.batch.number + 1
        self.would_lead_to = f"opens batch {number}" if operation.opens_batch else "no new batch"
        self.fields = _apt(fields_of(operation), context)
        self.field_ids = frozenset(field.id for field in self.fields)
        self.sections = sections(operation, self.fields)
        self.initial = prefilled(operation, self.fields, context, given)
        kept = drafts.get(operation.title, {}) if given is None else {}
        self._filled = {**self.initial, **kept}
        self._first: dict[str, Any] | None = None
        # Before anything is laid out: a class that comes later has all of it laid out once more.
        self.set_class(any(field.kind in WRITTEN for field in self.fields), "-writing")
        self.set_class(len(self.sections) > FEW_SECTIONS, "-grouped")

    # Layout

    def compose_fields(self) -> ComposeResult:
        """Lay out the fields under their headings."""
        longest = max(
            (len(field.label) + 2 * field.is_required for field in self.fields), default=0
        )
        cells = max(LEAST_LABEL, longest + 1) + 1
        for at, section in enumerate(self.sections):
            if section.title:
                classes = "heading" if at else "heading -first"
                yield Static(_heading(section), classes=classes, markup=False)
            halves = halved(section)
            for row in section.rows:
                hint = legal(self.operation, row[0], self.context.look)
                made = FieldRow(row, self._filled, hint, self.context.look, cells)
                yield made.set_class(row in halves, "-half")
        if not self.fields:
            yield Static("There is nothing to fill in: ctrl+s does it.", markup=False)
        yield OperationBox(id="as-operation")

    @property
    def least_lines(self) -> int:
        """Return how many lines the fields take."""
        rows = [row for section in self.sections for row in section.rows]
        written = sum(row[0].kind in WRITTEN for row in rows)
        heads = sum(3 if section.title else 1 for section in self.sections)
        editor = EDITOR_LINES if len(self.sections) <= FEW_SECTIONS else SMALL_EDITOR_LINES
        return len(rows) + heads + written * editor + self.query_one(OperationBox).lines + 1

    def on_mount(self) -> None:
        """Be ready for keys, and show at once what it would do now."""
        written = [row for row in self.rows if row.has_class("-writes")]
        for row in (written or self.rows)[:1]:
            self.set_focus(row.target)  # At once: the next key may come before the next frame.
        self._first = self.entered
        self.refresh_preview()

    @property
    def rows(self) -> list[FieldRow]:
        """Return the rows, from top to bottom."""
        return list(self.query(FieldRow))

    @property
    def entered(self) -> dict[str, Any]:
        """Return what each field holds."""
        return {id: value for row in self.rows for id, value in row.values.items()}

    @property
    def is_untouched(self) -> bool:
        """Tell whether the form is as it came up."""
        return self._first is None or self.entered == self._first

    # Preview

    def read(self) -> dict[str, Any]:
        """Return the operation as it stands in the form."""
        asked = assembled(self.operation, self.fields, self.entered, self.initial)
        changed = self.edited_last.path[0] if self.edited_last else ""
        self.query_one(OperationBox).show(asked, changed)
        rows = self.rows
        for row in rows:
            row.complain(row.problem)
        for row in rows:
            if row.problem:
                raise Refused(row.problem, field=row.field.id, value=row.problem)
        return asked

    @on(Input.Changed)
    @on(PickBar.Changed)
    @on(MessageEditor.Changed)
    def _edited(self, event: Input.Changed | PickBar.Changed | MessageEditor.Changed) -> None:
        control = event.control
        if not self.is_untouched:
            self.touched(None if control is None else self._field_at(control))
        self.refresh_preview()

    def _field_at(self, widget: DOMNode) -> FormField | None:
        found = (id for id, entry in self.entries.items() if entry is widget)
        id = next(found, None)
        return next((field for field in self.fields if field.id == id), None)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_apply()

    def told(self, refusal: Refused) -> str:
        """Return why not, with the names the fields have here."""
        return refusal_told(refusal, self.fields)

    def complain(self, refusal: Refused) -> bool:
        """Say why not, at the field that is meant."""
        field = field_of(refusal, self.fields)
        row = next((one for one in self.rows if field in one.fields), None)
        if row is not None:
            row.complain(self.told(refusal))
        return row is not None

    @property
    def entries(self) -> dict[str, Any]:
        """Return what each field is entered with."""
        return {
            field.id: entry
            for row in self.rows
            for field, entry in zip(row.fields, row.entries, strict=True)
        }

    # Texts

    def forget(self) -> None:
        """Throw the draft away."""
        self.drafts.pop(self.operation.title, None)

    def keep(self) -> bool:
        """Keep the long texts of the form."""
        long = {
            row.field.id: row.value
            for row in self.rows
            if row.length >= LONG_TEXT and row.value != self.initial[row.field.id]
        }
        self.forget()
        if long:
            self.drafts[self.operation.title] = long
        return bool(long)

    def action_editor(self) -> None:
        """Edit the text in the user's own editor."""
        editors = list(self.query(MessageEditor))
        here = [one for one in editors if one.area is self.focused] or editors
        edit_text(self, here[0].text if here else None, here[0].load if here else str)


def _apt(fields: list[FormField], context: FormContext) -> list[FormField]:
    """Return the fields to show: where there are two ways to name messages, the apt one."""
    if {"index", "message", "indices", "messages"} <= {field.id for field in fields}:
        hidden = {"index", "message"} if len(context.selected) > 1 else {"indices", "messages"}
        return [field for field in fields if field.id not in hidden]
    return fields


def _heading(section: Section) -> Content:
    """Return the title of a section, with what there is to know about it in faint."""
    if not section.about:
        return Content.styled(section.title, "bold $bright")
    return Content.assemble((section.title, "bold $bright"), (f"   {section.about}", "$faint"))
