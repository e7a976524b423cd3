"""What can be done before many sessions are changed or written: look, leave out, then do it."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hint, Hinting
from ctxtui.commands.common import LISTS, TURNS
from ctxtui.library.review_keys import REVIEW

BULK: tuple[Command, ...] = (
    Command("ctrl+s,S", "apply", "Do it", "Do what was looked at", "change"),
    Command("tab", "app.focus_next", "Next part", "Go to the next part", "panes"),
    Command("shift+tab", "app.focus_previous", "Part before", "Go to the part before", "panes"),
    Command("escape,q", "leave", "Leave", "Leave; nothing is changed", "rest"),
    Command("question_mark,f1", "help", "Help", "Show all keys", "rest"),
    *TURNS,
)
"""Choosing what is done to many sessions; nothing is done before it is asked for."""
LEAVING_OUT: tuple[Command, ...] = (
    Command("space", "leave_out", "Leave out", "Leave it out, or take it in again", "change"),
)

_bulk_hint = Hinting(BULK, LEAVING_OUT, LISTS)


def _ends(word: str) -> tuple[Hint, ...]:
    return (
        _bulk_hint("app.focus_next", "next part", "next", rank=3),
        _bulk_hint("leave", word, "leave", rank=1),
        _bulk_hint("help", rank=ALWAYS),
    )


_DO = _bulk_hint("apply", "{do}", "do it", when="do", rank=ALWAYS, keys="ctrl+s")
BULK_FOOTERS: dict[str, Footer] = {
    "#options": (
        (_DO,),
        (
            _bulk_hint("move(1)", "option", "move", keys="j k", rank=4),
            _bulk_hint("open", "on or off", "turn", when="flag", rank=1),
            _bulk_hint("open", "type it", "type", when="typed", rank=1),
            _bulk_hint("open", "next choice", "next", when="turn", rank=1),
        ),
        _ends("leave"),
    ),
    "#hits": (
        (_DO,),
        (
            _bulk_hint("move(1)", "hit", "move", keys="j k", rank=3),
            _bulk_hint("leave_out", "leave it out, or in", "in or out", when="hit", rank=1),
        ),
        _ends("leave"),
    ),
    "#touched": (
        (_DO,),
        (
            _bulk_hint("move(1)", "session", "move", keys="j k", rank=3),
            _bulk_hint("open", "its hits", "hits", when="hit", rank=2),
            _bulk_hint("leave_out", "leave it out, or in", "in or out", when="hit", rank=1),
        ),
        _ends("leave"),
    ),
    "BulkScreen": ((_DO,), _ends("leave")),
}


# What can be done in the library.

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

_library_hint = Hinting(LIBRARY, LISTS)

LIBRARY_FOOTERS: dict[str, Footer] = {
    "LibraryScreen": (
        (
            _library_hint("open", "open", when="openable", rank=1),
            _library_hint("put_back", "put back", when="trash changeable", rank=1),
            _library_hint("judge('accepted')", "accept", "ok", when="session changeable", rank=2),
            _library_hint("judge('rejected')", "reject", "no", when="session changeable", rank=2),
            _library_hint(
                "judge('needs work')", "needs work", "work", when="session changeable", rank=3
            ),
        ),
        (
            _library_hint(
                "select", "select", "pick", when="session changeable", keys="space v", rank=5
            ),
            _library_hint("ask('tags')", "tag", when="session changeable", rank=4),
            _library_hint("ask('note')", "note", when="session changeable", rank=5),
            _library_hint("bulk('replace')", "replace", "swap", when="session changeable", rank=5),
            _library_hint("bulk('apply')", "apply", when="session changeable", rank=6),
            _library_hint("bulk('export')", "export", when="session writable", rank=5),
            _library_hint("delete", "delete", "del", when="session changeable", rank=6),
            _library_hint("ask('import')", "import", when="library writable", rank=4),
            _library_hint("new", "next found", "next", when="hits", keys="n N", rank=2),
            _library_hint("new", "new", when="library", rank=7),
            _library_hint("undo", "undo", when="undo", rank=1),
        ),
        (
            _library_hint("ask('search')", "search", "find", when="sessions", rank=4),
            _library_hint("ask('filter')", "filter", when="sessions", rank=4),
            _library_hint("sort", "sort", when="session library", rank=6),
            _library_hint("samples", "samples", when="session library", rank=8),
            _library_hint("watch", "watch", when="library", rank=8),
            _library_hint("lessons", "lessons", when="library", rank=8),
            _library_hint("back", "let go", when="selected", rank=1),
            _library_hint("back", "all sessions", "back", when="elsewhere", rank=1),
            _library_hint("back", "show all", "all", when="narrowed", rank=1),
            _library_hint("back", "{news} new", when="news", rank=1),
            _library_hint("back", "try again", "again", when="unreadable", rank=1),
        ),
        (
            _library_hint("settings", "settings", "set", rank=9),
            _library_hint("help", rank=ALWAYS),
            _library_hint("app.quit", rank=7),
        ),
    ),
}
