"""Advice in a form: cuts to start from, the nearest number without an error, what to keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from textual.widgets import Input

from ctxtui.background import BackgroundTask
from ctxtui.commands import Facts
from ctxtui.core import Refused
from ctxtui.core.engine.operations import Operation
from ctxtui.core.storage import Session
from ctxtui.core.suggestions import Suggestion, nearest, suggestions
from ctxtui.core.values.numbers import count_in
from ctxtui.forms.fields import NONE, FormField
from ctxtui.forms.prefill import FormContext, prefilled
from ctxtui.forms.prospects import KEEPS_SYSTEM, held_of
from ctxtui.forms.ranges import TUNED
from ctxtui.forms.refusals import field_of
from ctxtui.forms.starts import start_words
from ctxtui.render.outcome.prospect import Prospect, Start
from ctxtui.render.outcome.start import start_lines
from ctxtui.screens.previewing import Drafts, PreviewScreen
from ctxtui.widgets.inputs import NumberInput
from ctxtui.widgets.pick_bar import PickBar

START = "look for cuts to start from"


class AdvisedForm(PreviewScreen):
    """A form of fields that says how to start, and how to mend what it would break."""

    operation: type[Operation]
    fields: list[FormField]

    def __init__(self, context: FormContext, session: Session, drafts: Drafts) -> None:
        super().__init__(context, session, drafts)
        self.edited_last: FormField | None = None
        self.start: Start | None = None

    @property
    def entered(self) -> dict[str, Any]:
        """Return what each field holds."""
        raise NotImplementedError

    @property
    def entries(self) -> dict[str, Any]:
        """Return what each field is entered with."""
        raise NotImplementedError

    def touched(self, field: FormField | None) -> None:
        """Note that a field was edited: nobody looks for a start any more."""
        self.edited_last = field or self.edited_last
        if self.start is not None and self.start.is_looking:
            self.background.cancel(START)
            self.start = None

    def lacks_something(self, refusal: Refused) -> bool:
        """Tell whether a field is empty that says what to do; that is no mistake."""
        return refusal.value is None and field_of(refusal, self.fields) is not None

    def advise(self, prospect: Prospect, task: BackgroundTask) -> Prospect:
        """Look for the nearest number without an error, beside the one that was typed last."""
        field = self.edited_last
        if field is None or field.path[-1] not in TUNED or not prospect.outcome.error_count:
            return prospect
        wanted = task.is_wanted
        hint = nearest(self.what_if, prospect.asked, field.path, prospect.outcome, wanted)
        return prospect if hint is None else replace(prospect, hint=hint, hint_label=field.label)

    # The start

    def begin(self) -> None:
        """Show how things stand, and look for cuts to start from."""
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
        """Tell whether cuts to start from are in sight."""
        return self.prospect is None and self.start is not None and bool(self.start.suggestions)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tell whether a key does something now; else it is for the field that has the focus."""
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
                return isinstance(self.focused, NumberInput | PickBar | Input)
        return True

    def key_facts(self) -> Facts:
        """Return what can be done now, for the line of keys."""
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
        """Go to the next cut one could start from."""
        start = self.start
        if self.has_start and start is not None:
            self.start = replace(start, chosen=(start.chosen + 1) % len(start.suggestions))
            self.begin()

    def action_take(self) -> None:
        """Take the cut that is chosen, or the number of the hint."""
        if self.has_start and self.start is not None:
            self._fill(self.start.suggestions[self.start.chosen].operation)
        elif self.prospect is not None and self.prospect.hint is not None:
            hint = self.prospect.hint
            self._put("-".join(hint.path), str(hint.best.value))

    def action_keep_system(self) -> None:
        """Let no system message go."""
        ids = [id for id in KEEPS_SYSTEM if id in self.entries]
        if ids and ids[0] == "keepRoles":
            self._put("keepRoles", (*self.entries["keepRoles"].value, "system"))
        elif ids:
            self._put(ids[0], True)

    def action_keep_marks(self) -> None:
        """Let no marked message go."""
        if self.prospect is not None and "keepMarks" in self.entries:
            kept = self.entries["keepMarks"].value
            self._put("keepMarks", (*kept, *self.prospect.outcome.lost))

    def action_by(self, count: int) -> None:
        """Change a number by one; elsewhere go to the field before or behind."""
        if isinstance(self.focused, NumberInput):
            self.focused.count(count)
        elif count > 0:
            self.focus_previous()
        else:
            self.focus_next()

    def _put(self, id: str, value: Any) -> None:
        entry = self.entries[id]
        entry.value = NONE if value is None and isinstance(entry, PickBar) else value

    def _fill(self, operation: Mapping[str, Any]) -> None:
        """Fill the form with an operation."""
        values = prefilled(self.operation, self.fields, self.context, operation)
        for id, value in values.items():
            if value != self.entered[id]:
                self._put(id, value)
