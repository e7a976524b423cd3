"""What can be done with the settings of the app."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import DOWN, HELP, OPEN, TURN, TURNS

SETTINGS: tuple[Command, ...] = (
    *TURNS,
    Command("backspace", "reset", "Default", "Reset to default", "change").hint(
        "default", when="changed", rank=4
    ),
    Command("escape,q,comma", "dismiss", "Back", "Close the settings", "rest").hint(rank=ALWAYS),
    HELP,
)
"""Changing the settings of the app; each change counts at once and is kept."""


FOOTERS: dict[str, Footer] = {
    "SettingsScreen": footer(
        SETTINGS,
        (
            DOWN.hint("setting", rank=3, keys="j k"),
            OPEN.hint("next choice", when="choice", rank=1).hint("type", when="typed", rank=1),
            TURN.hint("choice", when="choice", rank=2, keys="← →"),
            "reset",
        ),
        "dismiss help",
    ),
}
