"""What can be done while sessions that others write are watched."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting
from ctxtui.commands.common import LISTS, TEXT

WATCH: tuple[Command, ...] = (
    Command("left_square_bracket,h", "step(-1)", "Step", "Look at the call before", "time"),
    Command("right_square_bracket,l", "step(1)", "Later", "Look at the call after", "time"),
    Command("f", "follow", "Follow", "Look at the newest call, and stay at the end", "time"),
    Command("enter", "whole_call", "Whole call", "Open the call that is explained", "look"),
    Command("r", "mend('rename')", "Rename", "Give the thread another name", "keep"),
    Command(
        "m", "mend('merge')", "Merge", "Merge the thread into another one, which you pick", "keep"
    ),
    Command(
        "s",
        "mend('split')",
        "Split",
        "Make a new thread of the selected call and later ones",
        "keep",
    ),
    Command("u", "mend('undo')", "Undo", "Take back a merge, a split or a rename", "keep"),
    Command("1", "pane('threads')", "Threads", "Go to the threads", "panes"),
    Command("2", "pane('sent')", "Sent", "Go to what the call sent", "panes"),
    Command("3", "pane('explained')", "Explained", "Go to what explains the call", "panes"),
    Command("4", "pane('batches')", "Timeline", "Go to the batches of the thread", "panes"),
    Command("5", "pane('calls')", "Calls", "Go to the calls of the thread", "panes"),
    Command("tab", "next_pane(1)", "Next pane", "Go to the next pane", "panes"),
    Command("shift+tab", "next_pane(-1)", "Pane before", "Go to the pane before", "panes"),
    Command("O", "library", "Library", "Show all sessions of the library", "look"),
    Command("escape", "back", "Back", "Leave the past, or show all sessions", "look"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)
"""Watching threads as they grow; enter opens one, at the call that is looked at."""

_hint = Hinting(WATCH, LISTS, TEXT)

_REST = (
    (
        _hint("mend('undo')", "undo", when="undo", rank=2),
        _hint("library", "library", rank=4),
        _hint("back", "to {newest}", "back", when="past", rank=2),
        _hint("back", "leave it", "back", when="merging", rank=2),
    ),
    (_hint("help", rank=ALWAYS), _hint("app.quit", rank=3)),
)
_TIME = (
    _hint("step(-1)", "step", keys="[ ]", when="calls", rank=3),
    _hint("follow", "follow", when="past", rank=1),
)

FOOTERS: dict[str, Footer] = {
    "#threads": (
        (
            _hint("move(1)", "thread", "move", keys="j k", when="several", rank=3),
            _hint("open", "merge into it", "merge", when="merging", rank=1),
            _hint("open", "show or hide them", "show", when="aside", rank=1),
            _hint("open", "the whole call", "call", when="past", rank=1),
            _hint("open", "open and follow it", "open", when="session", rank=1),
        ),
        _TIME,
        (
            _hint("mend('rename')", "rename", "name", when="ended", rank=4),
            _hint("mend('merge')", "merge", when="ended several", rank=4),
            _hint("mend('split')", "split here", "split", when="ended past", rank=4),
        ),
        *_REST,
    ),
    "WatchScreen": (
        (
            _hint("move(1)", "move", keys="j k", when="list", rank=3),
            _hint("open", "the whole call", "call", when="list calls", rank=1),
            _hint("whole_call", "the whole call", "call", when="text calls", rank=1),
        ),
        _TIME,
        (_hint("mend('split')", "split here", "split", when="ended past", rank=4),),
        *_REST,
    ),
}
