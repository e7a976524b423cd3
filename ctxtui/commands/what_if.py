"""What can be done while recipes are compared."""

from __future__ import annotations

from ctxtui.commands.command import Command
from ctxtui.commands.hints import ALWAYS, Footer, Hinting
from ctxtui.commands.sides import TURNS

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

_hint = Hinting(WHAT_IF)

FOOTERS: dict[str, Footer] = {
    "WhatIfScreen": (
        (_hint("open_branch", "open as a branch", "branch", when="recipe", rank=1),),
        (
            _hint("choose(1)", "recipe", keys="← →", when="several", rank=2),
            _hint("add", "add", when="room", rank=3),
            _hint("take_out", "take out", "out", when="recipe", rank=4),
        ),
        (
            _hint("turn(1)", "over the run", rank=3),
            _hint("leave", "back", rank=1),
            _hint("help", rank=ALWAYS),
        ),
    ),
}
