"""Numbers in a few cells: tokens, changes, shares."""

from __future__ import annotations

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
