"""What can be done while sessions that others write are watched."""

from __future__ import annotations

from ctxtui.commands.command import Command
from ctxtui.commands.hints import ALWAYS, Footer, Hinting
from ctxtui.commands.lists import LISTS

WATCH: tuple[Command, ...] = (
    Command("O,escape", "library", "Library", "Show all sessions of the library", "look"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)
"""Watching sessions as they grow; enter opens one."""

_hint = Hinting(WATCH, LISTS)

FOOTERS: dict[str, Footer] = {
    "WatchScreen": (
        (
            _hint("move(1)", "session", "move", keys="j k", when="several", rank=3),
            _hint("open", "open and follow it", "follow", when="session", rank=1),
        ),
        (_hint("library", "library", rank=2),),
        (_hint("help", rank=ALWAYS), _hint("app.quit", rank=3)),
    ),
}
