"""A list that shows only some lines of another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from ctxtui.lists.source import Source
from ctxtui.render.lines import Line


class Filtered:
    """The lines of a source with some keys, in the source's order."""

    def __init__(self, source: Source, keys: Iterable[int]) -> None:
        self.source = source
        found = (source.find(key) for key in keys)
        self._lines = sorted(at for at in found if at is not None)

    def __len__(self) -> int:
        """Return how many lines are left."""
        return len(self._lines)

    def header(self, width: int) -> Line | None:
        """Return the source's header."""
        return self.source.header(width)

    def line(self, at: int, width: int) -> Line:
        """Return a line of the source."""
        return self.source.line(self._lines[at], width)

    def tint(self, at: int) -> str:
        """Return the tint of a line."""
        return self.source.tint(self._lines[at])

    def key(self, at: int) -> int:
        """Return the key of a line."""
        return self.source.key(self._lines[at])

    def find(self, key: int) -> int | None:
        """Return the line with a key, if it was left."""
        at = self.source.find(key)
        if at is None:
            return None
        place = bisect_left(self._lines, at)
        return place if place < len(self._lines) and self._lines[place] == at else None
