"""Chunks: the immutable blocks of runs that views are made of and share."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from operator import add

from .spans import Run

MOST_RUNS = 256
BLOCK_RUNS = 16


class Chunk:
    """A few hundred runs; all its indices lie from ``low`` to, at the most, ``high``."""

    __slots__ = ("_order", "high", "lengths", "low", "size", "starts")

    def __init__(
        self, starts: array[int], lengths: array[int], size: int, high: int, low: int | None = None
    ) -> None:
        self.starts = starts
        self.lengths = lengths
        self.size = size
        self.low = min(starts) if low is None else low
        self.high = high
        self._order: array[int] | None = None

    def find(self, offset: int) -> Run:
        """Return the run that holds an offset, and the offset within that run."""
        if offset >= self.size:
            return len(self.starts), 0
        lengths = self.lengths
        for base in range(0, len(lengths), BLOCK_RUNS):
            block = lengths[base : base + BLOCK_RUNS]
            # Whole blocks are passed at C speed; only the last one is looked into.
            if offset >= (passed := sum(block)):
                offset -= passed
                continue
            for run, length in enumerate(block, start=base):
                if offset < length:
                    return run, offset
                offset -= length
        raise AssertionError("a chunk's size is the sum of its runs")

    def offset(self, raw: int) -> int | None:
        """Return where in this chunk a raw index stands, or None where it doesn't."""
        if not self.low <= raw <= self.high:
            return None
        if self._order is None:
            self._order = array("I", sorted(self.starts))
        start = self._order[bisect_right(self._order, raw) - 1]
        run = self.starts.index(start)
        if raw - start >= self.lengths[run]:
            return None
        return sum(self.lengths[:run]) + raw - start

    def runs(self) -> Iterator[Run]:
        """Yield the runs of this chunk in visible order."""
        return zip(self.starts, self.lengths, strict=True)


class Runs:
    """Collects runs for new chunks, joining those that continue each other."""

    __slots__ = ("lengths", "starts")

    def __init__(self, starts: array[int] | None = None, lengths: array[int] | None = None) -> None:
        self.starts = array("I") if starts is None else starts
        self.lengths = array("I") if lengths is None else lengths

    def add(self, start: int, length: int) -> None:
        """Add one run at the end."""
        if self.starts and self.starts[-1] + self.lengths[-1] == start:
            self.lengths[-1] += length
        elif length:
            self.starts.append(start)
            self.lengths.append(length)

    def extend(self, starts: array[int], lengths: array[int]) -> None:
        """Add the runs of two parallel arrays at the end."""
        if starts:
            self.add(starts[0], lengths[0])
            self.starts += starts[1:]
            self.lengths += lengths[1:]

    def chunks(
        self, high: int | None = None, low: int | None = None, size: int | None = None
    ) -> tuple[Chunk, ...]:
        """Return the runs as chunks of even size; ``high`` is no index of theirs above."""
        count = len(self.starts)
        if not count:
            return ()
        if count <= MOST_RUNS:
            if high is None:
                high = max(map(add, self.starts, self.lengths)) - 1
            # Slicing trims what appending over-allocated.
            starts, lengths = self.starts[:], self.lengths[:]
            return (Chunk(starts, lengths, sum(lengths) if size is None else size, high, low),)
        pieces = -(-count // MOST_RUNS)
        cuts = [count * i // pieces for i in range(pieces + 1)]
        made = []
        for lo, hi in pairwise(cuts):
            # Slicing trims what appending over-allocated.
            starts, lengths = self.starts[lo:hi], self.lengths[lo:hi]
            made.append(Chunk(starts, lengths, sum(lengths), max(map(add, starts, lengths)) - 1))
        return tuple(made)


def part_of(chunk: Chunk, lo: int, hi: int) -> tuple[Chunk, ...]:
    """Return a stretch of a chunk: the chunk itself where that is all of it."""
    if hi - lo == chunk.size:
        return (chunk,)
    run, inner = chunk.find(lo)
    last, beyond = chunk.find(hi)
    made = Runs(chunk.starts[run:last], chunk.lengths[run:last])
    if beyond:
        made.starts.append(chunk.starts[last])
        made.lengths.append(beyond)
    if inner:
        made.starts[0] += inner
        made.lengths[0] -= inner
    return made.chunks(chunk.high)
