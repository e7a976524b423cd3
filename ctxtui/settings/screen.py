"""The settings of the app: how it looks, what new sessions start with, where things are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from ctxtui.commands.command import Conditions, bindings
from ctxtui.core.values.numbers import read_integer
from ctxtui.files.preferences import Preferences, read_preference
from ctxtui.files.reading import read_path
from ctxtui.forms.options import OptionForm
from ctxtui.messages import Preferred
from ctxtui.settings.drawing import preference_lines, settings_head
from ctxtui.settings.keys import SETTINGS
from ctxtui.settings.models import (
    Preference,
    kept_at,
    library_notes,
    option_of,
    preferences_of,
    shown_value,
)
from ctxtui.text.options import Option
from ctxtui.text.toast import sentence_of
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.panes import LineBox, TextPane


class SettingsScreen(BaseScreen[None]):
    """Lists the settings; what is changed counts at once, and the app keeps it."""

    AUTO_FOCUS = ""
    CSS_PATH = ["settings.tcss", "../forms/form.tcss"]  # noqa: RUF012 - Textual's own
    HELP_COMMANDS = SETTINGS
    BINDINGS: ClassVar[list[BindingType]] = bindings(SETTINGS)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(
        self, preferences: Preferences, themes: Mapping[str, str], *, are_kept: bool = True
    ) -> None:
        super().__init__()
        self._are_kept = are_kept
        self.preferences = preferences
        self._rows = preferences_of(themes)
        self._typed: tuple[str, str] | None = None
        """A setting that is being typed, which counts when its field is left."""

    def compose(self) -> ComposeResult:
        yield LineBox(id="settings-head")
        with Horizontal():
            form = OptionForm(self._options, id="settings")
            form.border_title = "Settings"
            yield form
            yield TextPane(id="setting")
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#settings-head", LineBox).show(partial(settings_head, self._are_kept))
        self.query_one("#setting").can_focus = False
        self.set_focus(self.form.target)
        self._show_setting()

    @property
    def _options(self) -> list[Option]:
        return [option_of(row, self.preferences) for row in self._rows]

    @property
    def form(self) -> OptionForm:
        return self.query_one("#settings", OptionForm)

    @property
    def row(self) -> Preference:
        return next(row for row in self._rows if row.name == self.form.here)

    def _show_setting(self) -> None:
        row, pane = self.row, self.query_one("#setting", TextPane)
        chosen = getattr(self.preferences, row.name)
        choices = []
        for value, about in row.choices() if row.choices is not None else ():
            name = shown_value(row, replace(self.preferences, **{row.name: value}))
            choices.append((name, about, value == chosen))
        notes = library_notes() if row.name == "library" and self._are_kept else []
        place = kept_at() if self._are_kept else None
        pane.border_title = row.label
        pane.show(partial(preference_lines, row.about, choices, notes, place))
        self.refresh_bindings()

    def key_conditions(self) -> Conditions:
        usual = getattr(Preferences(), self.row.name)
        return {"changed": getattr(self.preferences, self.row.name) != usual}

    @on(OptionForm.OptionChanged)
    def _changed(self, event: OptionForm.OptionChanged) -> None:
        if event.is_typed:
            self._typed = (event.name, event.value)
        else:
            self._choose(event.name, event.value)

    @on(OptionForm.OptionEntered)
    def _entered(self) -> None:
        if self._take_typed():
            self.form.action_by(-1)

    @on(OptionForm.OptionReached)
    def _moved(self) -> None:
        self._take_typed()
        self._show_setting()

    def _take_typed(self) -> bool:
        """Read what was typed; return whether it could be taken, else it stays to be corrected."""
        typed, self._typed = self._typed, None
        if typed is None:
            return True
        name, text = typed
        value: Any = text.strip()
        try:
            if name == "limit":
                value = read_integer(value.replace(",", "").replace("_", "") or "0", "limit")
            elif name == "library" and value:
                value = str(read_path(value))
            value = read_preference(name, value)
        except Exception as problem:
            self.form.complain(name, sentence_of(problem, "read it"))
            return False
        self.form.complain(name, None)
        self._choose(name, value)
        return True

    def action_dismiss_settings(self) -> None:
        self._take_typed()
        self.dismiss()

    def action_reset(self) -> None:
        self._choose(self.row.name, getattr(Preferences(), self.row.name))

    def _choose(self, name: str, value: Any) -> None:
        if value != getattr(self.preferences, name):
            self.preferences = replace(self.preferences, **{name: value})
            self.post_message(Preferred(name, value))
        self.form.show(self._options)
        self._show_setting()
