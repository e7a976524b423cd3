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

from ctxtui.commands.command import Conditions
from ctxtui.commands.common import LISTS, TURNS
from ctxtui.core.values.numbers import read_integer
from ctxtui.files.preferences import Preferences, read_preference
from ctxtui.files.reading import read_path
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
from ctxtui.text.options import OptionSource
from ctxtui.widgets.base_screen import BaseScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList, OptionList
from ctxtui.widgets.panes import LineBox, TextPane
from ctxtui.widgets.prompt import Prompt


class SettingsScreen(BaseScreen[None]):
    """Lists the settings; what is changed counts at once, and the app keeps it."""

    AUTO_FOCUS = "#settings"
    CSS_PATH = "settings.tcss"
    HELP_COMMANDS = (*SETTINGS, *LISTS)
    BINDINGS: ClassVar[list[BindingType]] = [
        command.binding() for command in SETTINGS if command not in TURNS
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own

    def __init__(
        self, preferences: Preferences, themes: Mapping[str, str], *, are_kept: bool = True
    ) -> None:
        super().__init__()
        self._are_kept = are_kept
        self.preferences = preferences
        self._rows = preferences_of(themes)

    def compose(self) -> ComposeResult:
        yield LineBox(id="settings-head")
        with Horizontal():
            yield OptionList(id="settings")
            yield TextPane(id="setting")
        yield Prompt()
        yield KeyFooter()

    def on_mount(self) -> None:
        self.query_one("#settings-head", LineBox).show(partial(settings_head, self._are_kept))
        self._show()

    def _show(self) -> None:
        listed = self.query_one("#settings", LineList)
        listed.border_title = "Settings"
        listed.show(OptionSource([option_of(row, self.preferences) for row in self._rows]))
        self._show_setting()

    @property
    def row(self) -> Preference:
        return self._rows[self.query_one("#settings", LineList).cursor]

    @on(LineList.Moved, "#settings")
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
        return {
            "choice": self.row.choices is not None,
            "typed": self.row.choices is None,
            "changed": getattr(self.preferences, self.row.name) != usual,
        }

    @on(LineList.Opened, "#settings")
    def _opened(self) -> None:
        row = self.row
        if row.choices is not None:
            self._turn(1)
            return
        value = getattr(self.preferences, row.name)
        self.query_one(Prompt).ask(
            row.label,
            row.hint,
            partial(self._take, row),
            verb="keep it",
            value=str(value or ""),
            takes_nothing=True,
        )

    def _take(self, row: Preference, text: str) -> None:
        """Take what was typed, or refuse it while it can still be mended."""
        value: Any = text.strip()
        if row.name == "limit":
            value = read_integer(value.replace(",", "").replace("_", "") or "0", "limit")
        elif row.name == "library" and value:
            value = str(read_path(value))
        self._choose(row, read_preference(row.name, value))

    @on(OptionList.Turned)
    def _turned(self, event: OptionList.Turned) -> None:
        self._turn(event.by)

    def _turn(self, by: int) -> None:
        row = self.row
        if row.choices is not None:
            self._choose(row, row.next_value(getattr(self.preferences, row.name), by))

    def action_reset(self) -> None:
        self._choose(self.row, getattr(Preferences(), self.row.name))

    def _choose(self, row: Preference, value: Any) -> None:
        if value != getattr(self.preferences, row.name):
            self.preferences = replace(self.preferences, **{row.name: value})
            self.post_message(Preferred(row.name, value))
            self._show()
