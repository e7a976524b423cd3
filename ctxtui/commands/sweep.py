"""What can be done while the settings of a sweep are compared."""

from __future__ import annotations

from ctxtui.commands.command import Command
from ctxtui.commands.hints import ALWAYS, Footer, Hinting
from ctxtui.commands.sides import REST, TURNS

SWEEP: tuple[Command, ...] = (
    Command("left,h", "move(-1)", "Setting before", "Go to the value before", "look"),
    Command("right,l", "move(1)", "Next setting", "Go to the next value", "look"),
    Command("j,down", "choose(1)", "Next policy", "The same value of the next policy", "look"),
    Command("k,up", "choose(-1)", "Policy before", "The same value of the policy before", "look"),
    Command("g,home", "edge(0)", "First", "Go to the first value", "look"),
    Command("G,end", "edge(1)", "Last", "Go to the last value", "look"),
    Command("n", "front(1)", "Next on the front", "Go to the next setting nothing beats", "look"),
    Command("N", "front(-1)", "Front before", "Go to the one before that nothing beats", "look"),
    Command("w", "ship", "To ship", "Go to the setting that would be shipped", "look"),
    Command("slash", "range", "Range", "Sweep another name or other values", "look"),
    Command("enter", "open", "Over the run", "Play this setting through the run", "look"),
    Command("S", "save", "Save", "Save the policy with this setting as a file", "keep"),
    Command("e", "check", "CI check", "Write a check for CI that fails when it gets worse", "keep"),
    Command("space", "turn_over", "Table", "Show the table or the plot, if not both", "look"),
    *TURNS,
    *REST,
)
"""Comparing the settings of a sweep."""

_hint = Hinting(SWEEP)

FOOTERS: dict[str, Footer] = {
    "SweepScreen": (
        (
            _hint("move(1)", "setting", keys="← →", when="settings", rank=2),
            _hint("choose(1)", "policy", keys="↑ ↓", when="several", rank=4),
            _hint("ship", "the one to ship", "to ship", when="elsewhere", rank=4),
            _hint("front(1)", "front", keys="n N", when="settled", rank=7),
        ),
        (
            _hint("open", "over the run", "play it", when="known", rank=2),
            _hint("save", "save policy", "save", when="known", rank=2),
            _hint("check", "as a CI check", "CI", when="known", rank=3),
            _hint("turn_over", "{face}", when="folded", rank=2),
        ),
        (
            _hint("range", "range", rank=3),
            _hint("prices", rank=6),
        ),
        (
            _hint("turn(1)", "now", rank=2),
            _hint("leave", "back", rank=1),
            _hint("help", rank=ALWAYS),
        ),
    ),
}
