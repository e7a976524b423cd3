"""The app's settings: what was chosen counts on every screen, and is remembered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from textual import on

from ctxtui.files.preferences import Preferences, load_preferences, save_preferences
from ctxtui.messages import OpenSettings, Preferred
from ctxtui.screens.settings import SettingsScreen
from ctxtui.telling_app import TellingApp
from ctxtui.theme import CHOICES, INK, PAPER, SIXTEEN
from ctxtui.widgets.framed import Framed

FEW_COLOURS = ("standard", "windows")
"""What Rich calls terminals that know sixteen colours."""


class PreferringApp(TellingApp):
    """An app that looks as its user has chosen; style sheets know of signs and density."""

    keeps_preferences: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        for theme in (INK, PAPER, SIXTEEN):
            self.register_theme(theme)
        self.theme = INK.name
        self.preferences = self.recall()
        if self.preferences.theme not in CHOICES:  # Who reads the file knows no colours.
            self.preferences = replace(self.preferences, theme=INK.name)
        if self.console.color_system in FEW_COLOURS:
            self.theme = SIXTEEN.name
        else:
            self.theme = self.preferences.theme
        self._classify()

    def recall(self) -> Preferences:
        """Return what was chosen last."""
        return load_preferences()

    def remember(self, preferences: Preferences) -> None:
        """Keep what was chosen for the next time."""
        save_preferences(preferences)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, for themes that don't know them."""
        return dict(INK.variables)

    def on_mount(self) -> None:
        """From now on remember which theme is chosen."""
        self.theme_changed_signal.subscribe(self, lambda theme: self._prefer(theme=theme.name))

    @on(OpenSettings)
    def _open_settings(self) -> None:
        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(
                SettingsScreen(self.preferences, CHOICES, are_kept=self.keeps_preferences)
            )

    @on(Preferred)
    def _preferred(self, event: Preferred) -> None:
        self._prefer(**{event.name: event.value})
        if event.name == "theme":
            self.theme = event.value
        elif event.name in ("is_ascii", "density"):
            self._draw_as_preferred()

    def _prefer(self, **chosen: Any) -> None:
        self.preferences = replace(self.preferences, **chosen)
        self.remember(self.preferences)

    def action_ascii(self) -> None:
        """Draw with plain ASCII signs, or with all of them again."""
        self._prefer(is_ascii=not self.preferences.is_ascii)
        self._draw_as_preferred()

    def _classify(self) -> None:
        self.set_class(self.preferences.is_ascii, "-ascii")
        self.set_class(self.preferences.density == "compact", "-compact")

    def _draw_as_preferred(self) -> None:
        """Draw with the signs and in the density that are preferred by now."""
        self._classify()
        self.refresh_css(animate=False)
        for widget in self.screen.walk_children():
            widget.notify_style_update()
            widget.refresh(layout=True)
            if isinstance(widget, Framed):
                widget.draw_frame()
