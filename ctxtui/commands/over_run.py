"""What can be done while policies are compared over a run."""

from __future__ import annotations

from ctxtui.commands.command import Command
from ctxtui.commands.hints import ALWAYS, Footer, Hinting
from ctxtui.commands.sides import REST, TURNS

OVER_RUN: tuple[Command, ...] = (
    Command("left,h", "call(-1)", "Call before", "Go to the call before", "time"),
    Command("right,l", "call(1)", "Next call", "Go to the next call", "time"),
    Command("pageup", "call(-10)", "Ten back", "Go back ten calls", "time"),
    Command("pagedown", "call(10)", "Ten on", "Go on ten calls", "time"),
    Command("left_square_bracket", "acting(-1)", "Acted before", "Where it acted before", "time"),
    Command("right_square_bracket", "acting(1)", "Acts next", "Where it acts next", "time"),
    Command("g,home", "edge(0)", "First call", "Go to the first call", "time"),
    Command("G,end", "edge(1)", "Last call", "Go to the last call", "time"),
    Command("n", "failing(1)", "Next failing", "Go to the next call that fails", "time"),
    Command("N", "failing(-1)", "Failing before", "Go to the failing call before", "time"),
    Command("j,down", "choose(1)", "Next policy", "Choose the next policy", "look"),
    Command("k,up", "choose(-1)", "Policy before", "Choose the policy before", "look"),
    *(
        Command(letter.lower(), f"letter('{letter}')", letter, f"Choose policy {letter}", "look")
        for letter in "ABCDEF"
    ),
    Command("r", "letter('R')", "Recorded", "Choose what was really sent", "look"),
    Command("enter", "open", "Open", "Open what the call sends, as a session", "keep"),
    Command("L", "why", "Why", "Open it where lint and blame tell why it fails", "keep"),
    Command("ctrl+d,greater_than_sign", "scroll(1)", "Down", "Scroll what is said of it", "look"),
    Command("ctrl+u,less_than_sign", "scroll(-1)", "Up", "Scroll it back", "look"),
    Command("space", "turn_over", "The call", "Show the call or the plot, if not both", "look"),
    Command("plus", "add", "Add", "Pick a policy to compare with the others", "look"),
    Command("minus", "take_out", "Take out", "Take the policy out of the comparison", "look"),
    *TURNS,
    *REST,
)
"""Comparing policies over a run."""

_hint = Hinting(OVER_RUN)

FOOTERS: dict[str, Footer] = {
    "OverRunScreen": (
        (
            _hint("call(1)", "call", keys="← →", when="calls", rank=2),
            _hint("failing(1)", "next ✖ or ★", "fails", keys="n N", when="failing", rank=2),
            _hint("choose(1)", "policy", keys="↑ ↓", when="several", rank=4),
        ),
        (
            _hint("open", "open there", "open", when="calls walked", rank=2),
            _hint("why", "why", when="failing", rank=3),
            _hint("turn_over", "{face}", when="folded", rank=2),
        ),
        (
            _hint("add", "add", when="room", rank=5),
            _hint("take_out", "take out", "out", when="policy", rank=7),
            _hint("prices", rank=6),
            _hint("must", "must stay", "must", when="marked", rank=7),
        ),
        (
            _hint("turn(1)", "sweep", rank=2),
            _hint("leave", "back", rank=1),
            _hint("help", rank=ALWAYS),
        ),
    ),
}
