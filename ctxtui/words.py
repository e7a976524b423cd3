"""Words that depend on a number, for screens and commands alike."""

from __future__ import annotations


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun: 1 error, 1,200 errors; ``many`` where an s is not enough."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {many or one + 's'}"
