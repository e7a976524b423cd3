"""Words that flow: one behind the other, in as many lines as it takes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.wrap import wrap

GAP = "  "


def flow(words: Sequence[Line], width: int) -> list[Line]:
    """Return words with gaps between them, in as many lines as it takes; long ones are wrapped."""
    lines: list[Line] = [[]]
    used = 0
    for word in words:
        size = sum(cell_len(piece.text) for piece in word)
        if used and used + len(GAP) + size > width:
            lines.append([])
            used = 0
        if used:
            lines[-1].append(Piece(GAP))
            used += len(GAP)
        for text, kind in word:
            rows = wrap(text, max(10, width - used)) if size > width else [text]
            lines[-1].append(Piece(rows[0], kind))
            lines += [[Piece(row, kind)] for row in rows[1:]]
            used = cell_len(rows[-1]) + (used if len(rows) == 1 else 0)
    return lines
