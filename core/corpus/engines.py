"""Rows that are brought together by their key: 16 bytes of a key, and 8 of a record's number."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from ..curation.duplicates import KEY_BYTES
from ..errors import Refused
from .records import NUMBER_BYTES

ROW_BYTES = KEY_BYTES + NUMBER_BYTES
BUCKET_BYTES = 16 << 20
"""About how many bytes of rows are in memory at once; as Python's objects they take three times
as much."""

Rows = list[bytes]


def row_of(key: bytes, number: int) -> bytes:
    """Return a row; sorted as bytes, rows are in order of their keys, then of their numbers."""
    return key + number.to_bytes(NUMBER_BYTES, "big")


def rows_in(content: bytes) -> Iterator[bytes]:
    """Yield the rows of some bytes."""
    for start in range(0, len(content), ROW_BYTES):
        yield content[start : start + ROW_BYTES]


def key_of(row: bytes) -> bytes:
    """Return the key of a row."""
    return row[:KEY_BYTES]


def number_of(row: bytes) -> int:
    """Return the number of the record that a row is about."""
    return int.from_bytes(row[KEY_BYTES:], "big")


def bucket_of(row: bytes, buckets: int) -> int:
    """Return the bucket of a row: the same for all rows of a key."""
    return int.from_bytes(row[:4], "big") % buckets


def buckets_for(rows: int) -> int:
    """Return into how many buckets so many rows are brought."""
    return max(1, -(-rows * ROW_BYTES // BUCKET_BYTES))


MOST_ATTEMPTS = 3
"""How often a shard is begun again whose worker has died."""
AHEAD = 2
"""Shards that are handed out for each worker."""

ROWS_AT_ONCE = 100_000
"""Rows of a shuffle that a worker has in memory before it writes them."""

J = TypeVar("J")
R = TypeVar("R")


class Engine(Protocol):
    """Runs functions on workers; both must be importable there."""

    name: str
    workers: int

    def each(self, work: Callable[[J], R], jobs: Sequence[J]) -> Iterator[R]:
        """Yield the result of each job as soon as it is there, in any order."""

    def shuffle(
        self,
        rows: Callable[[J], Iterable[bytes]],
        jobs: Sequence[J],
        judge: Callable[[Rows], R],
        buckets: int,
        scratch: Path,
    ) -> Iterator[R]:
        """Bring rows with the same key together, and yield what is judged of each bucket.

        A row begins with its key; a bucket holds all rows of its keys, sorted.
        """

    def close(self) -> None:
        """Stop the workers."""


class LocalEngine:
    """Processes of this machine; with one worker the work is done right here."""

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    def each(self, work: Callable[[J], R], jobs: Sequence[J]) -> Iterator[R]:
        """Yield the result of each job; a job whose worker dies is started again."""
        if self.workers == 1 or len(jobs) == 1:
            yield from map(work, jobs)
            return
        left = dict(enumerate(jobs))
        attempts = dict.fromkeys(left, 0)
        while left:
            running: dict[Future[R], int] = {}
            try:
                for number, result in self._pooled(work, left, running):
                    del left[number]
                    yield result
            except BrokenProcessPool:
                self._drop()
                for number in running.values():
                    attempts[number] += 1
                    if attempts[number] >= MOST_ATTEMPTS:
                        raise Refused(
                            f"a worker has died {MOST_ATTEMPTS} times over the same job ({number});"
                            " perhaps there is not enough memory; what is done is stored, and the "
                            "same command continues",
                            field="workers",
                            legal="fewer workers",
                        ) from None
            except BaseException:
                self._drop()
                raise

    def _pooled(
        self, work: Callable[[J], R], left: dict[int, J], running: dict[Future[R], int]
    ) -> Iterator[tuple[int, R]]:
        """Yield results as they come, and never hand out more than a few jobs ahead."""
        if self._pool is None:
            spawn = get_context("spawn")  # Threads of the caller would not be forked.
            self._pool = ProcessPoolExecutor(self.workers, spawn, _watch_parent)
        waiting = iter(list(left.items()))
        while True:
            for number, job in islice(waiting, self.workers * AHEAD - len(running)):
                running[self._pool.submit(work, job)] = number
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                result = future.result()
                yield running.pop(future), result

    def shuffle(
        self,
        rows: Callable[[J], Iterable[bytes]],
        jobs: Sequence[J],
        judge: Callable[[Rows], R],
        buckets: int,
        scratch: Path,
    ) -> Iterator[R]:
        """Write rows into a file for each bucket and job, then judge one bucket after the other."""
        scratch.mkdir(parents=True, exist_ok=True)
        spread = [
            _SpreadJob(rows, job, number, buckets, scratch) for number, job in enumerate(jobs)
        ]
        for _ in self.each(_spread, spread):
            pass
        gathered = [_GatherJob(judge, bucket, len(jobs), scratch) for bucket in range(buckets)]
        yield from self.each(_gather, gathered)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _drop(self) -> None:
        if self._pool is not None:
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _watch_parent() -> None:
    """End this worker when its parent is gone, however that happened.

    A ctrl+c is for that one, too.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:

        def wait_for_end() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=wait_for_end, daemon=True).start()


class _SpreadJob(NamedTuple):
    """A job whose rows are spread over the buckets: into a file for each, some at a time."""

    rows: Callable[[Any], Iterable[bytes]]
    job: Any
    number: int
    buckets: int
    scratch: Path

    def part(self, bucket: int) -> Path:
        return self.scratch / f"{bucket}-{self.number}.{os.getpid()}.part"


def _spread(job: _SpreadJob) -> None:
    for bucket in range(job.buckets):
        job.part(bucket).write_bytes(b"")
    rows = iter(job.rows(job.job))
    while some := list(islice(rows, ROWS_AT_ONCE)):
        found: dict[int, list[bytes]] = {}
        for row in some:
            found.setdefault(bucket_of(row, job.buckets), []).append(row)
        for bucket, those in found.items():
            with job.part(bucket).open("ab") as file:
                file.write(b"".join(those))
    for bucket in range(job.buckets):
        job.part(bucket).replace(job.scratch / f"{bucket}-{job.number}")


class _GatherJob(NamedTuple):
    """A bucket to be judged, with the rows of all jobs."""

    judge: Callable[[Rows], Any]
    bucket: int
    jobs: int
    scratch: Path


def _gather(job: _GatherJob) -> Any:
    rows: list[bytes] = []
    for number in range(job.jobs):
        rows += rows_in((job.scratch / f"{job.bucket}-{number}").read_bytes())
    return job.judge(sorted(rows))
