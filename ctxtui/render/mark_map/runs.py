"""Runs: long index arrays in a few words, such as ``0–4  7  91–97 by 2``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ctxtui.render.text.indices import run_text


class RunStretch(NamedTuple):
    """Indices that follow each other at an even distance."""

    first: int
    last: int
    step: int
    size: int

    def __str__(self) -> str:
        """Return the stretch as text: one index, from – to, or from – to by a step."""
        by = "" if self.step == 1 else f" by {self.step}"
        return run_text(self.first, self.last) + by


Flagged = tuple[RunStretch, bool]
"""A stretch, and whether all of it carries the flag that was asked for."""


class RunListing(NamedTuple):
    """The stretches at the start and at the end of an array, and how many indices lie between."""

    start: list[Flagged]
    between: int
    end: list[Flagged]


def listing(indices: list[int], flags: bytes, most: int) -> RunListing:
    """Return an array as stretches, at most so many; a flag never changes within one.

    Only what is shown is looked at one by one, from both ends.
    """
    found = list(islice(_flagged(indices, flags, 1), most + 1))
    if len(found) <= most:
        return RunListing(found, 0, [])
    start = found[: (most + 1) // 2]
    end = list(islice(_flagged(indices[::-1], flags[::-1], -1), most // 2))[::-1]
    between = len(indices) - sum(stretch.size for stretch, _ in (*start, *end))
    if between <= 0:
        # Read from the end there are fewer stretches: then these are all there is to say.
        return RunListing(found[:-1], len(indices) - sum(one.size for one, _ in found[:-1]), [])
    return RunListing(start, between, end)


def _flagged(indices: list[int], flags: bytes, way: int) -> Iterator[Flagged]:
    at = 0
    while at < len(indices):
        flag = flags[at]
        stop = flags.find(1 - flag, at)
        stop = len(indices) if stop < 0 else stop
        for stretch in stretches(indices[at:stop], way):
            yield stretch, bool(flag)
        at = stop


def stretches(indices: list[int], way: int = 1) -> Iterator[RunStretch]:
    """Yield an array as stretches; ``way`` is −1 where it is read from its end."""
    at, size = 0, len(indices)
    while at < size:
        first, step, stop = indices[at], way, at + 1
        if stop < size and (found := indices[stop] - first) * way > 0:
            # Two indices make a run only if they are neighbours, else it takes three.
            near = found == way
            if near or (stop + 1 < size and indices[stop + 1] - indices[stop] == found):
                step, stop = found, _reach(indices, at, found)
        ends = sorted((first, indices[stop - 1]))
        yield RunStretch(ends[0], ends[1], abs(step), stop - at)
        at = stop


def _reach(indices: list[int], at: int, step: int) -> int:
    """Return where an even stretch ends, by comparing ever longer slices at C speed."""
    good, size = at + 1, 2
    while good < len(indices):
        stop = min(len(indices), good + size)
        if _is_even(indices, good, stop, step):
            good, size = stop, 2 * size
        elif size == 1:
            return good
        else:
            size = max(1, (stop - good) // 2)
    return good


def _is_even(indices: list[int], start: int, stop: int, step: int) -> bool:
    before = indices[start - 1]
    expected = range(before + step, before + step * (stop - start + 1), step)
    return indices[start:stop] == list(expected)
