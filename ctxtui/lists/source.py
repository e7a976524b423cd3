"""The interface between a list and what it shows."""

from __future__ import annotations

from typing import Protocol

from ctxtui.render.lines import Line


class Source(Protocol):
    """What a list shows; each line has a key that stays the same when lines come and go."""

    def __len__(self) -> int:
        """Return how many lines there are."""
        ...

    def header(self, width: int) -> Line | None:
        """Return the line above all others, if there is one."""
        ...

    def line(self, at: int, width: int) -> Line:
        """Return a line in pieces, for so many cells."""
        ...

    def tint(self, at: int) -> str:
        """Return the tint of a line, or nothing."""
        ...

    def key(self, at: int) -> int:
        """Return the key of a line."""
        ...

    def find(self, key: int) -> int | None:
        """Return the line with a key, or None where it is not here."""
        ...


class Numbered:
    """The base of sources whose lines are known by their number, and are never tinted."""

    def __len__(self) -> int:
        """Return how many lines there are."""
        return 0

    def key(self, at: int) -> int:
        """Return the number of a line."""
        return at

    def find(self, key: int) -> int | None:
        """Return the line with a number, if there are so many."""
        return key if 0 <= key < len(self) else None

    def tint(self, at: int) -> str:
        """Return no tint."""
        return ""


class Nothing(Numbered):
    """A source without lines."""

    def header(self, width: int) -> Line | None:
        """Return no header."""
        return None

    def line(self, at: int, width: int) -> Line:
        """Return an empty line."""
        return []
