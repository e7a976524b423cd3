"""Which records of a corpus are alike: found by bringing equal keys together, never all in memory.

A record has one key for what is identical, and with a threshold some more, of which near ones share
at least one. Rows of keys are shuffled by the engine; each bucket names pairs that are alike; pairs
are joined in a file with one number for each record. The first of those that are alike stays.
"""

from __future__ import annotations

import mmap
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ..curation.duplicates import COMPARED, bands_of
from .engines import Engine, Rows, buckets_for, key_of, number_of, row_of
from .records import NOTHING, NUMBER_BYTES, SKETCH_BYTES, ShardAt, band_keys, fates, sketch_likeness
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
    sketches = _Sketches(shard.out, [shard.first], [shard.number], step) if job.near < 1 else None
    for fate in fates(shard, earlier):
        key = fate.facts.get("keys", {}).get(str(step))
        if key is None or fate.alike is not None:
            continue
        yield row_of(bytes.fromhex(key), fate.number)
        if sketches is not None:
            for band in band_keys(sketches[fate.number], job.near):
                yield row_of(band, fate.number)


class _Sketches:
    """The sketches of all records, read one at a time from the files of their shards."""

    def __init__(self, out: str, firsts: Sequence[int], numbers: Sequence[int], step: int) -> None:
        self._folder, self._step = WorkFolder(Path(out)), step
        self._firsts, self._numbers = firsts, numbers

    def __getitem__(self, record: int) -> bytes:
        at = bisect_right(self._firsts, record) - 1
        with self._folder.sketches(self._numbers[at], self._step).open("rb") as file:
            file.seek((record - self._firsts[at]) * SKETCH_BYTES)
            return file.read(SKETCH_BYTES)


class Judge:
    """Names the pairs of a bucket that are alike, as numbers of records."""

    def __init__(self, out: str, shards: Sequence[ShardAt], step: int, near: float) -> None:
        filled = [one for one in shards if one.records]
        self._sketches = _Sketches(
            out, [one.first for one in filled], [one.number for one in filled], step
        )
        self._near = near

    def __call__(self, rows: Rows) -> bytes:
        """Return the pairs, each as two numbers, the later one first."""
        pairs = array("q")
        for _, group in groupby(rows, key_of):
            numbers = list(dict.fromkeys(map(number_of, group)))
            if len(numbers) > 1:
                for pair in self._pairs(numbers):
                    pairs.extend(pair)
        return pairs.tobytes()

    def _pairs(self, numbers: list[int]) -> Iterator[tuple[int, int]]:
        if self._near == 1:
            yield from ((number, numbers[0]) for number in numbers[1:])
            return
        led: list[tuple[int, bytes]] = []
        """Those that none before them is like; the rest is compared with these."""
        for number in numbers:
            sketch = self._sketches[number]
            for other, led_sketch in led:
                if _is_near(sketch, led_sketch, self._near):
                    yield number, other
                    break
            else:
                if len(led) < COMPARED:
                    led.append((number, sketch))


def _is_near(one: bytes, other: bytes, near: float) -> bool:
    if NOTHING in (one, other):
        return one == other  # Only what is identical shares a key then.
    return one == other or sketch_likeness(one, other) >= near


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
    judge = Judge(shards[0].out, shards, step, near)
    scratch = folder.path / f"shuffle-{step}"
    judged = engine.shuffle(key_rows, jobs, judge, buckets_for(total * keys), scratch)
    with whole(target) as file:
        for start in range(0, total, AT_ONCE):
            file.write(array("q", range(start, min(total, start + AT_ONCE))).tobytes())
        file.flush()
        if total:
            with mmap.mmap(file.fileno(), total * NUMBER_BYTES, access=_WRITE) as mapped:
                with memoryview(mapped) as raw, raw.cast("q") as above:
                    _join(above, judged)
                mapped.flush()


_WRITE = mmap.ACCESS_WRITE


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
