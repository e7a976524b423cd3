"""Words for whatever room there is: the longest way of saying something that fits."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len

from ctxtui.render.text.lines import Line, Piece, fit_pieces


def size_of(line: Line) -> int:
    """Return how many cells a line takes."""
    return sum(cell_len(piece.text) for piece in line)


def spread(left: Line, right: Line, width: int) -> Line:
    """Return two ends of a line with space between them."""
    gap = max(0, width - size_of(left) - size_of(right))
    return fit_pieces([*left, Piece(" " * gap), *right], width)


def longest(ways: Iterable[tuple[Line, Line]], width: int) -> Line:
    """Return the first way to say something, in two ends, that fits; they get shorter and shorter.

    Only the last one is ever cut.
    """
    left: Line = []
    right: Line = []
    for left, right in ways:
        if size_of(left) + bool(right) + size_of(right) <= width:
            break
    return spread(left, right, width)
