"""What can be done in the library."""

from __future__ import annotations

from ctxtui.commands.command import Command
from ctxtui.commands.hints import ALWAYS, Footer, Hinting
from ctxtui.commands.lists import LISTS

LIBRARY: tuple[Command, ...] = (
    Command("n", "new", "New", "Start a session without messages", "keep"),
    Command("I", "ask('import')", "Import", "Make a session of a file", "keep"),
    Command("D", "duplicate", "Duplicate", "Make a session with the same history", "keep"),
    Command("r", "ask('rename')", "Rename", "Give the session another title", "keep"),
    Command("t", "ask('tags')", "Tags", "Give the session tags", "keep"),
    Command("plus", "status('accepted')", "Accept", "Mark the session as accepted", "keep"),
    Command("minus", "status('rejected')", "Reject", "Mark the session as rejected", "keep"),
    Command(
        "exclamation_mark", "status('needs work')", "Needs work", "Mark it as needing work", "keep"
    ),
    Command("d", "delete", "Delete", "Put the session into the trash", "keep"),
    Command("u", "undo", "Undo", "Take back a verdict, rename, tags or delete", "keep"),
    Command("ampersand", "ask('filter')", "Filter", "Show only some sessions", "look"),
    Command("escape", "back", "Back", "Show all sessions again, newest first", "look"),
    Command("W", "watch", "Watch", "Watch the sessions that others are writing", "look"),
    Command("l", "lessons", "Lessons", "Learn how batches and rollback work, step by step", "look"),
    Command("comma", "settings", "Settings", "Theme, counter, limit, profile, folder", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)
"""Keeping sessions: opening, importing, judging and throwing away."""

_hint = Hinting(LIBRARY, LISTS)

FOOTERS: dict[str, Footer] = {
    "LibraryScreen": (
        (_hint("open", "open", when="openable", rank=1),),
        (
            _hint("new", "new", rank=3),
            _hint("ask('import')", "import", rank=2),
            _hint("ask('rename')", "rename", "name", when="session", rank=4),
            _hint("ask('tags')", "tags", "tag", when="session", rank=5),
            _hint("status('accepted')", "accept", "ok", when="session", rank=4),
            _hint("status('rejected')", "reject", "no", when="session", rank=4),
            _hint("delete", "delete", "del", when="session", rank=5),
            _hint("undo", "undo", when="undo", rank=2),
        ),
        (
            _hint("ask('filter')", "filter", when="sessions", rank=4),
            _hint("watch", "watch", rank=5),
            _hint("lessons", "lessons", "learn", rank=5),
            _hint("back", "show all", "all", when="narrowed", rank=1),
            _hint("back", "try again", "again", when="unreadable", rank=1),
        ),
        (
            _hint("settings", "settings", "set", rank=6),
            _hint("help", rank=ALWAYS),
            _hint("app.quit", rank=3),
        ),
    ),
}
