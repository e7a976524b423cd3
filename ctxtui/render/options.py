"""Options as lines: what is turned stands between arrows, what is on or off has a box."""

from __future__ import annotations

from ctxtui.models.option import Option
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import BOXES
from ctxtui.symbols import visible

LABEL = 17
LONGEST = 60


def option_row(option: Option, width: int) -> Line:
    """Return an option: its name, what is chosen, and a few words behind that at the right."""
    kind = "bright" if option.is_on else "text"
    value = visible(option.value, LONGEST)
    row: Line
    if option.kind == "flag":
        box = Piece(f"{BOXES[option.is_on]} ", "key" if option.is_on else "faint")
        row = [Piece("   "), box, Piece(option.label, "text" if option.is_on else "muted")]
        row += [Piece(f" {value}", "faint")] if value else []
    else:
        arrows = option.kind == "turn"
        row = [
            Piece(f"   {option.label:<{LABEL}}"),
            Piece("‹ " if arrows else "  ", "faint"),
            Piece(value, kind),
            Piece(" ›" if arrows else "", "faint"),
        ]
    if option.about:
        room = width - sum(len(piece.text) for piece in row) - 1
        row.append(Piece(option.about.rjust(max(0, room)), "bright" if option.is_on else "faint"))
    return row
