"""Times in whole milliseconds since 1970, the clock, and a pause of the garbage collector."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import out_of_range, wrong_type

LATEST = 253_402_214_400_000
"""The last day of the year 9999 begins: from here on, some time zones have no date to show."""


def read_time(value: object, field: str) -> int:
    """Return a time in whole milliseconds, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(field, value, "a whole number of milliseconds")
    if not 0 <= value <= LATEST:
        raise out_of_range(field, value, f"0…{LATEST}", why="milliseconds, up to the year 9999")
    return value


_FROZEN: ContextVar[int | None] = ContextVar("frozen_clock", default=None)


def milliseconds() -> int:
    """Return the time in whole milliseconds."""
    frozen = _FROZEN.get()
    return time.time_ns() // 1_000_000 if frozen is None else frozen


@contextmanager
def frozen_clock(moment: int = 0) -> Iterator[None]:
    """Freeze the clock, for deterministic output."""
    before = _FROZEN.set(moment)
    try:
        yield
    finally:
        _FROZEN.reset(before)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Keep the garbage collector away while much is made that will stay."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
