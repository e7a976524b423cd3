"""Bars and the gauge: amounts as lines."""

from __future__ import annotations

from collections.abc import Mapping

from ctxtui.core.values.models import ROLES
from ctxtui.render.text.lines import Line, Piece, joined

FULL = "━"
HALF = "╸"
SLIGHT = "╴"


def bar(part: int, whole: int, width: int) -> str:
    """Return a line whose length is a share; something is never shown as nothing."""
    if part <= 0 or whole <= 0 or width <= 0:
        return ""
    halves = min(2 * width, round(2 * width * part / whole))
    if not halves:
        return SLIGHT
    return FULL * (halves // 2) + HALF * (halves % 2)


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
