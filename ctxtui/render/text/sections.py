"""Sections: parts of a view with a head each, below or beside each other."""

from __future__ import annotations

from itertools import zip_longest

from rich.cells import cell_len

from ctxtui.render.text.lines import Line, Piece, fit_pieces

GUTTER = 3


def head(title: str, about: Line, width: int) -> Line:
    """Return the line above a section: its title, a rule, and what it is about."""
    size = sum(cell_len(piece.text) for piece in about)
    rule = width - len(title) - size - 2
    if rule < 1 or not size:
        rest = max(0, width - len(title) - 1)
        return fit_pieces([Piece(title, "bright"), Piece(" " + "─" * rest, "track")], width)
    return [Piece(title, "bright"), Piece(f" {'─' * rule} ", "track"), *about]


def cropped(lines: list[Line], width: int) -> list[Line]:
    """Return lines of which none is wider than told; the others stay as they are."""
    return [
        fit_pieces(line, width) if sum(cell_len(piece.text) for piece in line) > width else line
        for line in lines
    ]


def beside(left: list[Line], right: list[Line], width: int) -> list[Line]:
    """Return two lists of lines side by side, the left one as wide as told."""
    gap = Piece(" " * GUTTER)
    none: Line = []
    return [
        [*fit_pieces(one, width), gap, *other]
        for one, other in zip_longest(left, right, fillvalue=none)
    ]


def stacked_up(*sections: list[Line]) -> list[Line]:
    """Return sections below each other, with an empty line between them."""
    lines: list[Line] = []
    for section in sections:
        if section:
            lines += [[], *section] if lines else section
    return lines
