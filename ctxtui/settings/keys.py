"""What can be done with the settings of the app."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import CHOICES, HELP, OPTIONS

SETTINGS: tuple[Command, ...] = (
    *OPTIONS,
    Command("backspace", "reset", "Default", "Reset to default", "change").hint(
        when="changed", rank=4
    ),
    Command("escape,q,comma", "dismiss_settings", "Back", "Close the settings", "rest").hint(
        rank=ALWAYS
    ),
    HELP,
)
"""Changing the settings of the app; each change counts at once and is kept."""


FOOTERS: dict[str, Footer] = {
    "SettingsScreen": footer(
        (*SETTINGS, *CHOICES), "by(-1) move(1) reset", "dismiss_settings help"
    ),
}
