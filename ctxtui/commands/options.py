"""What can be done with a list of options, wherever there is one."""

from __future__ import annotations

from ctxtui.commands.command import Command

TURNS: tuple[Command, ...] = (
    Command("right,l,space", "turn(1)", "Next", "Take the next choice", "change"),
    Command("left,h", "turn(-1)", "Before", "Take the choice before", "change"),
)
