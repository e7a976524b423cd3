"""What can be done while sessions that others write are watched."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import COST, DOWN, OPEN, QUIT, SCREEN, SEEN

WATCH: tuple[Command, ...] = (
    Command("left_square_bracket,h", "step(-1)", "Step", "Show the call before", "time").hint(
        when="calls", rank=3, keys="[ ]"
    ),
    Command("right_square_bracket,l", "step(1)", "Later", "Show the call after", "time"),
    Command("f", "follow", "Follow", "Show the newest call, and each new one", "time").hint(
        when="past", rank=1
    ),
    Command("enter", "whole_call", "Whole call", "Open the call that is explained", "look").hint(
        "whole call", when="text calls", rank=1
    ),
    SEEN,
    COST,
    Command("r", "edit('rename')", "Rename", "Give the thread another name", "keep").hint(
        when="ended", rank=4
    ),
    Command(
        "m", "edit('merge')", "Merge", "Merge the thread into another one, which you pick", "keep"
    ).hint(when="ended several", rank=4),
    Command(
        "s",
        "edit('split')",
        "Split",
        "Make a new thread of the selected call and later ones",
        "keep",
    ).hint(when="ended past", rank=4),
    Command("u", "edit('undo')", "Undo", "Undo a merge, a split or a rename", "keep").hint(
        when="undo", rank=2
    ),
    Command("y", "copy", "Copy", "Copy the command that records an agent", "look").hint(
        when="waiting", rank=1
    ),
    Command("1", "pane('threads')", "Threads", "Go to the threads", "panes"),
    Command("2", "pane('sent')", "Sent", "Go to what the call sent", "panes"),
    Command("3", "pane('explained')", "Explained", "Go to what explains the call", "panes"),
    Command("4", "pane('watch-batches')", "Timeline", "Go to the batches of the thread", "panes"),
    Command("5", "pane('watch-calls')", "Calls", "Go to the calls of the thread", "panes"),
    Command("6", "pane('watch-findings')", "Findings", "Go to the findings", "panes"),
    Command("tab", "next_pane(1)", "Next pane", "Go to the next pane", "panes"),
    Command("shift+tab", "next_pane(-1)", "Pane before", "Go to the pane before", "panes"),
    Command("O", "library", "Library", "Show all sessions of the library", "look")
    .hint(when="past", rank=4)
    .hint(when="merging", rank=4),
    Command("escape", "back", "Back", "Go to the newest call, or show all sessions", "look")
    .hint("to {newest}", when="past", rank=ALWAYS)
    .hint("back", when="merging", rank=ALWAYS)
    .hint("library", rank=ALWAYS),
    *SCREEN,
    QUIT.hint(rank=1),
)
"""Watching threads as they grow; enter opens one, at the selected call."""


FOOTERS: dict[str, Footer] = {
    "#threads": footer(
        WATCH,
        (
            DOWN.hint("thread", when="several", rank=3, keys="j k"),
            OPEN.hint("merge", when="merging", rank=1)
            .hint("show or hide", when="aside", rank=1)
            .hint("whole call", when="past", rank=1)
            .hint("open", when="session", rank=1),
        ),
        "step(-1) follow seen bill",
        "edit('rename') edit('merge') edit('split')",
        "copy edit('undo') library back",
        "help app.quit",
    ),
    "WatchScreen": footer(
        WATCH,
        (
            DOWN.hint("move", when="list", rank=3, keys="j k"),
            OPEN.hint("whole call", when="list calls", rank=1),
            "whole_call",
        ),
        "step(-1) follow seen bill",
        "edit('split')",
        "edit('undo') library back",
        "help app.quit",
    ),
}
