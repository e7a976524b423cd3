"""The machine: what figures depend on, and nothing that tells whose it is."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from time import perf_counter

GIB = 1 << 30
PIECE, TIMES = b"x" * 4096, 15


def described() -> list[str]:
    """Return system, cores, memory and Python."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    return [
        f"{platform.system()} on {platform.machine()}",
        f"{os.cpu_count()} cores",
        f"{memory:.0f} GiB of memory",
        f"Python {platform.python_version()}",
    ]


def sync_time(near: Path) -> float:
    """Return how long the disk takes to keep 4 KiB more."""
    times = []
    with TemporaryFile(dir=near) as file:
        for _ in range(TIMES):
            start = perf_counter()
            file.write(PIECE)
            file.flush()
            os.fsync(file.fileno())
            times.append(perf_counter() - start)
    return median(times)
