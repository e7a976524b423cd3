"""One field of a form: its name, something to enter its value with, and what is legal."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.widget import Widget
from textual.widgets import Input, Static

from core.values.roles import ROLES
from ctxtui.forms.fields import NONE, FormField
from ctxtui.render.message.preview import WORDS
from ctxtui.render.text.severity import ERROR
from ctxtui.symbols import visible
from ctxtui.widgets.inputs import SafeInput
from ctxtui.widgets.message_editor import MessageEditor
from ctxtui.widgets.pick_bar import PickBar

LOOKS = {
    "flag": "-picks",
    "choice": "-picks",
    "roles": "-picks",
    "message": "-writes",
    "messages": "-writes",
}
"""How a row is laid out, by what is entered in it."""


class FieldRow(VerticalGroup):
    """A field with its hint, which turns into a complaint when the value is wrong."""

    def __init__(self, field: FormField, value: Any, hint: str) -> None:
        super().__init__(id=f"row-{field.id}", classes=LOOKS.get(field.kind, ""))
        self.field = field
        self._hint = hint
        self.entry = _entry(field, value)

    def compose(self) -> ComposeResult:
        """Lay out name, entry and hint."""
        star = " *" if self.field.is_required else ""
        yield Static(f"{self.field.label}{star}", classes="label", markup=False)
        yield self.entry
        yield Static(self._hint, classes="hint", markup=False)

    def on_descendant_focus(self) -> None:
        """Show that the typing is done here."""
        self.add_class("-here")

    def on_descendant_blur(self) -> None:
        """Show that it is not any more."""
        self.remove_class("-here")

    @property
    def target(self) -> Widget:
        """Return where the typing is done."""
        return self.entry.area if isinstance(self.entry, MessageEditor) else self.entry

    @property
    def value(self) -> Any:
        """Return what was entered."""
        return self.entry.value  # type: ignore[attr-defined]

    @property
    def problem(self) -> str | None:
        """Return what is wrong before the engine is even asked."""
        return self.entry.problem if isinstance(self.entry, MessageEditor) else None

    @property
    def length(self) -> int:
        """Return how long the text is that was typed here."""
        if isinstance(self.entry, MessageEditor):
            return len(self.entry.text)
        return len(self.entry.value) if isinstance(self.entry, Input) else 0

    def complain(self, sentence: str | None) -> None:
        """Show what is wrong, or the hint again."""
        hint = self.query_one(".hint", Static) if not self._is_editor else self._last_hint
        self.set_class(sentence is not None, "-wrong")
        hint.update(self._hint if sentence is None else visible(ERROR.text(sentence), 300))

    @property
    def _is_editor(self) -> bool:
        return isinstance(self.entry, MessageEditor)

    @property
    def _last_hint(self) -> Static:
        return self.query(".hint").last(Static)


def _entry(field: FormField, value: Any) -> Widget:
    id = f"entry-{field.id}"
    match field.kind:
        case "flag":
            return PickBar((True, False), [bool(value)], id=id)
        case "choice":
            values = field.choices if field.default is not None else (NONE, *field.choices)
            return PickBar(values, [NONE if value is None else value], words=WORDS, id=id)
        case "roles":
            return PickBar(ROLES, value or (), is_many=True, words=WORDS, id=id)
        case "message" | "messages":
            return MessageEditor(value, is_one=field.kind == "message", id=id)
        case _:
            return SafeInput(str(value or ""), id=id, compact=True)
