"""What can be done while strategies are compared, and while the settings of a sweep are."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import COST, PICTURE, SCREEN, SEEN

TURN = Command("tab,shift+tab", "turn", "Sweep", "Switch to the sweep, or back", "panes")
PRICES = Command("dollar_sign", "prices", "Prices", "Set what a million tokens cost", "look").hint(
    rank=6
)
REST: tuple[Command, ...] = (
    TURN,
    PRICES,
    Command(
        "asterisk", "must", "Must stay", "Set which labels must stay; empty is all", "look"
    ).hint(when="marked call", rank=7),
    *SCREEN,
    Command("escape,q", "leave", "Back", "Leave what-if; nothing was changed", "rest").hint(
        rank=ALWAYS
    ),
)
"""What is the same on both screens."""


BILL: tuple[Command, ...] = (
    Command("y", "copy", "Copy", "Copy the bill as text", "look").hint(when="bill", rank=1),
    PRICES,
    *SCREEN,
    Command("escape,q", "leave", "Back", "Go back to where the bill was opened", "rest").hint(
        rank=ALWAYS
    ),
)
"""Reading the bill of a run."""


WHAT_IF: tuple[Command, ...] = (
    Command("ctrl+s", "branch", "Apply", "Apply the strategy here, as a branch", "change").hint(
        when="branch", rank=1
    ),
    Command(
        "enter",
        "open",
        "Open",
        "Show what it changes now, or what a call sends as a session",
        "keep",
    )
    .hint("look", when="branch now", rank=1)
    .hint("open", when="walked", rank=2),
    Command("w", "now", "Now", "Go from now to the calls of the run, or back", "time")
    .hint("over the run", when="calls now", rank=2)
    .hint("now", when="call", rank=2),
    Command("left,h", "call(-1)", "Call before", "Go to the call before", "time"),
    Command(
        "right,l", "call(1)", "Next call", "Go to the next call; now follows the last", "time"
    ).hint("call", when="calls", rank=2, keys="← →"),
    Command("pageup", "call(-10)", "Ten back", "Go back ten calls", "time"),
    Command("pagedown", "call(10)", "Ten on", "Go on ten calls", "time"),
    Command("left_square_bracket", "acting(-1)", "Acted before", "Where it acted before", "time"),
    Command("right_square_bracket", "acting(1)", "Acts next", "Where it acts next", "time"),
    Command("g,home", "edge(0)", "First call", "Go to the first call", "time"),
    Command("G,end", "edge(1)", "Last call", "Go to the last call", "time"),
    Command("n", "failing(1)", "Next failing", "Go to the next call that fails", "time").hint(
        "next failing", when="failing", rank=2, keys="n N"
    ),
    Command("N", "failing(-1)", "Failing before", "Go to the failing call before", "time"),
    Command("j,down", "choose(1)", "Next strategy", "Choose the next strategy", "look").hint(
        "strategy", when="several", rank=4, keys="↑ ↓"
    ),
    Command("k,up", "choose(-1)", "Strategy before", "Choose the strategy before", "look"),
    *(
        Command(letter.lower(), f"letter('{letter}')", letter, f"Choose strategy {letter}", "look")
        for letter in "ABCDEF"
    ),
    Command("r", "letter('R')", "Recorded", "Choose what was really sent", "look"),
    Command("L", "why", "Lint", "Open a failing call in lint, which names the cause", "keep").hint(
        when="failing", rank=3
    ),
    Command(
        "ctrl+d,greater_than_sign", "scroll(1)", "Down", "Scroll the text about it down", "look"
    ),
    Command("ctrl+u,less_than_sign", "scroll(-1)", "Up", "Scroll it back", "look"),
    Command(
        "space", "turn_over", "The call", "Show the call or the plot, if not both", "look"
    ).hint("{face}", when="folded", rank=2),
    Command(
        "i", "add", "Insert", "Pick a recipe or policy to compare with the others", "look"
    ).hint(when="room"),
    Command(
        "delete,backspace", "take_out", "Remove", "Take the strategy out of the comparison", "look"
    ).hint(when="strategy", rank=7),
    COST,
    SEEN,
    Command("p", "play", "Play", "Play the recipe over the run, before every call", "look").hint(
        when="recipe calls", rank=7
    ),
    *REST,
)
"""Comparing strategies."""


SWEEP: tuple[Command, ...] = (
    Command("left,h", "move(-1)", "Setting before", "Go to the value before", "look"),
    Command("right,l", "move(1)", "Next setting", "Go to the next value", "look").hint(
        "setting", when="settings", rank=2, keys="← →"
    ),
    Command("j,down", "choose(1)", "Next policy", "The same value of the next policy", "look").hint(
        "policy", when="several", rank=4, keys="↑ ↓"
    ),
    Command("k,up", "choose(-1)", "Policy before", "The same value of the policy before", "look"),
    Command("g,home", "edge(0)", "First", "Go to the first value", "look"),
    Command("G,end", "edge(1)", "Last", "Go to the last value", "look"),
    Command(
        "n", "front(1)", "Next on the front", "Go to the next setting nothing beats", "look"
    ).hint("front", when="settled", rank=7, keys="n N"),
    Command("N", "front(-1)", "Front before", "Go to the one before that nothing beats", "look"),
    Command("K", "ship", "Offer", "Go to the setting that would be shipped", "look").hint(
        when="elsewhere", rank=4
    ),
    Command("comma", "range", "Range", "Sweep another name or other values", "look").hint(rank=3),
    Command("enter", "open", "Over the run", "Play this setting through the run", "look").hint(
        "over the run", when="known", rank=2
    ),
    Command("S", "save", "Save", "Save the policy with this setting as a file", "keep").hint(
        when="known", rank=2
    ),
    Command(
        "e", "check", "Export", "Write a check for CI that fails when it gets worse", "keep"
    ).hint(when="known", rank=3),
    Command("space", "turn_over", "Table", "Show the table or the plot, if not both", "look").hint(
        "{face}", when="folded", rank=2
    ),
    *REST,
)
"""Comparing the settings of a sweep."""


FOOTERS: dict[str, Footer] = {
    "BillScreen": footer(BILL, ("copy", PICTURE.hint(rank=2)), "prices", "leave help"),
    "WhatIfScreen": footer(
        WHAT_IF,
        "open branch now call(1) failing(1) choose(1)",
        "seen why turn_over",
        "add take_out play bill prices must",
        (TURN.hint("sweep", when="long", rank=3), "leave help"),
    ),
    "SweepScreen": footer(
        SWEEP,
        "move(1) choose(1) ship front(1)",
        "open save check turn_over",
        "range prices",
        (TURN.hint("strategies", rank=2), "leave help"),
    ),
}
