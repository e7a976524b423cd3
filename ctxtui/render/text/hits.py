"""Lights up what was searched for."""

from __future__ import annotations

from ctxtui.core.engine.text_search import Finder
from ctxtui.render.text.lines import Line, Piece

LONGEST_CHARACTERS = 2_000
"""Characters of a piece that are looked through; more are never in sight."""


def lit(line: Line, finder: Finder | None) -> Line:
    """Return a line with every match as a piece of its own kind."""
    if finder is None:
        return line
    made: Line = []
    for piece in line:
        made += _parts(piece, finder.spans(piece.text[:LONGEST_CHARACTERS]))
    return made


def _parts(piece: Piece, spans: list[tuple[int, int]]) -> Line:
    if not spans:
        return [piece]
    parts, end = [], 0
    for start, stop in spans:
        parts += [Piece(piece.text[end:start], piece.kind), Piece(piece.text[start:stop], "hit")]
        end = stop
    return [part for part in (*parts, Piece(piece.text[end:], piece.kind)) if part.text]
