"""What can be done while policies are compared over a run."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting

# What can be done on each side of what-if that plays policies through a run.

TURNS: tuple[Command, ...] = (
    Command("tab", "turn(1)", "Next side", "Go to the next side of what-if", "panes"),
    Command("shift+tab", "turn(-1)", "Side before", "Go to the side before", "panes"),
)
"""Turning to another side."""

REST: tuple[Command, ...] = (
    Command("dollar_sign", "prices", "Prices", "Say what a million tokens cost", "look"),
    Command("asterisk", "must", "Must stay", "Say which labels must stay; empty is all", "look"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("escape,q", "leave", "Back", "Leave what-if; nothing was changed", "rest"),
)
"""What is the same on both of them."""


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

_over_run_hint = Hinting(OVER_RUN)

OVER_RUN_FOOTERS: dict[str, Footer] = {
    "OverRunScreen": (
        (
            _over_run_hint("call(1)", "call", keys="← →", when="calls", rank=2),
            _over_run_hint(
                "failing(1)", "next that fails", "fails", keys="n N", when="failing", rank=2
            ),
            _over_run_hint("choose(1)", "policy", keys="↑ ↓", when="several", rank=4),
        ),
        (
            _over_run_hint("open", "open there", "open", when="calls walked", rank=2),
            _over_run_hint("why", "why", when="failing", rank=3),
            _over_run_hint("turn_over", "{face}", when="folded", rank=2),
        ),
        (
            _over_run_hint("add", "add", when="room", rank=5),
            _over_run_hint("take_out", "take out", "out", when="policy", rank=7),
            _over_run_hint("prices", rank=6),
            _over_run_hint("must", "must stay", "must", when="marked", rank=7),
        ),
        (
            _over_run_hint("turn(1)", "sweep", rank=2),
            _over_run_hint("leave", "back", rank=1),
            _over_run_hint("help", rank=ALWAYS),
        ),
    ),
}


# What can be done while the settings of a sweep are compared.

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

_sweep_hint = Hinting(SWEEP)

SWEEP_FOOTERS: dict[str, Footer] = {
    "SweepScreen": (
        (
            _sweep_hint("move(1)", "setting", keys="← →", when="settings", rank=2),
            _sweep_hint("choose(1)", "policy", keys="↑ ↓", when="several", rank=4),
            _sweep_hint("ship", "the one to ship", "to ship", when="elsewhere", rank=4),
            _sweep_hint("front(1)", "front", keys="n N", when="settled", rank=7),
        ),
        (
            _sweep_hint("open", "over the run", "play it", when="known", rank=2),
            _sweep_hint("save", "save policy", "save", when="known", rank=2),
            _sweep_hint("check", "as a CI check", "CI", when="known", rank=3),
            _sweep_hint("turn_over", "{face}", when="folded", rank=2),
        ),
        (
            _sweep_hint("range", "range", rank=3),
            _sweep_hint("prices", rank=6),
        ),
        (
            _sweep_hint("turn(1)", "now", rank=2),
            _sweep_hint("leave", "back", rank=1),
            _sweep_hint("help", rank=ALWAYS),
        ),
    ),
}


# What can be done while recipes are compared.

WHAT_IF: tuple[Command, ...] = (
    Command("enter", "open_branch", "Open as a branch", "Apply the recipe here", "change"),
    Command("left,h", "choose(-1)", "Before", "Go to the recipe before", "look"),
    Command("right,l", "choose(1)", "Next", "Go to the next recipe", "look"),
    Command("plus", "add", "Add", "Pick a recipe to compare with the others", "look"),
    Command("minus", "take_out", "Take out", "Take the recipe out of the comparison", "look"),
    *TURNS,
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("escape,q", "leave", "Back", "Return; nothing was changed", "rest"),
)
"""Comparing what recipes would do."""

_what_if_hint = Hinting(WHAT_IF)

WHAT_IF_FOOTERS: dict[str, Footer] = {
    "WhatIfScreen": (
        (_what_if_hint("open_branch", "open as a branch", "branch", when="recipe", rank=1),),
        (
            _what_if_hint("choose(1)", "recipe", keys="← →", when="several", rank=2),
            _what_if_hint("add", "add", when="room", rank=3),
            _what_if_hint("take_out", "take out", "out", when="recipe", rank=4),
        ),
        (
            _what_if_hint("turn(1)", "over the run", rank=3),
            _what_if_hint("leave", "back", rank=1),
            _what_if_hint("help", rank=ALWAYS),
        ),
    ),
}
