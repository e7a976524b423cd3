"""Beginnings that two sequences have in common, found without looking at each item in Python."""

from __future__ import annotations

from collections.abc import Sequence


def common_start(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """Return how many items at the start of two lists (or tuples) are the same."""
    size = min(len(one), len(other))
    if one[:size] == other[:size]:
        return size
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low
