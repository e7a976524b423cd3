"""The interface between a list and what it shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ctxtui.core.engine.text_search import Finder
from ctxtui.lists.heights import Block
from ctxtui.render.text.lines import Line


class LineSource(ABC):
    """What a list shows; each line has a key that stays the same when lines come and go.

    ``top`` is the first line in sight, for what is said once and again where a screen begins.
    ``cursor`` is the line with the cursor, for what stands out there.
    ``finder`` is what was searched for, to be lit in what messages say.
    """

    top: int = 0
    cursor: int = -1
    finder: Finder | None = None
    is_scattered: bool = False
    """Whether neighbours here may not be neighbours there: nothing can be drawn across lines."""

    @abstractmethod
    def __len__(self) -> int:
        """Return how many lines there are."""

    @abstractmethod
    def line(self, at: int, width: int) -> Line:
        """Return a line in pieces, for so many cells."""

    @abstractmethod
    def key(self, at: int) -> int:
        """Return the key of a line."""

    @abstractmethod
    def find(self, key: int) -> int | None:
        """Return the line with a key, or None where it is not here."""

    def stop(self, at: int, way: int) -> int:
        """Return where a cursor stands that was moved down or up to a place: within the list."""
        return max(0, min(at, len(self) - 1))

    def header(self, width: int) -> Line | None:
        """Return the line above all others, if there is one."""
        return None

    def headers(self, width: int) -> list[Line]:
        """Return the lines above all others, which stay while those scroll."""
        header = self.header(width)
        return [] if header is None else [header]

    def blocks(self, width: int) -> Sequence[Block]:
        """Return how many rows lines take, where that is more than one each."""
        return ()

    def below(self, at: int, width: int) -> list[Line]:
        """Return the other rows of a line that takes more than one."""
        return []

    def stands_between(self, at: int) -> bool:
        """Tell whether the other rows of a line are no part of it, but a heading of the next."""
        return False

    def tint(self, at: int) -> str:
        """Return the tint of a line, or nothing."""
        return ""

    def expanded(self, at: int, width: int) -> Sequence[Line]:
        """Return what a line shows below itself when it is opened."""
        return []


class NumberedSource(LineSource):
    """The base of sources whose lines are known by their number."""

    def key(self, at: int) -> int:
        """Return the number of a line."""
        return at

    def find(self, key: int) -> int | None:
        """Return the line with a number, if there are so many."""
        return key if 0 <= key < len(self) else None


class Nothing(NumberedSource):
    """A source without lines."""

    def __len__(self) -> int:
        """Return none."""
        return 0

    def line(self, at: int, width: int) -> Line:
        """Return an empty line."""
        return []
