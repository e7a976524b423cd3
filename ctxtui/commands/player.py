"""The player: going through the journal, record by record."""

from __future__ import annotations

from ctxtui.commands.command import Command

PLAYER: tuple[Command, ...] = (
    Command("space", "play", "Play", "Play the journal from here, or pause", "time"),
    Command("right", "record(1)", "Next record", "Show what the next record left", "time"),
    Command("left", "record(-1)", "Record before", "Show what the record before left", "time"),
    Command("less_than_sign", "speed(-1)", "Slower", "Play the journal slower", "time"),
    Command("greater_than_sign", "speed(1)", "Faster", "Play the journal faster", "time"),
    Command("n", "next_turn", "Turn back", "Go to the next ROLLBACK, CHECKOUT or UNDO", "time"),
    Command("y", "copy_record", "Copy record", "Copy the record as JSON", "look"),
)
"""Playing the journal; these keys work in its view."""
