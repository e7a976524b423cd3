"""What a search found, and the way from one hit to the next."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hits:
    """Raw indices in the order of the log."""

    text: str = ""
    found: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Return how many messages were found."""
        return len(self.found)

    def next(self, here: int, by: int) -> int:
        """Return the hit after or before a place, going round at the ends."""
        at = bisect_right(self.found, here) if by > 0 else bisect_left(self.found, here) - 1
        return self.found[at % len(self.found)]

    def place(self, raw: int) -> int:
        """Return which hit a raw index is, counted from 1."""
        return bisect_left(self.found, raw) + 1
