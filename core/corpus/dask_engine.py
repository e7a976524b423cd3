"""The engine that runs on dask: a cluster on this machine, or one that is there already.

It comes with the extra ``corpus``. Workers on other machines need the same version of this package,
and see the files and the folder of the run under the same names.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

from ..errors import Refused, format_value
from ..values.packages import optional_module
from .engines import AHEAD, MOST_ATTEMPTS, ROW_BYTES, Rows, rows_in

COLUMNS = ("high", "low", "number")
"""A row as three numbers of 8 bytes; the bucket is a further column."""
SECONDS = 30
"""How long a scheduler may take to answer, and how often is asked whether workers are left."""

J = TypeVar("J")
R = TypeVar("R")


def needed(module: str) -> Any:
    """Return a module that only this engine needs, or say how to get it."""
    refusal = {"field": "engine", "value": "dask", "legal": "local"}
    return optional_module(module, "the engine dask", "dask", "corpus", **refusal)


class DaskEngine:
    """Workers of a dask cluster; dask begins a job again whose worker has died."""

    name = "dask"

    def __init__(self, workers: int | None = None, scheduler: str | None = None) -> None:
        distributed = needed("distributed")
        self._distributed = distributed
        self._cluster: Any = None
        self._client: Any = None
        if scheduler is None:
            self.workers = workers or os.cpu_count() or 1
            try:
                self._start()
            except Exception as error:
                self._close_quietly()
                raise _not_started(self.workers, error) from None
            except BaseException:
                self._close_quietly()
                raise
        else:
            self._client = self._at(scheduler)
            self._wait_for_workers(scheduler)
            self.workers = len(self._client.scheduler_info(n_workers=-1)["workers"]) or 1

    def _start(self) -> None:
        """Start a cluster here; what goes wrong in a job is reported by the job, not by a log."""
        with _deaf_children():
            self._cluster = self._distributed.LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                # No dashboard; what answers in its place takes a free port, not that of another.
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
        self._client = self._distributed.Client(self._cluster)

    def _at(self, scheduler: str) -> Any:
        try:
            return self._distributed.Client(scheduler, timeout=SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            raise Refused(
                f"scheduler {format_value(scheduler)} does not answer: {error}",
                field="scheduler",
                value=scheduler,
                legal="the address of a dask scheduler, such as tcp://10.0.0.1:8786",
            ) from None

    def _wait_for_workers(self, scheduler: str) -> None:
        try:
            self._client.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError:
            self._client.close()
            raise Refused(
                f"scheduler {format_value(scheduler)} has had no worker for {SECONDS} seconds",
                field="scheduler",
                value=scheduler,
                legal="a scheduler with workers",
            ) from None

    def each(self, work: Callable[[J], R], jobs: Sequence[J]) -> Iterator[R]:
        """Yield the result of each job; only a few are handed out ahead."""
        waiting = iter(jobs)
        submit = self._client.submit
        running = {submit(work, job, pure=False) for job in islice(waiting, self.workers * AHEAD)}
        while running:
            done = self._completed(running)
            running -= done
            running |= {submit(work, job, pure=False) for job in islice(waiting, len(done))}
            yield from map(self._result, done)

    def _completed(self, running: set[Any]) -> set[Any]:
        wait = self._distributed.wait
        return set(self._asked(lambda: wait(running, SECONDS, "FIRST_COMPLETED")).done)

    def _asked(self, ask: Callable[[], R], has_failed: Callable[[], bool] = lambda: False) -> R:
        without = 0
        while True:
            try:
                return ask()
            except self._distributed.TimeoutError:
                if has_failed():
                    raise  # It is the job's own.
                without = 0 if self._client.nthreads() else without + 1
                if without >= MOST_ATTEMPTS:
                    raise _no_workers() from None

    def _result(self, future: Any) -> Any:
        try:
            return self._asked(lambda: future.result(SECONDS), lambda: future.status == "error")
        except self._distributed.scheduler.KilledWorker as killed:
            raise Refused(
                f"workers have died again and again over the same shard ({killed}); what is done "
                "is stored, and the same command continues",
                field="workers",
                legal="workers with more memory",
            ) from None
        except self._distributed.CancelledError:
            raise _no_workers() from None

    def shuffle(
        self,
        rows: Callable[[J], Iterable[bytes]],
        jobs: Sequence[J],
        judge: Callable[[Rows], R],
        buckets: int,
        scratch: Path,
    ) -> Iterator[R]:
        """Let dask shuffle the rows between its workers, which spill to their disks."""
        frames = needed("dask.dataframe")
        frame = frames.from_map(
            _frame, list(jobs), rows=rows, buckets=buckets, meta=_empty(), enforce_metadata=False
        )
        shuffled = frame.shuffle(on="bucket", npartitions=buckets)
        judged = [needed("dask").delayed(_judged)(part, judge) for part in shuffled.to_delayed()]
        running = set(self._client.compute(judged))
        while running:
            done = self._completed(running)
            running -= done
            yield from map(self._result, done)

    def worker_pids(self) -> list[int]:
        """Return the processes of the workers, each on its own machine."""
        return list(self._client.run(os.getpid).values())

    def _close_quietly(self) -> None:
        with suppress(Exception):
            self.close()

    def close(self) -> None:
        """Let the workers of our own cluster go; another one goes on.

        What they were doing may be cut off, which is nothing to complain about.
        """
        with _silenced("distributed"), _silenced("asyncio"):
            if self._client is not None:
                self._client.close()
            if self._cluster is not None:
                self._cluster.close()
            gc.collect()  # What was cut off complains when it is removed from memory.


@contextmanager
def _silenced(name: str) -> Iterator[None]:
    log = logging.getLogger(name)
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)


def _no_workers() -> Refused:
    return Refused(
        "the scheduler is gone, or its workers have died and none has started again; what is done "
        "is stored, and the same command continues",
        field="workers",
        legal="workers that start",
    )


def _not_started(workers: int, error: BaseException) -> Refused:
    """Return why workers could not be started, in one sentence: that of the first cause."""
    while error.__cause__ is not None:
        error = error.__cause__
    why = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    return Refused(
        f"dask can't start {workers} workers here: {why}; start fewer with --workers, or use "
        "--engine local",
        field="workers",
        value=workers,
        legal="as many processes as this machine can start",
    )


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Let no ctrl+c reach processes that are started here, or by threads that are.

    A terminal sends it to all of them, but it is for the one that closes the others in order. It
    is kept for later where it comes meanwhile.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # Else it would let ctrl+c through again.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _empty() -> Any:
    pandas, numpy = needed("pandas"), needed("numpy")
    columns = {name: numpy.zeros(0, dtype="uint64") for name in COLUMNS}
    return pandas.DataFrame({"bucket": numpy.zeros(0, dtype="int64"), **columns})


def _frame(job: J, rows: Callable[[J], Iterable[bytes]], buckets: int) -> Any:
    pandas, numpy = needed("pandas"), needed("numpy")
    content = bytearray()
    for row in rows(job):
        content += row
    numbers = numpy.frombuffer(content, dtype=">u8").reshape(-1, len(COLUMNS))
    bucket = (numbers[:, 0].astype("uint64") >> 32) % buckets  # As ``bucket_of`` has it.
    columns = {name: numbers[:, at].astype("uint64") for at, name in enumerate(COLUMNS)}
    return pandas.DataFrame({"bucket": bucket.astype("int64"), **columns})


def _judged(part: Any, judge: Callable[[Rows], R]) -> R:
    """Judge the rows of a part of the table; a key is never in two of them."""
    numbers = part[list(COLUMNS)].to_numpy(dtype=">u8")
    content = numbers.tobytes()
    assert len(content) % ROW_BYTES == 0
    return judge(sorted(rows_in(content)))
