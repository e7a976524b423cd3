"""The keys of the library, and of what is done to many sessions."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import (
    ASCII,
    CHOICES,
    DOWN,
    HELP,
    NOTICES,
    OPEN,
    OPTIONS,
    PALETTE,
    QUIT,
)

ACCEPT = Command("plus", "judge('accepted')", "Accept", "Accept it and go to the next", "keep")
REJECT = Command("minus", "judge('rejected')", "Reject", "Reject it and go to the next", "keep")
NEEDS_WORK = Command(
    "exclamation_mark",
    "judge('needs work')",
    "Needs work",
    "Mark it as needing work and go to the next",
    "keep",
)
REVIEW: tuple[Command, ...] = (
    ACCEPT,
    REJECT,
    NEEDS_WORK,
    Command(
        "less_than_sign",
        "other(-1)",
        "Conversation before",
        "Go to the conversation before",
        "keep",
    ),
    Command(
        "greater_than_sign", "other(1)", "Next conversation", "Go to the next conversation", "keep"
    ),
)
"""Going through sessions: a verdict leads on to the next one without; the inspector has it, too."""

BULK: tuple[Command, ...] = (
    Command("ctrl+s,S", "apply", "Apply", "Do what is shown", "change").hint(
        when="do", rank=ALWAYS
    ),
    Command(
        "percent_sign", "tab('replace')", "Replace", "Show the tab for replacing", "panes"
    ).hint("tabs", rank=4, keys="% a e ="),
    Command("a", "tab('apply')", "Apply", "Show the tab for recipes and policies", "panes"),
    Command("e", "tab('export')", "Export", "Show the tab for a data set", "panes"),
    Command(
        "equals_sign", "tab('duplicates')", "Duplicates", "Show the tab for duplicates", "panes"
    ),
    Command("tab", "app.focus_next", "Next part", "Go to the next part", "panes").hint(
        "next", rank=3
    ),
    Command("shift+tab", "app.focus_previous", "Part before", "Go to the part before", "panes"),
    Command("escape,q", "leave", "Back", "Leave; nothing is changed", "rest").hint(rank=ALWAYS),
    Command("question_mark,f1", "help", "Help", "Show all keys", "rest").hint(rank=1),
)
"""Many sessions at once: tabs, options, and doing it."""
LEAVING_OUT: tuple[Command, ...] = (
    Command("space", "leave_out", "Leave out", "Leave it out, or include it again", "change").hint(
        "leave out", when="hit", rank=1
    ),
)


# What can be done in the library.

LIBRARY: tuple[Command, ...] = (
    *REVIEW,
    Command("space", "select", "Select", "Select the session, or clear it", "look").hint(
        "select", when="session changeable", keys="space v"
    ),
    Command("v", "select_range", "Select range", "Start or end a range", "look"),
    Command("asterisk,ctrl+a", "select_all", "Select all", "Select all that are shown", "look"),
    Command("t", "ask('tags')", "Tag", "Add or remove tags", "keep").hint(
        "tag", when="session changeable", rank=4
    ),
    Command("semicolon", "ask('note')", "Note", "Write a note about the session", "keep").hint(
        when="session changeable"
    ),
    Command("r", "ask('rename')", "Rename", "Give the session another title", "keep"),
    Command("n", "new", "New", "Start a session; among what was found, go to the next", "keep")
    .hint("next found", when="hits", rank=2, keys="n N")
    .hint(when="library", rank=7),
    Command("N", "next_hit(-1)", "Found before", "Go to what was found before", "look"),
    Command("i", "ask('import')", "Import", "Make sessions of a file", "keep").hint(
        when="library writable", rank=4
    ),
    Command("D", "duplicate", "Duplicate", "Make sessions with the same history", "keep"),
    Command(
        "percent_sign", "bulk('replace')", "Replace", "Find and replace, after a dry run", "change"
    ).hint(when="session changeable"),
    Command(
        "a", "bulk('apply')", "Apply", "Apply a recipe or policy, after a dry run", "change"
    ).hint(when="session changeable", rank=6),
    Command("e", "bulk('export')", "Export", "Write a data set, after a dry run", "keep").hint(
        when="session writable"
    ),
    Command(
        "equals_sign",
        "bulk('duplicates')",
        "Duplicates",
        "Find duplicates and near duplicates",
        "look",
    ),
    Command("Q", "ask('squash')", "Squash", "New sessions of what is visible; purge", "keep"),
    Command("d", "delete", "Delete", "Put sessions into the trash", "keep").hint(
        when="session changeable", rank=6
    ),
    Command("u", "undo", "Undo", "Undo a verdict, tags, note, rename, copy or delete", "keep").hint(
        when="undo", rank=1
    ),
    Command("slash", "ask('search')", "Search", "Find text in titles and messages", "look").hint(
        when="sessions", rank=4
    ),
    Command("ampersand", "ask('filter')", "Filter", "Show only some sessions", "look").hint(
        when="sessions", rank=4
    ),
    Command("s", "sort", "Sort", "Sort by any column", "look").hint(when="session library", rank=6),
    Command("5", "view('library')", "Sessions", "Show the sessions", "look"),
    Command("escape", "back", "Back", "Clear selection and filter; show new sessions", "look")
    .hint("clear selection", when="selected", rank=ALWAYS)
    .hint("all sessions", when="elsewhere", rank=ALWAYS)
    .hint("show all", when="narrowed", rank=ALWAYS)
    .hint("{news} new", when="news", rank=1)
    .hint("try again", when="unreadable", rank=1),
    Command(
        "7,W", "view('watch')", "Watch", "Watch the sessions that others are writing", "look"
    ).hint(when="library", rank=8),
    Command(
        "8,l",
        "view('lessons')",
        "Lessons",
        "Learn how batches and rollback work, step by step",
        "look",
    ).hint(when="library", rank=8),
    Command("6", "view('samples')", "Samples", "Show the samples, to open one", "look").hint(
        when="session library", rank=8
    ),
    Command("9", "view('trash')", "Trash", "Show what was deleted", "look"),
    Command("p", "put_back", "Put back", "Restore it from the trash", "keep").hint(
        when="trash changeable", rank=1
    ),
    Command("comma", "settings", "Settings", "Theme, counter, limit, profile, folder", "rest").hint(
        rank=9
    ),
    HELP,
    NOTICES,
    ASCII,
    PALETTE,
    QUIT.hint(rank=1),
)
"""Keeping sessions: judging, describing, finding, importing and throwing away."""


_BULK = (*BULK, *LEAVING_OUT)
_BULK_WAYS = "tab('replace') app.focus_next leave help"
FOOTERS: dict[str, Footer] = {
    "#hits": footer(
        _BULK, "apply", (DOWN.hint("hit", rank=3, keys="j k"), "leave_out"), _BULK_WAYS
    ),
    "#touched": footer(
        _BULK,
        "apply",
        (
            DOWN.hint("session", rank=3, keys="j k"),
            OPEN.hint("hits", when="hit", rank=2),
            "leave_out",
        ),
        _BULK_WAYS,
    ),
    "BulkScreen": footer((*_BULK, *OPTIONS, *CHOICES), "apply", "by(-1) move(1)", _BULK_WAYS),
    "LibraryScreen": footer(
        LIBRARY,
        (
            OPEN.hint(when="openable", rank=1),
            "put_back",
            ACCEPT.hint(when="session changeable reviewing", rank=2),
            REJECT.hint(when="session changeable reviewing", rank=2),
            NEEDS_WORK.hint(when="session changeable reviewing", rank=3),
        ),
        "select ask('tags') ask('note') bulk('replace') bulk('apply') bulk('export') delete "
        "ask('import') new undo",
        "ask('search') ask('filter') sort view('samples') view('watch') view('lessons') back",
        "settings help app.quit",
    ),
}
