"""What can be done while two batches are compared."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting
from ctxtui.commands.common import LISTS, TEXT

DIFF: tuple[Command, ...] = (
    Command("left_square_bracket", "step('left', -1)", "Earlier", "From the batch before", "time"),
    Command("right_square_bracket", "step('left', 1)", "Later", "From the batch after", "time"),
    Command("{", "step('right', -1)", "To earlier", "To the batch before", "time"),
    Command("}", "step('right', 1)", "To later", "To the batch after", "time"),
    Command("x", "swap", "Swap", "Let the two sides change places", "time"),
    Command("n", "difference(1)", "Next", "Go to the next difference", "look"),
    Command("N", "difference(-1)", "Previous", "Go to the difference before", "look"),
    Command("y", "copy", "Copy", "Copy a summary as text", "look"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("escape,q", "leave", "Back", "Go back to the inspector", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
)
"""Comparing two batches."""

_hint = Hinting(DIFF, LISTS, TEXT)

SIDES = (
    _hint("step('left', -1)", "from", keys="[ ]", when="batches", rank=2),
    _hint("step('right', -1)", "to", keys="{ }", when="batches", rank=4),
    _hint("swap", rank=4),
)
ALONG = (_hint("copy", "copy a summary", "copy", rank=5),)
REST = (
    _hint("leave", "back", rank=1),
    _hint("help", rank=ALWAYS),
)
FOOTERS: dict[str, Footer] = {
    "DiffScreen": (
        (
            _hint("difference(1)", "difference", "next", keys="n N", when="different", rank=1),
            _hint("open", "open the fold", "unfold", when="fold", rank=2),
            _hint("open", "go to it", "go", when="message", rank=2),
        ),
        SIDES,
        ALONG,
        REST,
    ),
    "#diff-message": (
        (
            _hint("scroll_down", "scroll", keys="j k", rank=2),
            _hint("difference(1)", "difference", "next", keys="n N", when="different", rank=3),
        ),
        SIDES,
        ALONG,
        REST,
    ),
}
