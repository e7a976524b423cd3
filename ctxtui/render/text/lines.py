"""Lines: pieces of text with a kind each, which a widget turns into colours."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len, set_cell_size


class Piece(NamedTuple):
    """A stretch of text of one kind; kinds are the component classes of the list widget."""

    text: str
    kind: str = "text"


Line = list[Piece]

ON = "-on-"


def on_paper(kind: str, paper: str) -> str:
    """Return a kind that brings a background of its own: the name of a tint."""
    return f"{kind}{ON}{paper}"


def line_width(line: Line) -> int:
    """Return how many cells a line takes."""
    return sum(cell_len(piece.text) for piece in line)


def fit(text: str, width: int) -> str:
    """Return a text in exactly so many cells, with an ellipsis where it was cut."""
    if width <= 0:
        return ""
    # Most text is plain: then characters are cells and nothing needs to be measured.
    if text.isascii():
        return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"
    if len(text) <= width and cell_len(text) <= width:
        return set_cell_size(text, width)
    # More characters than cells can't be seen: measuring a million of them would cost a frame.
    cut = text[:width]
    return set_cell_size(cut, width - 1) + "…"


def fit_pieces(pieces: Line, width: int) -> Line:
    """Return pieces in exactly so many cells; where they don't fit the rest is an ellipsis."""
    used = 0
    for i, piece in enumerate(pieces):
        room = width - used
        size = cell_len(piece.text) if len(piece.text) <= room else room + 1
        more = any(later.text for later in pieces[i + 1 :])
        if size > room or (size == room and more):
            return [*pieces[:i], Piece(fit(piece.text + " ", room), piece.kind)]
        used += size
    return [*pieces, Piece(" " * (width - used))]


def on_row(line: Line, paper: str, width: int) -> Line:
    """Return a line in exactly so many cells, all of them on one paper."""
    return [Piece(text, on_paper(kind, paper)) for text, kind in fit_pieces(line, width)]


def joined(cells: Line) -> Line:
    """Return cells with neighbours of one kind put together."""
    made: Line = []
    for text, kind in cells:
        if made and made[-1].kind == kind:
            made[-1] = Piece(made[-1].text + text, kind)
        else:
            made.append(Piece(text, kind))
    return made
