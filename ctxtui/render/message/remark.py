"""A note about a message, above what the message says."""

from __future__ import annotations

from ctxtui.render.text.lines import Line, Piece, on_row
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

LONGEST = 2_000
LEAST_CELLS, INDENT = 10, 6


def remark_lines(text: str, width: int) -> list[Line]:
    """Return a note in as many rows as it takes."""
    rows = wrap(visible(text, LONGEST), max(LEAST_CELLS, width - INDENT))
    lead = ["Note  ", *[" " * INDENT] * (len(rows) - 1)]
    lines: list[Line] = [
        [Piece(name, "muted"), Piece(row, "bright")] for name, row in zip(lead, rows, strict=True)
    ]
    return [on_row(line, "select", width) for line in lines]
