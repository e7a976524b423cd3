"""The form of an operation: its fields left, what it would do right; nothing is done before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input, Static

from core import Refused
from core.formats import dump_json
from core.operations import Operation
from core.storage import Session
from ctxtui.editor import edit_text
from ctxtui.forms.fields import FormField, fields_of
from ctxtui.forms.prefill import FormContext, prefilled
from ctxtui.forms.ranges import legal
from ctxtui.forms.reading import assembled
from ctxtui.screens.previewing import Drafts, PreviewScreen
from ctxtui.symbols import visible
from ctxtui.widgets.field_row import FieldRow
from ctxtui.widgets.key_line import KeyLine
from ctxtui.widgets.message_editor import MessageEditor
from ctxtui.widgets.pick_bar import PickBar
from ctxtui.widgets.text_pane import TextPane

LONG_TEXT = 40
"""Characters from which on something typed is kept when the form is left."""


class FormScreen(PreviewScreen):
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
        self.fields = _apt(fields_of(operation), context)
        self.initial = prefilled(operation, self.fields, context, given)
        kept = drafts.get(operation.title, {}) if given is None else {}
        self._start = {**self.initial, **kept}
        self._first: dict[str, Any] | None = None

    def compose(self) -> ComposeResult:
        """Lay out fields and preview."""
        with Vertical(id="form"), Horizontal():
            with VerticalScroll(id="fields", can_focus=False):
                for field in self.fields:
                    hint = legal(self.operation, field, self.context.look)
                    yield FieldRow(field, self._start[field.id], hint)
                if not self.fields:
                    yield Static("There is nothing to fill in: ctrl+s does it.", markup=False)
                yield Static("", id="field-help", markup=False)
                yield Static("", id="as-operation", markup=False)
            yield TextPane(id="outcome")
        yield KeyLine()

    def on_mount(self) -> None:
        """Say what the operation does, and show at once what it would do now."""
        form = self.query_one("#form")
        form.border_title = self.operation.title
        form.border_subtitle = (self.operation.__doc__ or "").split("\n", 1)[0].rstrip(".")
        self.query_one("#outcome").border_title = "Preview"
        rows = list(self.query(FieldRow))
        written = [row for row in rows if row.has_class("-writes")]
        for row in (written or rows)[:1]:
            self.set_focus(row.target)  # At once: the next key may come before the next frame.
        self._first = self.entered
        self.refresh_preview()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Say what the field is for."""
        for node in event.widget.ancestors_with_self:
            if isinstance(node, FieldRow):
                self.query_one("#field-help", Static).update(node.field.help)

    @property
    def entered(self) -> dict[str, Any]:
        """Return what each field holds."""
        return {row.field.id: row.value for row in self.query(FieldRow)}

    @property
    def is_untouched(self) -> bool:
        """Tell whether the form is as it came up."""
        return self._first is None or self.entered == self._first

    def read(self) -> dict[str, Any]:
        """Return the operation as it stands in the form."""
        rows = list(self.query(FieldRow))
        asked = assembled(self.operation, self.fields, self.entered, self.initial)
        self.query_one("#as-operation", Static).update(visible(dump_json(asked), 400))
        for row in rows:
            row.complain(row.problem)
        for row in rows:
            if row.problem:
                raise Refused(row.problem, field=row.field.id)
        return asked

    @on(Input.Changed)
    @on(PickBar.Changed)
    @on(MessageEditor.Changed)
    def _edited(self) -> None:
        self.refresh_preview()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_apply()

    def complain(self, refusal: Refused) -> bool:
        """Say why not, at the field that is meant."""
        row = self._row_of(refusal.field or "")
        if row is not None:
            row.complain(str(refusal))
        return row is not None

    def _row_of(self, name: str) -> FieldRow | None:
        inner = name.split("[", maxsplit=1)[0].split(".")
        rows = list(self.query(FieldRow))
        exact = [row for row in rows if inner[-1] in (row.field.path[-1], row.field.id)]
        near = [row for row in rows if row.field.path[0] == inner[0]]
        return next(iter(exact or near), None)

    def forget(self) -> None:
        """Throw the draft away."""
        self.drafts.pop(self.operation.title, None)

    def keep(self) -> bool:
        """Keep the long texts of the form."""
        long = {
            row.field.id: row.value
            for row in self.query(FieldRow)
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
