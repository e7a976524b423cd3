"""A place that a search found: the session, its message, and the words around what was sought."""

from __future__ import annotations

from ctxtui.core.curation.catalog import Hit
from ctxtui.core.curation.digest import Row
from ctxtui.render.library.signs import status_sign
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.symbols import visible

LEAST_TITLE, MOST_TITLE = 14, 32
RAW_CELLS, INDENT, MOST_NAME = 8, 4, 24
LONGEST = 300
"""Characters around what was sought that are looked at."""


def _title_cells(width: int) -> int:
    return max(LEAST_TITLE, min(MOST_TITLE, width // 3))


def found_head(width: int) -> Line:
    """Return the names of the columns."""
    return [Piece(f"    {'session':<{_title_cells(width)}}{'raw':>{RAW_CELLS - 2}}  ", "faint")]


def _place(hit: Hit) -> str:
    """Return where in its session something is; the name of a field stands before its text."""
    if hit.field is not None:
        return "field"
    return "title" if hit.raw is None else str(hit.raw)


def found_row(hit: Hit, row: Row | None, is_first: bool, width: int) -> Line:
    """Return one place; its session is named where it is the first of it in sight."""
    sign = status_sign("new" if row is None else row.entry.status)
    title = "" if row is None else visible(row.entry.title, 200)
    cells = _title_cells(width)
    lead: Line = [
        Piece(f"  {sign.glyph} " if is_first else " " * INDENT, sign.kind),
        Piece(fit(title, cells) if is_first else " " * cells, "text"),
        Piece(f"{_place(hit):>{RAW_CELLS - 2}}  ", "faint"),
    ]
    room = max(0, width - INDENT - cells - RAW_CELLS)
    name = "" if hit.field is None else f"{visible(hit.field, MOST_NAME)}: "
    around: Line = [
        Piece(name, "faint"),
        Piece(visible(hit.before[-LONGEST:]), "muted"),
        Piece(visible(hit.match, LONGEST), "hit"),
        Piece(visible(hit.after, LONGEST), "muted"),
    ]
    return fit_pieces([*lead, *fit_pieces(around, room)], width)
