"""Numbers in a few cells: tokens, changes, shares."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

THOUSAND = 1_000
PRECISE = 100
"""From so many thousands, millions and so on there is no decimal."""
UNITS = "kMGTPE"
BEYOND = 10**21
"""From here on there is no unit."""
LONGEST = 5
"""Cells of the longest number of tokens: 99.9k."""


def tokens(count: int) -> str:
    """Return a number of tokens: 940, 2.4k, 214k, 1.1M."""
    if count < THOUSAND:
        return str(count)
    if count >= BEYOND:
        return ">999E"
    scaled = float(count)
    for unit in UNITS:
        scaled /= THOUSAND
        if round(scaled, 1) < PRECISE:
            return f"{scaled:.1f}{unit}"
        if round(scaled) < THOUSAND:
            return f"{scaled:.0f}{unit}"
    return f"{scaled:,.0f}{UNITS[-1]}"


def widest(most: int) -> int:
    """Return how many cells a number of tokens up to some one takes."""
    return len(str(most)) if most < THOUSAND else LONGEST


def change(count: int, sign: str) -> str:
    """Return a change: +3, −12, or a dot for none."""
    return f"{sign}{tokens(count)}" if count else "·"


def ago(then: int, now: int) -> str:
    """Return how long ago something was, both in milliseconds: 4 min, 3 h, 12 d."""
    minutes = max(0, now - then) // 60_000
    if minutes < 1:
        return "just now"
    for size, word in ((60, "min"), (24, "h"), (365, "d")):
        if minutes < size:
            return f"{minutes} {word}"
        minutes //= size
    return f"{minutes} y"


# Indices as text: those that follow each other as one run, such as ``0–4, 7``.


def run_text(first: int, last: int) -> str:
    """Return a run of indices: ``7``, or ``5–9``."""
    return str(first) if first == last else f"{first}–{last}"


def shown_indices(indices: Iterable[int]) -> str:
    """Return indices as short text, runs of them as ``5–9``."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ", ".join(run_text(first, last) for first, last in runs)


# Moments, as people here write them; a number that no calendar has is shown as it is.


def to_the_minute(stamp: int) -> str:
    """Return day and minute of a moment in milliseconds."""
    return _written(stamp, "%Y-%m-%d %H:%M")


def to_the_second(stamp: int) -> str:
    """Return day and second of a moment in milliseconds."""
    return _written(stamp, "%Y-%m-%d %H:%M:%S")


def time_of_day(stamp: int) -> str:
    """Return hour, minute and second of a moment in milliseconds."""
    return _written(stamp, "%H:%M:%S")


def _written(stamp: int, pattern: str) -> str:
    try:
        return datetime.fromtimestamp(stamp / 1000).strftime(pattern)
    except (OverflowError, OSError, ValueError):
        return f"{stamp} ms"
