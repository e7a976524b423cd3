"""Moments, as people here write them; a number that no calendar has is shown as it is."""

from __future__ import annotations

from datetime import datetime


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
