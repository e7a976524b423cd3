"""Columns of a list: which of them there is room for, and where each cell of a line goes."""

from __future__ import annotations

from collections.abc import Mapping

EDGE = 1
"""Cells that lists keep free before the border or the scroll bar."""


def kept(columns: Mapping[str, int], room: int) -> frozenset[str]:
    """Return the names of the columns that fit; the ones that are named first go first."""
    left = dict(columns)
    while left and sum(left.values()) > room:
        del left[next(iter(left))]
    return frozenset(left)


def digits(count: int, least: int = 3) -> int:
    """Return how many cells the indices of so many things take."""
    return max(least, len(str(max(0, count - 1))))
