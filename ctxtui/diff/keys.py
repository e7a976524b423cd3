"""What can be done while two batches are compared."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import OPEN, SCREEN, SCROLL, SEEN

DIFF: tuple[Command, ...] = (
    Command(
        "left_square_bracket", "step('left', -1)", "Earlier", "From the batch before", "time"
    ).hint("from", when="batches", rank=2, keys="[ ]"),
    Command("right_square_bracket", "step('left', 1)", "Later", "From the batch after", "time"),
    Command("{", "step('right', -1)", "To earlier", "To the batch before", "time").hint(
        "to", when="batches", rank=4, keys="{ }"
    ),
    Command("}", "step('right', 1)", "To later", "To the batch after", "time"),
    Command("tilde", "swap", "Swap", "Let the two sides change places", "time").hint(rank=4),
    Command("n", "difference(1)", "Next", "Go to the next difference", "look").hint(
        "difference", when="different", rank=1, keys="n N"
    ),
    Command("N", "difference(-1)", "Previous", "Go to the difference before", "look"),
    SEEN,
    Command("y", "copy", "Copy", "Copy a summary as text", "look").hint(),
    Command("escape,q", "leave", "Back", "Go back to the inspector", "rest").hint(rank=ALWAYS),
    *SCREEN,
)
"""Comparing two batches."""


FOOTERS: dict[str, Footer] = {
    "DiffScreen": footer(
        DIFF,
        (
            "difference(1)",
            OPEN.hint("unfold", when="fold", rank=2).hint("go to it", when="message", rank=2),
        ),
        "step('left',-1) step('right',-1) swap",
        "seen copy",
        "leave help",
    ),
    "#diff-message": footer(
        DIFF,
        (
            SCROLL.hint("scroll", rank=2, keys="j k"),
            "difference(1)",
        ),
        "step('left',-1) step('right',-1) swap",
        "seen copy",
        "leave help",
    ),
}
