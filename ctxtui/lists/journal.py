"""The journal: every accepted change in order."""

from __future__ import annotations

from ctxtui.lists.source import NumberedSource
from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.times import time_of_day
from ctxtui.symbols import visible


class JournalSource(NumberedSource):
    """A line for every record; its key is its place."""

    def __init__(self, look: Look) -> None:
        self.records = look.conversation.journal

    def __len__(self) -> int:
        """Return how many changes there were."""
        return len(self.records)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return [Piece("   no.  time      operation", "faint")]

    def line(self, at: int, width: int) -> Line:
        """Return one change."""
        record = self.records[at]
        first = record.operations[0]
        name = f"LIST of {len(record.operations)}" if record.listed else first.title
        rest = first.sentence().removeprefix(first.title) if not record.listed else ""
        if record.listed:
            rest = "  " + ", ".join(operation.title for operation in record.operations)
        return [
            Piece(f"{at:>6}  ", "muted"),
            Piece(f"{time_of_day(record.time)}  ", "faint"),
            Piece(name, "bright"),
            Piece(visible(rest, 300)),
        ]
