"""What can be done while one recorded call is looked at."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting
from ctxtui.commands.common import TEXT
from ctxtui.inspector.keys import FOLLOWING

CALL: tuple[Command, ...] = (
    Command("left,h", "call(-1)", "Call before", "Go to the call before", "time"),
    Command("right,l", "call(1)", "Next call", "Go to the next call", "time"),
    Command("n", "broken(1)", "Next break", "Go to the next call that lost its cache", "time"),
    Command("N", "broken(-1)", "Break before", "Go to the call before that lost it", "time"),
    Command("colon", "go_to", "Go to", "Go to a call by its number", "time"),
    *FOLLOWING,
    Command("enter", "sent", "What was sent", "Look at what was sent, in the inspector", "look"),
    Command("equals_sign", "diff", "Diff", "Compare what was sent with the call before", "look"),
    Command("w", "what_if", "What-if", "Try recipes on what was sent", "look"),
    Command("L", "lint", "Lint", "See all that a provider would refuse of it", "look"),
    Command("y", "copy", "Copy", "Copy the body of the request", "look"),
    Command("tab", "app.focus_next", "Next pane", "Go to the next pane", "panes"),
    Command("shift+tab", "app.focus_previous", "Pane before", "Go to the pane before", "panes"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("escape,q", "leave", "Back", "Go back to the inspector", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
)
"""Looking at a call."""

_hint = Hinting(CALL, TEXT)

FOOTERS: dict[str, Footer] = {
    "CallScreen": (
        (
            _hint("call(1)", "call", keys="← →", when="several", rank=1),
            _hint("broken(1)", "next break", "break", keys="n N", when="several", rank=4),
            _hint("sent", "what was sent", "sent", rank=2),
            _hint("diff", "diff with {before}", "diff", when="before", rank=2),
        ),
        (
            _hint("what_if", "what-if", when="changing", rank=5),
            _hint("lint", "all findings", "lint", when="findings", rank=3),
            _hint("copy", "copy request", "copy", rank=4),
            _hint("scroll_down", "scroll", keys="j k", rank=6),
        ),
        (
            _hint("follow", "{news} new", when="following news", rank=1),
            _hint("follow", "follow", when="following", rank=3),
            _hint("leave", "back", rank=1),
            _hint("help", rank=ALWAYS),
        ),
    ),
}
