"""Times: whole milliseconds since 1970, as far as they can be shown as a date."""

from __future__ import annotations

from core.errors import not_a, outside

LATEST = 253_402_214_400_000
"""The last day of the year 9999 begins: from here on, some time zones have no date to show."""


def read_time(value: object, field: str) -> int:
    """Return a time in whole milliseconds, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise not_a(field, value, "a whole number of milliseconds")
    if not 0 <= value <= LATEST:
        raise outside(field, value, f"0…{LATEST}", why="milliseconds, up to the year 9999")
    return value
