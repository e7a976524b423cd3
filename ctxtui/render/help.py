"""The help: what can be done here, every key by what it is for, and what each sign means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from ctxtui.commands import GROUPS, Command, Keys
from ctxtui.render.legend import LEGEND
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.wrap import wrap

COLUMN_CELLS = 48
LEAD_CELLS = 12
MOST_COLUMNS = 3

Row = tuple[Piece, str]
"""A key or a sign, and what it means."""


def help_lines(commands: Sequence[Command], here: Keys, width: int) -> list[Line]:
    """Return the keys of where the help was opened, then all of them, then the legend."""
    now = [(Piece(key.keys, "key"), key.word) for group in here for key in group]
    keys: dict[str, list[Row]] = {title: [] for title in GROUPS.values()}
    for one in commands:
        keys[GROUPS[one.group]].append((Piece(one.shown_keys(), "key"), one.about))
    signs = {
        title: [(Piece(sign.sign, sign.kind), sign.meaning) for sign in members]
        for title, members in LEGEND.items()
    }
    return [
        *_section("Here and now", width),
        *_columns([("", part) for part in _parts(now, width)], width),
        *_section("All keys", width),
        *_columns([(title, rows) for title, rows in keys.items() if rows], width),
        *_section("Signs", width),
        *_columns(list(signs.items()), width),
    ]


def _section(title: str, width: int) -> list[Line]:
    rule = "─" * max(0, width - cell_len(title) - 4)
    return [[Piece("─ ", "track"), Piece(title, "strong"), Piece(f" {rule}", "track")]]


def _count(width: int) -> int:
    return max(1, min(MOST_COLUMNS, width // COLUMN_CELLS))


def _parts(rows: list[Row], width: int) -> Iterable[list[Row]]:
    """Return rows in as many parts as there are columns."""
    each = -(-len(rows) // _count(width))
    return [rows[at : at + each] for at in range(0, len(rows), each)] if rows else []


def _columns(blocks: Sequence[tuple[str, list[Row]]], width: int) -> list[Line]:
    """Return blocks side by side, each where there is most room; a line is left below them."""
    room = width // _count(width)
    columns: list[list[Line]] = [[] for _ in range(_count(width))]
    for title, rows in blocks:
        shortest = min(columns, key=len)
        block = [line for row in rows for line in _row(row, room - 2)]
        heading: list[Line] = [[Piece(title, "bright")]] if title else []
        shortest += [*([[]] if shortest else []), *heading, *block]
    height = max(map(len, columns), default=0)
    lines = [[piece for one in columns for piece in _cell(one, at, room)] for at in range(height)]
    return [*lines, []]


def _row(row: Row, width: int) -> list[Line]:
    """Return a key or a sign with what it means, wrapped where it is long."""
    lead, meaning = row
    cells = max(LEAD_CELLS, cell_len(lead.text) + 2)
    first = [lead, Piece(" " * (cells - cell_len(lead.text)))]
    top, *rest = wrap(meaning, max(8, width - cells))
    return [[*first, Piece(top)], *([Piece(" " * cells), Piece(text)] for text in rest)]


def _cell(column: list[Line], at: int, room: int) -> Line:
    line = column[at] if at < len(column) else []
    return [*fit_pieces(line, room - 2), Piece("  ")]
