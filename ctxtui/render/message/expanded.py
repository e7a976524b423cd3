"""A message opened in its list: the first lines of what it says."""

from __future__ import annotations

from ctxtui.core import Message
from ctxtui.render.message.content import content_text
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

MOST_LINES = 12
INDENT_CELLS = 6


def expanded(message: Message, width: int) -> list[Line]:
    """Return the first lines of a message, and how much more there is."""
    room = max(8, width - INDENT_CELLS - 1)
    text = content_text(message)
    start = text[: MOST_LINES * room]
    rows = wrap(start, room)
    shown = [[Piece(" " * INDENT_CELLS), Piece(visible(row))] for row in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES or len(start) < len(text):
        more = f"… {len(text):,} characters, enter shows all"
        shown.append([Piece(" " * INDENT_CELLS), Piece(more, "faint")])
    return shown
