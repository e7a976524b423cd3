"""Which records of a corpus are alike: found by bringing equal keys together, never all in memory.

A record has one key for what is identical, and with a threshold some more, of which near ones share
at least one. Rows of keys are shuffled by the engine; each bucket names pairs that are alike; pairs
are joined in a file with one number for each record. The first of those that are alike stays.
"""

from __future__ import annotations

import mmap
import os
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ..curation.duplicates import (
    COMPARED,
    Shingles,
    are_near,
    band_keys,
    bands_of,
    near_pairs,
)
from .engines import Engine, Rows, buckets_for, key_of, number_of, row_of
from .records import NUMBER_BYTES, ShardAt, outcomes
from .work_folder import WorkFolder, whole

AT_ONCE = 1 << 16


class KeyJob(NamedTuple):
    """A shard whose keys are wanted for a step."""

    shard: ShardAt
    step: int
    near: float


def key_rows(job: KeyJob) -> Iterator[bytes]:
    """Yield the rows of the records that come to a step, which earlier steps have left."""
    shard, step = job.shard, job.step
    earlier = tuple(one for one in shard.dedupes if one < step)
    shingles = _Shingles(shard.out, [shard], step) if job.near < 1 else None
    for outcome in outcomes(shard, earlier):
        key = outcome.facts.get("keys", {}).get(str(step))
        if key is None or outcome.alike is not None:
            continue
        yield row_of(bytes.fromhex(key), outcome.number)
        if shingles is not None:
            for band in band_keys(shingles[outcome.number], job.near):
                yield row_of(band, outcome.number)


@contextmanager
def shingles_written(path: Path) -> Iterator[Callable[[Shingles], None]]:
    """Write the shingles of the records of a shard one after the other, then where each ends."""
    ends = array("q")
    with whole(path) as file:

        def add(shingles: Shingles) -> None:
            shingles.tofile(file)
            ends.append(file.tell())

        yield add
        ends.tofile(file)


class _Shingles:
    """The shingles of all records, read one at a time from the files of their shards."""

    def __init__(self, out: str, shards: Sequence[ShardAt], step: int) -> None:
        self._folder, self._step = WorkFolder(Path(out)), step
        self._shards = [(one.number, one.first, one.records) for one in shards if one.records]
        self._firsts = [first for _, first, _ in self._shards]

    def __getitem__(self, record: int) -> Shingles:
        number, first, records = self._shards[bisect_right(self._firsts, record) - 1]
        place = record - first
        ends, found = array("q", [0]), array("I")
        with self._folder.shard(number, f"shingles-{self._step}").open("rb") as file:
            file.seek((max(place - 1, 0) - records) * ends.itemsize, os.SEEK_END)
            ends.fromfile(file, min(place, 1) + 1)
            start, stop = ends[-2:]
            file.seek(start)
            found.fromfile(file, (stop - start) // found.itemsize)
        return found


class NearJudge:
    """Names the pairs of a bucket that are near duplicates, as numbers of records."""

    def __init__(self, out: str, shards: Sequence[ShardAt], step: int, near: float) -> None:
        self._shingles = _Shingles(out, shards, step)
        self._near = near

    def __call__(self, rows: Rows) -> bytes:
        pairs = array("q")
        for _, group in groupby(rows, key_of):
            numbers = list(dict.fromkeys(map(number_of, group)))
            if len(numbers) > 1:
                for pair in self._pairs(numbers):
                    pairs.extend(pair)
        return pairs.tobytes()

    def _pairs(self, numbers: list[int]) -> Iterable[tuple[int, int]]:
        if self._near == 1:
            return ((numbers[0], number) for number in numbers[1:])
        read = lru_cache(maxsize=2 * COMPARED)(self._shingles.__getitem__)
        return near_pairs(numbers, lambda one, other: are_near(read(one), read(other), self._near))


def find_alike(
    engine: Engine, shards: Sequence[ShardAt], step: int, near: float, total: int
) -> None:
    """Write for each record the first one that is like it, itself if there is none before it."""
    folder = WorkFolder(Path(shards[0].out))
    target = folder.alike(step)
    if target.exists():
        return
    keys = 1 if near == 1 else 1 + bands_of(near)[0]
    jobs = [KeyJob(shard, step, near) for shard in shards]
    judge = NearJudge(shards[0].out, shards, step, near)
    scratch = folder.path / f"shuffle-{step}"
    judged = engine.shuffle(key_rows, jobs, judge, buckets_for(total * keys), scratch)
    with whole(target) as file:
        for start in range(0, total, AT_ONCE):
            file.write(array("q", range(start, min(total, start + AT_ONCE))).tobytes())
        file.flush()
        if total:
            with mmap.mmap(file.fileno(), total * NUMBER_BYTES, access=mmap.ACCESS_WRITE) as mapped:
                with memoryview(mapped) as raw, raw.cast("q") as above:
                    _join(above, judged)
                mapped.flush()


def _join(above: memoryview[int], judged: Iterator[bytes]) -> None:
    """Join all pairs; then let each record name the first of its group."""
    for found in judged:
        pairs = array("q")
        pairs.frombytes(found)
        for at in range(0, len(pairs), 2):
            one, other = _first(above, pairs[at]), _first(above, pairs[at + 1])
            above[max(one, other)] = min(one, other)
    for number in range(len(above)):
        above[number] = above[above[number]]  # What is above a record is never behind it.


def _first(above: memoryview[int], number: int) -> int:
    while above[number] != number:
        above[number] = above[above[number]]
        number = above[number]
    return number
