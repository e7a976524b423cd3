"""Bytes that something holds, counted as they are allocated."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

from tests.benchmarks.logs import settled


def bytes_held(make: Callable[[], object]) -> int:
    """Return the bytes that are still held when something has been made."""
    with settled():
        tracemalloc.start()
        made = make()
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        del made
    return held
