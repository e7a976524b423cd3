"""What can be done with the settings of the app."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting
from ctxtui.commands.common import LISTS, TURNS

SETTINGS: tuple[Command, ...] = (
    *TURNS,
    Command("backspace", "reset", "Usual", "Take what it is without a choice", "change"),
    Command("escape,q,comma", "dismiss", "Close", "Close the settings", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
)
"""Changing the settings of the app; each change counts at once and is kept."""

_hint = Hinting(SETTINGS, LISTS)

FOOTERS: dict[str, Footer] = {
    "SettingsScreen": (
        (
            _hint("move(1)", "setting", "move", keys="j k", rank=3),
            _hint("open", "next choice", "next", when="choice", rank=1),
            _hint("open", "type it", "type", when="typed", rank=1),
            _hint("turn(1)", "choice", keys="← →", when="choice", rank=2),
            _hint("reset", "the usual", "usual", when="changed", rank=4),
        ),
        (_hint("dismiss", "close", rank=ALWAYS), _hint("help", rank=ALWAYS)),
    ),
}
