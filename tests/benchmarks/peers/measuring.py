"""Measuring one way of one library: in its own process, asked from outside."""

from __future__ import annotations

import asyncio
import gc
import inspect
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from tests.benchmarks.logs import settled
from tests.benchmarks.peers.peer import CutWay, DiskWay, Work
from tests.benchmarks.peers.rows import Row, judged_rows
from tests.benchmarks.peers.tasks import LONGEST_CUT

LIMIT = 10
"""Seconds of the processor after which a run is given up."""
SHORT, MOST = 0.005, 1_000
"""What takes less is repeated until it takes so long, at most so often."""
CHANGES, WHILE = 200, 0.5
"""So many changes on disk, or those of so many seconds: files grow by whole pages."""


class TooLongError(Exception):
    """A run took longer than anybody wants to wait."""


@dataclass
class Timed:
    """A way that is ready, and runs as often as it is asked to."""

    work: Work
    loop: asyncio.AbstractEventLoop
    ran: bool = False

    def once(self, paused: bool) -> tuple[float, int]:
        """Return the processor time of one run, and how many messages came out."""
        if self.ran and self.work.renew is not None:
            self.work.renew()
        self.ran = True
        with settled(), limited(), collector(off=paused):
            return self.loop.run_until_complete(_timed(self.work))


async def _timed(work: Work) -> tuple[float, int]:
    """Return the time of one run, and how many messages came out; short runs are repeated."""
    spent, found = await _run(work)
    kept = work.count(found)
    times = min(MOST, int(SHORT / max(spent, 1e-9)))
    if times > 1 and work.renew is None:
        start = process_time()
        for _ in range(times):
            found = work.run()
            if inspect.isawaitable(found):
                await found
        spent = (process_time() - start) / times
    elif times > 1 and work.renew is not None:
        runs = []
        for _ in range(times):
            work.renew()
            runs.append((await _run(work))[0])
        spent = median(runs)
    return spent, kept


async def _run(work: Work) -> tuple[float, Any]:
    start = process_time()
    found = work.run()
    if inspect.isawaitable(found):
        found = await found
    return process_time() - start, found


def on_disk(
    way: DiskWay, rows: list[Row], loop: asyncio.AbstractEventLoop, near: Path
) -> tuple[float, int]:
    """Return the time of a change that is confirmed, and the bytes that the files grow by it.

    The size is taken while nothing is open, before the first and after the last change: what a
    database holds back in its log is in it then.
    """

    def done(found: Any) -> Any:
        return loop.run_until_complete(_awaited(found)) if inspect.isawaitable(found) else found

    with TemporaryDirectory(dir=near) as name:
        folder = Path(name)
        done(way.make(rows, folder))
        before = _size(folder)
        place = way.open(folder)
        done(place.change(0))  # Opens files and makes tables; it is not timed.
        times: list[float] = []
        with settled(), limited():
            while len(times) < CHANGES and sum(times) < WHILE:
                start = perf_counter()
                done(place.change(len(times) + 1))
                times.append(perf_counter() - start)
        done(place.close())
        return median(times), (_size(folder) - before) // (len(times) + 1)


def cuts(way: CutWay, loop: asyncio.AbstractEventLoop) -> list[list[Row]]:
    """Return what is left of the judged conversation after each cut."""

    async def all_of() -> list[list[Row]]:
        rows, left = judged_rows(), []
        for count in range(1, LONGEST_CUT + 1):
            found = way.cut(rows, count)
            left.append(list(await found if inspect.isawaitable(found) else found))
        return left

    return loop.run_until_complete(all_of())


@contextmanager
def limited(seconds: int = LIMIT) -> Iterator[None]:
    """Give up what takes too long.

    The clock wakes it, and then the processor's time counts: a timer for that would make what
    ``process_time`` gives coarse.
    """
    start = process_time()

    def give_up(*_: object) -> None:
        if process_time() - start >= seconds:
            raise TooLongError
        signal.alarm(1)

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def collector(*, off: bool) -> Iterator[None]:
    """Keep Python's garbage collector on, as it is by default, or switch it off."""
    switch: Callable[[], None] = gc.disable if off else gc.enable
    switch()
    try:
        yield
    finally:
        gc.enable()


async def _awaited(found: Any) -> Any:
    return await found


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
