"""Sets of raw indices as sorted, disjoint spans: small where plain sets would be large."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

Run = tuple[int, int]
"""A run of consecutive raw indices: its start and its length."""

Span = tuple[int, int]
"""A half-open stretch of raw indices: its start and its stop."""


def runs_of(indices: Iterable[int]) -> Iterator[Run]:
    """Yield a sequence of indices, in its own order, as runs of consecutive ones."""
    start, length = -1, 0
    for index in indices:
        if index == start + length:
            length += 1
        else:
            if length:
                yield start, length
            start, length = index, 1
    if length:
        yield start, length


def indices_of(runs: Iterable[Run]) -> list[int]:
    """Return the indices of some runs, one by one."""
    return [index for start, length in runs for index in range(start, start + length)]


def runs_at(runs: Iterator[Run], stretches: Iterable[Span]) -> Iterator[Run]:
    """Yield the pieces of some runs that stand at some stretches of positions, in one pass."""
    start, length, passed = 0, 0, 0
    for lo, hi in stretches:
        while passed + length <= lo:
            passed += length
            start, length = next(runs)
        while lo < hi:
            taken = min(hi, passed + length) - lo
            yield start + lo - passed, taken
            lo += taken
            if lo < hi:
                passed += length
                start, length = next(runs)


def spans_of(runs: Iterable[Run]) -> list[Span]:
    """Return runs in any order as sorted spans; touching ones are joined."""
    spans: list[Span] = []
    for start, length in sorted(runs):
        if spans and spans[-1][1] >= start:
            spans[-1] = (spans[-1][0], max(spans[-1][1], start + length))
        else:
            spans.append((start, start + length))
    return spans


def size_of(spans: Iterable[Span]) -> int:
    """Return how many indices spans hold."""
    return sum(stop - start for start, stop in spans)


def overlaps(spans: list[Span], start: int, stop: int) -> Iterator[Span]:
    """Yield the pieces of sorted spans that lie within one stretch."""
    at = bisect_left(spans, (start,))
    if at and spans[at - 1][1] > start:
        at -= 1
    while at < len(spans) and spans[at][0] < stop:
        yield max(spans[at][0], start), min(spans[at][1], stop)
        at += 1


def subtract(spans: list[Span], others: list[Span]) -> list[Span]:
    """Return what of some spans is not in the others."""
    rest: list[Span] = []
    for start, stop in spans:
        for taken_start, taken_stop in overlaps(others, start, stop):
            if start < taken_start:
                rest.append((start, taken_start))
            start = taken_stop
        if start < stop:
            rest.append((start, stop))
    return rest
