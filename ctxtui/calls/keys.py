"""What can be done while one recorded call is shown."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import DOWN, OPEN, SCREEN, SCROLL, SEEN
from ctxtui.inspector.keys import FOLLOWING

CALL: tuple[Command, ...] = (
    Command("left,h", "call(-1)", "Call before", "Go to the call before", "time"),
    Command("right,l", "call(1)", "Next call", "Go to the next call", "time").hint(
        "call", when="several", rank=1, keys="← →"
    ),
    SEEN,
    Command("n", "finding(1)", "Next finding", "Go to the next call with a finding", "time").hint(
        "finding", when="several", rank=4, keys="n N"
    ),
    Command("N", "finding(-1)", "Finding before", "Go to the call before with one", "time"),
    Command("colon", "go_to", "Go to", "Go to a call by its number", "time"),
    *FOLLOWING,
    Command("enter", "sent", "What was sent", "Show what was sent, in the inspector", "look").hint(
        "what was sent", rank=2
    ),
    Command(
        "equals_sign", "diff", "Diff", "Compare what was sent with the call before", "look"
    ).hint(when="before", rank=2),
    Command("w", "what_if", "What-if", "Try strategies on what was sent", "look").hint(
        when="changing"
    ),
    Command("L", "lint", "Lint", "Show all its lint findings", "look").hint(
        when="findings", rank=3
    ),
    Command("y", "copy", "Copy", "Copy the body of the request", "look").hint(rank=4),
    Command("tab", "app.focus_next", "Next pane", "Go to the next pane", "panes"),
    Command("shift+tab", "app.focus_previous", "Pane before", "Go to the pane before", "panes"),
    Command("escape,q", "leave", "Back", "Go back to the inspector", "rest").hint(rank=ALWAYS),
    *SCREEN,
)
"""Looking at a call."""


FOOTERS: dict[str, Footer] = {
    "#call-findings": footer(
        CALL,
        (
            "call(1) finding(1) seen",
            DOWN.hint("move", rank=3, keys="j k"),
            OPEN.hint("open", rank=1),
        ),
        "follow leave help",
    ),
    "CallScreen": footer(
        CALL,
        "call(1) finding(1) seen sent diff",
        (
            "what_if lint copy",
            SCROLL.hint("scroll", rank=6, keys="j k"),
        ),
        "follow leave help",
    ),
}
