"""Lists made of other lists: only some of the lines, or one line more."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from ctxtui.lists.source import LineSource
from ctxtui.render.text.lines import Line, Piece


class Filtered(LineSource):
    """The lines of a source with some keys, in the source's order."""

    def __init__(self, source: LineSource, keys: Iterable[int]) -> None:
        self.source = source
        self.finder = source.finder
        source.is_scattered = True
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
        self.source.top = self._lines[self.top] if self.top < len(self) else 0
        return self.source.line(self._lines[at], width)

    def tint(self, at: int) -> str:
        """Return the tint of a line."""
        return self.source.tint(self._lines[at])

    def expanded(self, at: int, width: int) -> Sequence[Line]:
        """Return what the source shows below a line."""
        return self.source.expanded(self._lines[at], width)

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


class WithGhost(LineSource):
    """A source with one line more: where something would stand that is not there."""

    def __init__(self, source: LineSource, at: int, key: int, text: str) -> None:
        self.source = source
        self.finder = source.finder
        self._at = at
        self._key = key
        self._text = text

    def __len__(self) -> int:
        """Return one line more."""
        return len(self.source) + 1

    def _inner(self, at: int) -> int:
        return at - (at > self._at)

    def header(self, width: int) -> Line | None:
        """Return the source's header."""
        return self.source.header(width)

    def line(self, at: int, width: int) -> Line:
        """Return a line of the source, or the ghost."""
        if at == self._at:
            return [Piece(f"      ┄ {self._text} ┄", "faint")]
        return self.source.line(self._inner(at), width)

    def tint(self, at: int) -> str:
        """Return the tint of a line."""
        return "" if at == self._at else self.source.tint(self._inner(at))

    def expanded(self, at: int, width: int) -> Sequence[Line]:
        """Return what the source shows below a line."""
        return [] if at == self._at else self.source.expanded(self._inner(at), width)

    def key(self, at: int) -> int:
        """Return the key of a line."""
        return self._key if at == self._at else self.source.key(self._inner(at))

    def find(self, key: int) -> int | None:
        """Return the line with a key."""
        if key == self._key:
            return self._at
        at = self.source.find(key)
        return None if at is None else at + (at >= self._at)
