"""What can be done in the library."""

from __future__ import annotations

from ctxtui.commands.command import Command
from ctxtui.commands.hints import ALWAYS, Footer, Hinting
from ctxtui.commands.lists import LISTS
from ctxtui.commands.reviewing import REVIEW

LIBRARY: tuple[Command, ...] = (
    *REVIEW,
    Command("space", "select", "Select", "Select the session, or take it out again", "look"),
    Command("v", "select_range", "Select range", "Select from here to where v comes again", "look"),
    Command("asterisk,ctrl+a", "select_all", "Select all", "Select all that are shown", "look"),
    Command("t", "ask('tags')", "Tags", "Give tags, or take them away", "keep"),
    Command("semicolon", "ask('note')", "Note", "Write a note about the session", "keep"),
    Command("r", "ask('rename')", "Rename", "Give the session another title", "keep"),
    Command("n", "new", "New", "Start a session; among what was found, go to the next", "keep"),
    Command("N", "next_hit(-1)", "Found before", "Go to what was found before", "look"),
    Command("I", "ask('import')", "Import", "Make sessions of a file", "keep"),
    Command("D", "duplicate", "Duplicate", "Make sessions with the same history", "keep"),
    Command(
        "percent_sign", "bulk('replace')", "Replace", "Find and replace, after a dry run", "change"
    ),
    Command("a", "bulk('apply')", "Apply", "Apply a recipe or policy, after a dry run", "change"),
    Command("e", "bulk('export')", "Export", "Write a data set, after a dry run", "keep"),
    Command("equals_sign", "bulk('alike')", "Alike", "Find duplicates, and near ones", "look"),
    Command("Q", "ask('squash')", "Squash", "New sessions of what is visible; purge", "keep"),
    Command("d", "delete", "Delete", "Put sessions into the trash", "keep"),
    Command("u", "undo", "Undo", "Take back a verdict, tags, note, rename, copy or delete", "keep"),
    Command("slash", "ask('search')", "Search", "Find text in titles and messages", "look"),
    Command("ampersand", "ask('filter')", "Filter", "Show only some sessions", "look"),
    Command("s", "sort", "Sort", "Sort by any column", "look"),
    Command("escape", "back", "Back", "Let go, show all sessions, and new ones", "look"),
    Command("W", "watch", "Watch", "Watch the sessions that others are writing", "look"),
    Command("l", "lessons", "Lessons", "Learn how batches and rollback work, step by step", "look"),
    Command("x", "samples", "Samples", "Show the samples, to open one", "look"),
    Command("T", "trash", "Trash", "Show what was deleted", "look"),
    Command("p", "put_back", "Put back", "Take it out of the trash", "keep"),
    Command("comma", "settings", "Settings", "Theme, counter, limit, profile, folder", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)
"""Keeping sessions: judging, describing, finding, importing and throwing away."""

_hint = Hinting(LIBRARY, LISTS)

FOOTERS: dict[str, Footer] = {
    "LibraryScreen": (
        (
            _hint("open", "open", when="openable", rank=1),
            _hint("put_back", "put back", when="trash changeable", rank=1),
            _hint("judge('accepted')", "accept", "ok", when="session changeable", rank=2),
            _hint("judge('rejected')", "reject", "no", when="session changeable", rank=2),
            _hint("judge('needs work')", "needs work", "work", when="session changeable", rank=3),
        ),
        (
            _hint("select", "select", "pick", when="session changeable", keys="space v", rank=5),
            _hint("ask('tags')", "tag", when="session changeable", rank=4),
            _hint("ask('note')", "note", when="session changeable", rank=5),
            _hint("bulk('replace')", "replace", "swap", when="session changeable", rank=5),
            _hint("bulk('apply')", "apply", when="session changeable", rank=6),
            _hint("bulk('export')", "export", when="session writable", rank=5),
            _hint("delete", "delete", "del", when="session changeable", rank=6),
            _hint("ask('import')", "import", when="library writable", rank=4),
            _hint("new", "next found", "next", when="hits", keys="n N", rank=2),
            _hint("new", "new", when="library", rank=7),
            _hint("undo", "undo", when="undo", rank=1),
        ),
        (
            _hint("ask('search')", "search", "find", when="sessions", rank=4),
            _hint("ask('filter')", "filter", when="sessions", rank=4),
            _hint("sort", "sort", when="session library", rank=6),
            _hint("samples", "samples", when="session library", rank=8),
            _hint("watch", "watch", when="library", rank=8),
            _hint("lessons", "lessons", when="library", rank=8),
            _hint("back", "let go", when="selected", rank=1),
            _hint("back", "all sessions", "back", when="elsewhere", rank=1),
            _hint("back", "show all", "all", when="narrowed", rank=1),
            _hint("back", "{news} new", when="news", rank=1),
            _hint("back", "try again", "again", when="unreadable", rank=1),
        ),
        (
            _hint("settings", "settings", "set", rank=9),
            _hint("help", rank=ALWAYS),
            _hint("app.quit", rank=7),
        ),
    ),
}
