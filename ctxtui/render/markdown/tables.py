"""Tables in Markdown: read without losing a cell, fitted to the width or told row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.rules_block import StateBlock, table

from ctxtui.render.markdown.flow import cells, flow, line_cells
from ctxtui.render.text.lines import Line, Piece, fit

GAP = 2
NARROW = 6
"""A column that needs more than this many cells gets at least so many, or there is no table."""
LABEL = 16
_PIPE = re.compile(r"(?<!\\)\|")

Cells = list[Line]


def read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table as a block rule of the parser, with all cells of rows longer than the head.

    The parser's own rule drops those, and fills short rows up with any number of empty cells.
    """
    if not table(state, start, end, True):
        return False
    if silent:
        return True
    opening = state.push("grid_open", "table", 1)
    opening.meta["aligns"] = [_align(cell) for cell in _split(_text(state, start + 1))]
    _push_row(state, start)
    parent, state.parentType = state.parentType, "table"
    at = start + 2
    while at < end and not _ends(state, at, end):
        _push_row(state, at)
        at += 1
    state.parentType = parent
    opening.map = [start, at]
    state.push("grid_close", "table", -1)
    state.line = at
    return True


def _ends(state: StateBlock, line: int, end: int) -> bool:
    if state.sCount[line] < state.blkIndent or state.isEmpty(line) or state.is_code_block(line):
        return True
    rules = state.md.block.ruler.getRules("blockquote")
    return any(rule(state, line, end, True) for rule in rules)


def _push_row(state: StateBlock, line: int) -> None:
    state.push("row_open", "tr", 1).map = [line, line + 1]
    for text in _split(_text(state, line)):
        cell = state.push("inline", "", 0)
        cell.content, cell.children, cell.map = text, [], [line, line + 1]
    state.push("row_close", "tr", -1)


def _text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()


def _split(row: str) -> list[str]:
    """Return the cells of a row; the pipes around it are not between cells."""
    found = _PIPE.split(row)
    if not found[0]:
        del found[0]
    if found and not found[-1]:
        del found[-1]
    return [cell.strip().replace("\\|", "|") for cell in found]


def _align(cell: str) -> str:
    if cell.endswith(":"):
        return "center" if cell.startswith(":") else "right"
    return "left"


def table_lines(rows: Sequence[Cells], aligns: Sequence[str], width: int) -> list[Line]:
    """Return a table whose first row is its head; cells wrap where the width asks for it."""
    columns = max(map(len, rows))
    sizes = [max(line_cells(row[i]) for row in rows if i < len(row)) for i in range(columns)]
    shares = _shares(sizes, width - GAP * (columns - 1))
    if any(share < min(size, NARROW) for share, size in zip(shares, sizes, strict=True)):
        return list(_told(rows, width))
    aligns = [*aligns, *["left"] * columns]
    head, *body = [list(_row(row, shares, aligns)) for row in rows]
    rule = (" " * GAP).join("─" * share for share in shares)
    return [*head, [Piece(rule, "track")], *(line for row in body for line in row)]


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Return how wide each column may be: the small ones as they are, the others alike."""
    shares = [0] * len(sizes)
    for done, i in enumerate(sorted(range(len(sizes)), key=lambda i: sizes[i])):
        shares[i] = max(0, min(sizes[i], room // (len(sizes) - done)))
        room -= shares[i]
    return shares


def _row(row: Cells, shares: Sequence[int], aligns: Sequence[str]) -> Iterator[Line]:
    """Yield the lines of a row as high as its highest cell."""
    wrapped = [flow(cell, max(1, share)) for cell, share in zip(row, shares, strict=False)]
    for y in range(max(map(len, wrapped), default=0)):
        line: Line = []
        start = used = 0
        for i, lines in enumerate(wrapped):
            if y < len(lines) and lines[y]:
                free = shares[i] - line_cells(lines[y])
                at = start + {"left": 0, "center": free // 2, "right": free}[aligns[i]]
                line += [Piece(" " * (at - used)), *lines[y]] if at > used else lines[y]
                used = at + shares[i] - free
            start += shares[i] + GAP
        yield line


def _told(rows: Sequence[Cells], width: int) -> Iterator[Line]:
    """Yield a table that is too wide: its head, then each row with its labels, line by line."""
    head, *body = rows
    yield from flow([piece for cell in head for piece in (*cell, Piece("  "))][:-1], width)
    labels = ["".join(piece.text for piece in cell) for cell in head]
    for row in body:
        yield []
        for i, cell in enumerate(row):
            label = labels[i] if i < len(labels) else ""
            label = label if cells(label) <= LABEL else fit(label, LABEL)
            yield from flow([Piece(f"{label}: " if label else "", "muted"), *cell], width)
