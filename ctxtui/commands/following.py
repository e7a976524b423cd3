"""What can be done in a session that another program is writing."""

from __future__ import annotations

from ctxtui.commands.command import Command

FOLLOWING: tuple[Command, ...] = (
    Command("f", "follow", "Follow", "Go to the newest message, and stay at the end", "time"),
)
"""Keeping up with whoever writes; only there, FILTER has no key of its own."""
