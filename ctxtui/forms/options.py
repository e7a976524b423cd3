"""A form of options: fields that count as soon as they are changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from ctxtui.commands.command import bindings
from ctxtui.commands.common import OPTIONS
from ctxtui.forms.models import FieldKind, FormField
from ctxtui.forms.widgets import FieldRow
from ctxtui.text.options import Option, OptionKind
from ctxtui.text.symbols import printable
from ctxtui.widgets.choices import ChoiceBar

LABEL_CELLS = 18
KINDS: dict[OptionKind, FieldKind] = {
    "choice": "choice",
    "flag": "flag",
    "number": "number",
    "text": "text",
}


class OptionForm(VerticalScroll, can_focus=False):
    """Shows options as fields, under the names of their groups; the screen acts on each change."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(OPTIONS)

    @dataclass
    class OptionChanged(Message):
        """An option has another value; what is typed may not be complete yet."""

        form: OptionForm
        name: str
        value: Any
        is_typed: bool

        @property
        def control(self) -> OptionForm:
            return self.form

    @dataclass
    class OptionReached(Message):
        """The focus is on another option; the one before may have been typed."""

        form: OptionForm
        name: str

        @property
        def control(self) -> OptionForm:
            return self.form

    @dataclass
    class OptionEntered(Message):
        """Enter was pressed in a field."""

        form: OptionForm
        name: str

        @property
        def control(self) -> OptionForm:
            return self.form

    def __init__(self, options: Sequence[Option], *, id: str) -> None:
        super().__init__(id=id)
        self._options = {option.name: option for option in options}
        self._values = {option.name: _entered(option) for option in options}
        self.rows = {option.name: _row(option) for option in options}
        self.here = options[0].name if options else ""

    def compose(self) -> ComposeResult:
        group = None
        for name, row in self.rows.items():
            title = self._options[name].group
            if title and title != group:
                classes = "heading" if group is not None else "heading -first"
                yield Static(title, classes=classes, markup=False)
            group = title
            row.display = self._options[name].is_shown
            yield row

    @property
    def target(self) -> Widget | None:
        """Return the field that has the focus, or had it last."""
        return self.rows[self.here].target if self.here in self.rows else None

    @property
    def option(self) -> Option:
        return self._options[self.here]

    def show(self, options: Sequence[Option]) -> None:
        """Show what the options are now; the field that is typed in keeps its text."""
        for option in options:
            row, value = self.rows[option.name], _entered(option)
            self._options[option.name] = option
            row.display = option.is_shown
            row.set_hint(printable(option.hint))
            entry = row.entry
            if isinstance(entry, ChoiceBar) and option.choices:
                entry.offer(list(option.choices), option.value, option.choices)
            is_typing = entry.has_focus and isinstance(entry, Input)
            if value != self._values[option.name] and not is_typing:
                self.put(option.name, value)

    def put(self, name: str, value: Any) -> None:
        """Show another value of an option, without a message."""
        self._values[name] = value
        self.complain(name, None)
        entry: Any = self.rows[name].entry
        if entry.value != value:
            entry.value = value

    def complain(self, name: str, reason: str | None) -> None:
        self.rows[name].complain(reason)

    @property
    def is_wrong(self) -> bool:
        return any(row.complaint is not None for row in self.rows.values() if row.display)

    @on(Input.Changed)
    @on(ChoiceBar.Chosen)
    def _changed(self, event: Input.Changed | ChoiceBar.Chosen) -> None:
        event.stop()
        control = event.control
        name = next((one for one, row in self.rows.items() if row.entry is control), "")
        if not name or self.rows[name].value == self._values[name]:
            return
        self._values[name] = value = self.rows[name].value
        self.post_message(self.OptionChanged(self, name, value, isinstance(control, Input)))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.OptionEntered(self, self.here))

    def on_descendant_focus(self) -> None:
        focused = self.screen.focused
        name = next((one for one, row in self.rows.items() if row.target is focused), self.here)
        self.here = name
        self.post_message(self.OptionReached(self, name))

    def action_by(self, count: int) -> None:
        """Go to the field before, or to the next one, and not out of the form."""
        names = [name for name, row in self.rows.items() if row.display]
        at = names.index(self.here) - count if self.here in names else 0
        if 0 <= at < len(names):
            self.screen.set_focus(self.rows[names[at]].target)


def _entered(option: Option) -> Any:
    """Return the value of an option as its field holds it."""
    return option.value if option.kind in ("choice", "flag") else str(option.value)


def _row(option: Option) -> FieldRow:
    field = FormField(
        (option.name,),
        option.label,
        "",
        KINDS[option.kind],
        tuple(option.choices),
        default=option.value,
        words=option.choices,
        is_stepped=option.is_stepped,
    )
    values = {option.name: _entered(option)}
    return FieldRow((field,), values, (printable(option.hint),), None, LABEL_CELLS)
