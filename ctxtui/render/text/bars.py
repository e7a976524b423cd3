"""Bars, the gauge and the ribbon: amounts as lines, the log as one line of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

from core.history.log import LogReader
from core.values.roles import ROLES
from core.views.view import View
from ctxtui.render.text.lines import Line, Piece

FULL = "━"
HALF = "╸"
SLIGHT = "╴"
SENT = "▆"
HIDDEN = "▁"
ABSENT = "·"
CURSOR = "┃"
HEIGHTS = "▃▄▅▆"
BLOCKS = "▁▂▃▄▅▆▇█"


def bar(part: int, whole: int, width: int) -> str:
    """Return a line whose length is a share; something is never shown as nothing."""
    if part <= 0 or whole <= 0 or width <= 0:
        return ""
    halves = min(2 * width, round(2 * width * part / whole))
    if not halves:
        return SLIGHT
    return FULL * (halves // 2) + HALF * (halves % 2)


def sparkline(values: Sequence[int]) -> str:
    """Return numbers as blocks of their height; nothing is the lowest one."""
    peak = max(values, default=0)
    last = len(BLOCKS) - 1
    return "".join(BLOCKS[value * last // peak if peak else 0] for value in values)


def gauge(by_role: Mapping[str, int], limit: int | None, tick: int | None, width: int) -> Line:
    """Return the tokens of each role on a track up to the limit, with a tick at the threshold."""
    total = sum(by_role.values())
    whole = max(limit or 0, total)
    if not whole:
        return [Piece("─" * width, "track")]
    cells: list[Piece] = []
    seen = 0
    for role in ROLES:
        start, seen = round(width * seen / whole), seen + by_role[role]
        cells += [Piece(FULL, role)] * (round(width * seen / whole) - start)
    cells += [Piece("─", "track")] * (width - len(cells))
    if tick is not None and tick < whole:
        cells[min(width - 1, round(width * tick / whole))] = Piece("┼", "muted")
    return joined(cells)


def ribbon(log: LogReader, view: View, size: int, width: int, full: int = 0) -> Line:
    """Return the raw log as cells: one for each message or bucket, tall where it is sent.

    ``size`` is how long the log was, ``full`` how long it is now: the rest is not there yet.
    """
    whole = max(size, full)
    shown = bytearray(whole)
    for start, length in view.runs():
        shown[start : start + length] = b"\1" * length
    count = min(max(0, width), whole)
    cells = []
    for i in range(count):
        lo, hi = whole * i // count, whole * (i + 1) // count
        if lo >= size:
            cells.append(Piece(ABSENT, "faint"))
        else:
            cells.append(_cell(log, shown, lo, min(hi, size)))
    return cells


def with_cursor(cells: Line, cursor: int | None, whole: int) -> Line:
    """Return a ribbon with the place of a message on it."""
    if cursor is None or not cells or not 0 <= cursor < whole:
        return joined(cells)
    at = (cursor * len(cells) + len(cells) - 1) // whole
    at = min(len(cells) - 1, at if whole * at // len(cells) <= cursor else at - 1)
    return joined([*cells[:at], Piece(CURSOR, "key"), *cells[at + 1 :]])


def _cell(log: LogReader, shown: bytearray, lo: int, hi: int) -> Piece:
    sent = shown.count(1, lo, hi)
    if not sent:
        return Piece(HIDDEN, "faint")
    codes = log.roles(lo, hi)
    if hi - lo > 1:
        masked = bytes(compress(codes, shown[lo:hi]))
        role = max(range(len(ROLES)), key=masked.count)
        height = HEIGHTS[min(len(HEIGHTS) - 1, sent * len(HEIGHTS) // (hi - lo))]
        return Piece(height, ROLES[role])
    return Piece(SENT, ROLES[codes[0]])


def joined(cells: Line) -> Line:
    """Return cells with neighbours of one kind put together."""
    made: Line = []
    for text, kind in cells:
        if made and made[-1].kind == kind:
            made[-1] = Piece(made[-1].text + text, kind)
        else:
            made.append(Piece(text, kind))
    return made
