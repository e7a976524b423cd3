"""The form of an operation: its fields left, what it would do right; nothing is done before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.dom import DOMNode
from textual.widgets import Input, Static

from ctxtui.background import BackgroundTask
from ctxtui.commands.command import Conditions, bindings
from ctxtui.core import Refused
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.operations import ALL
from ctxtui.core.storage import Session
from ctxtui.core.suggestions import Suggestion, nearest, suggestions
from ctxtui.core.values.numbers import count_in
from ctxtui.forms.dialog import Drafts, PreviewScreen
from ctxtui.forms.drawing import Prospect, Start, start_lines
from ctxtui.forms.editor import edit_text
from ctxtui.forms.keys import ADVICE, FORM
from ctxtui.forms.message_editor import MessageEditor
from ctxtui.forms.models import (
    NONE,
    TUNED,
    WRITTEN,
    FormContext,
    FormField,
    FormSection,
    assembled,
    field_of,
    fields_of,
    fits_form,
    halved,
    legal,
    prefilled,
    refusal_text,
    sections,
    start_words,
)
from ctxtui.forms.paste import PasteScreen
from ctxtui.forms.preview import KEEPS_SYSTEM, held_of
from ctxtui.forms.widgets import FieldRow, OperationBox
from ctxtui.help.palette import sentence
from ctxtui.inspector.keys import KEYS_OF_OPERATIONS
from ctxtui.text.lines import Line, Piece
from ctxtui.text.options import ChoiceSource
from ctxtui.widgets.choices import ChoiceBar
from ctxtui.widgets.picker import Picker
from ctxtui.widgets.prompt import NumberInput

START = "look for cuts to start from"
LONG_TEXT = 40
"""Characters from which on something typed is kept when the form is left."""
LEAST_LABEL = 14
EDITOR_LINES, SMALL_EDITOR_LINES = 15, 9
"""Cells of the names of fields, and lines that an editor takes."""
FEW_SECTIONS = 2
"""Groups of fields beside which there is room for a large editor."""


class FormScreen(PreviewScreen):
    """Asks for the fields of an operation and shows what it would do.

    It advises how to start, and how to fix what the operation would break.
    """

    HELP_COMMANDS = FORM
    BINDINGS: ClassVar[list[BindingType]] = bindings(ADVICE)

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
        self.edited_last: FormField | None = None
        self.start: Start | None = None
        # Before anything is laid out: a class that comes later has all of it laid out once more.
        self.set_class(any(field.kind in WRITTEN for field in self.fields), "-writing")
        self.set_class(len(self.sections) > FEW_SECTIONS, "-grouped")

    # Layout

    def compose_fields(self) -> ComposeResult:
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
                hints = legal(self.operation, row[0], self.context.look)
                made = FieldRow(row, self._filled, hints, self.context.look, cells)
                yield made.set_class(row in halves, "-half")
        if not self.fields:
            yield Static("There is nothing to fill in: ctrl+s does it.", markup=False)
        yield OperationBox(id="as-operation")

    @property
    def least_lines(self) -> int:
        rows = [row for section in self.sections for row in section.rows]
        written = sum(row[0].kind in WRITTEN for row in rows)
        heads = sum(3 if section.title else 1 for section in self.sections)
        editor = EDITOR_LINES if len(self.sections) <= FEW_SECTIONS else SMALL_EDITOR_LINES
        return len(rows) + heads + written * editor + self.query_one(OperationBox).lines + 1

    def on_mount(self) -> None:
        written = [row for row in self.rows if row.has_class("-writes")]
        for row in (written or self.rows)[:1]:
            self.set_focus(row.target)  # At once: the next key may come before the next frame.
        self._first = self.entered
        self.refresh_preview()

    @property
    def rows(self) -> list[FieldRow]:
        return list(self.query(FieldRow))

    @property
    def entered(self) -> dict[str, Any]:
        return {id: value for row in self.rows for id, value in row.values.items()}

    @property
    def is_untouched(self) -> bool:
        return self._first is None or self.entered == self._first

    # Preview

    def read(self) -> dict[str, Any]:
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
    @on(ChoiceBar.Chosen)
    @on(MessageEditor.Changed)
    def _edited(self, event: Input.Changed | ChoiceBar.Chosen | MessageEditor.Changed) -> None:
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

    def refusal_words(self, refusal: Refused) -> str:
        return refusal_text(refusal, self.fields)

    def complain(self, refusal: Refused) -> bool:
        field = field_of(refusal, self.fields)
        row = next((one for one in self.rows if field in one.fields), None)
        if row is not None:
            row.complain(self.refusal_words(refusal))
        return row is not None

    @property
    def entries(self) -> dict[str, Any]:
        return {
            field.id: entry
            for row in self.rows
            for field, entry in zip(row.fields, row.entries, strict=True)
        }

    # Advice

    def touched(self, field: FormField | None) -> None:
        """Note that a field was edited: the search for a start is no longer needed."""
        self.edited_last = field or self.edited_last
        if self.start is not None and self.start.is_looking:
            self.background.cancel(START)
            self.start = None

    def lacks_something(self, refusal: Refused) -> bool:
        """Return whether a field is empty that says what to do; that is no mistake."""
        return refusal.value is None and field_of(refusal, self.fields) is not None

    def advise(self, prospect: Prospect, task: BackgroundTask) -> Prospect:
        """Look for the nearest number without an error to the one that was typed last."""
        field = self.edited_last
        if field is None or field.path[-1] not in TUNED or not prospect.outcome.error_count:
            return prospect
        wanted = task.is_wanted
        hint = nearest(self.what_if, prospect.asked, field.path, prospect.outcome, wanted)
        return prospect if hint is None else replace(prospect, hint=hint, hint_label=field.label)

    # The start

    def begin(self) -> None:
        if self.start is None:
            words = start_words(self.operation, self.fields, self.context.look)
            is_looking = self.operation.title == "TRUNCATE" and len(self.context.look.view) > 1
            position = count_in(str(self.entered.get("position")))
            self.start = Start(self.context.look, *words, is_looking=is_looking, position=position)
            if is_looking or self.operation.null_counts:
                self.background.run(START, self._look_for_a_start, failed=self._found_none)
        self.pane.present(partial(start_lines, self.start))

    def _look_for_a_start(self, task: BackgroundTask) -> None:
        if self.operation.null_counts:
            conversation = self.session.conversation
            held = held_of(conversation, conversation.moment)
            task.show(partial(self._started, held=held))
            return
        found: tuple[Suggestion, ...] = ()
        for suggestion in suggestions(self.what_if, task.is_wanted):
            found = (*found, suggestion)
            task.show(partial(self._started, suggestions=found))
        task.show(partial(self._started, is_looking=False))

    def _found_none(self, sentence: str) -> None:
        self._started(is_looking=False)
        self.background.complain(sentence)

    def _started(self, **news: Any) -> None:
        assert self.start is not None
        self.start = replace(self.start, **news)
        if self.prospect is None and not self.query(".-wrong"):
            self.begin()
            self.fit()
            self.refresh_bindings()

    @property
    def has_start(self) -> bool:
        return self.prospect is None and self.start is not None and bool(self.start.suggestions)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        prospect = None if self._is_refused else self.prospect
        match action:
            case "next_suggestion":
                return self.has_start
            case "take":
                return self.has_start or (prospect is not None and prospect.hint is not None)
            case "keep_system":
                return prospect is not None and bool(
                    prospect.can_keep_system and prospect.outcome.system_lost
                )
            case "keep_marks":
                return prospect is not None and bool(
                    prospect.can_keep_marks and prospect.outcome.lost
                )
            case "by":
                return isinstance(self.focused, NumberInput | ChoiceBar | Input)
        return True

    def key_conditions(self) -> Conditions:
        hint = None if self.prospect is None else self.prospect.hint
        return {
            "counts": isinstance(self.focused, NumberInput),
            "start": bool(self.check_action("next_suggestion", ())),
            "take": bool(self.check_action("take", ()))
            and ("take it" if hint is None else f"take {hint.best.value:,}"),
            "system": bool(self.check_action("keep_system", ())),
            "marks": bool(self.check_action("keep_marks", ())),
        }

    def action_next_suggestion(self) -> None:
        start = self.start
        if self.has_start and start is not None:
            self.start = replace(start, chosen=(start.chosen + 1) % len(start.suggestions))
            self.begin()

    def action_take(self) -> None:
        if self.has_start and self.start is not None:
            self._fill(self.start.suggestions[self.start.chosen].operation)
        elif self.prospect is not None and self.prospect.hint is not None:
            hint = self.prospect.hint
            self._put("-".join(hint.path), str(hint.best.value))

    def action_keep_system(self) -> None:
        ids = [id for id in KEEPS_SYSTEM if id in self.entries]
        if ids and ids[0] == "keepRoles":
            self._put("keepRoles", (*self.entries["keepRoles"].value, "system"))
        elif ids:
            self._put(ids[0], True)

    def action_keep_marks(self) -> None:
        if self.prospect is not None and "keepMarks" in self.entries:
            kept = self.entries["keepMarks"].value
            self._put("keepMarks", (*kept, *self.prospect.outcome.lost))

    def action_by(self, count: int) -> None:
        if isinstance(self.focused, NumberInput):
            self.focused.count(count)
        elif count > 0:
            self.focus_previous()
        else:
            self.focus_next()

    def _put(self, id: str, value: Any) -> None:
        entry = self.entries[id]
        entry.value = NONE if value is None and isinstance(entry, ChoiceBar) else value

    def _fill(self, operation: Mapping[str, Any]) -> None:
        values = prefilled(self.operation, self.fields, self.context, operation)
        for id, value in values.items():
            if value != self.entered[id]:
                self._put(id, value)

    # Texts

    def forget(self) -> None:
        self.drafts.pop(self.operation.title, None)

    def keep(self) -> bool:
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
        editors = list(self.query(MessageEditor))
        here = [one for one in editors if one.area is self.focused] or editors
        edit_text(self, here[0].text if here else None, here[0].load if here else str)


def _apt(fields: list[FormField], context: FormContext) -> list[FormField]:
    """Return the fields to show: where there are two ways to name messages, the apt one."""
    if {"index", "message", "indices", "messages"} <= {field.id for field in fields}:
        hidden = {"index", "message"} if len(context.selected) > 1 else {"indices", "messages"}
        return [field for field in fields if field.id not in hidden]
    return fields


def _heading(section: FormSection) -> Content:
    if not section.about:
        return Content.styled(section.title, "bold $bright")
    return Content.assemble((section.title, "bold $bright"), (f"   {section.about}", "$faint"))


# All operations: what each does in one sentence, and whether it opens a batch.

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
    """Return the form of an operation by its name, or the one that takes JSON.

    An operation with fields that no form has is edited as JSON, so that none is lost.
    """
    if title == JSON:
        return PasteScreen(context, session, drafts)
    if given is not None and not fits_form(OPERATIONS[title], given, context):
        return PasteScreen(context, session, drafts, given)
    return FormScreen(OPERATIONS[title], context, session, drafts, given)
