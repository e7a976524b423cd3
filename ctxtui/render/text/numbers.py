"""Numbers in a few cells: tokens, changes, shares."""

from __future__ import annotations

THOUSAND = 1_000
LARGE = 100_000


def tokens(count: int) -> str:
    """Return a number of tokens: 940, 2.4k, 214k."""
    if count < THOUSAND:
        return str(count)
    if count < LARGE:
        return f"{count / THOUSAND:.1f}k"
    return f"{count / THOUSAND:,.0f}k"


def change(count: int, sign: str) -> str:
    """Return a change: +3, −12, or a dot for none."""
    return f"{sign}{tokens(count)}" if count else "·"


def percent(part: int, whole: int) -> str:
    """Return a share without decimals; what is not nothing is never 0 %."""
    if not whole or not part:
        return "0 %"
    share = round(100 * part / whole)
    return f"{share} %" if share else "<1 %"


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
