"""What can be done on each side of what-if that plays policies through a run."""

from __future__ import annotations

from ctxtui.commands.command import Command

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
