"""The interface between a list and what it shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.text.lines import Line, Piece

if TYPE_CHECKING:
    from ctxtui.core.engine.text_search import TextFinder

# Rows of lists whose items take more than one: where an item begins, and what is in a row.


class RowBlock(NamedTuple):
    """So many items one after the other that take so many rows each."""

    items: int
    rows: int


class Heights:
    """Translates between items and rows; costs follow the number of blocks, of which few are.

    Items behind the last block take one row.
    """

    def __init__(self, blocks: Sequence[RowBlock] = ()) -> None:
        self._blocks = [block for block in blocks if block.items]
        self._items = [0, *accumulate(block.items for block in self._blocks)]
        self._rows = [0, *accumulate(block.items * block.rows for block in self._blocks)]

    def height(self, at: int) -> int:
        place = bisect_right(self._items, at) - 1
        return self._blocks[place].rows if 0 <= place < len(self._blocks) else 1

    def row(self, at: int) -> int:
        place = max(0, bisect_right(self._items, at) - 1)
        return self._rows[place] + (at - self._items[place]) * self.height(at)

    def item(self, row: int) -> tuple[int, int]:
        place = max(0, bisect_right(self._rows, row) - 1)
        high = self._blocks[place].rows if place < len(self._blocks) else 1
        at, within = divmod(row - self._rows[place], high)
        return self._items[place] + at, within


class LineSource(ABC):
    """What a list shows; each line has a key that stays the same when lines come and go.

    ``top`` is the first line in sight, for what is said once and again where a screen begins.
    ``cursor`` is the line with the cursor, for what is highlighted there.
    ``finder`` is what was searched for, to be lit in what messages say.
    """

    top: int = 0
    cursor: int = -1
    finder: TextFinder | None = None
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
        """Return the line for a cursor that was moved to a place: always within the list."""
        return max(0, min(at, len(self) - 1))

    def header(self, width: int) -> Line | None:
        """Return the line above all others, if there is one."""
        return None

    def headers(self, width: int) -> list[Line]:
        """Return the lines above all others, which stay while those scroll."""
        header = self.header(width)
        return [] if header is None else [header]

    def blocks(self, width: int) -> Sequence[RowBlock]:
        """Return how many rows lines take, where that is more than one each."""
        return ()

    def below(self, at: int, width: int) -> list[Line]:
        """Return the other rows of a line that takes more than one."""
        return []

    def stands_between(self, at: int) -> bool:
        """Return whether the other rows of a line are no part of it, but a heading of the next."""
        return False

    def tint(self, at: int) -> str:
        return ""

    def expanded(self, at: int, width: int) -> Sequence[Line]:
        """Return what a line shows below itself when it is opened."""
        return []


class NumberedSource(LineSource):
    """The base of sources whose lines are known by their number."""

    def key(self, at: int) -> int:
        return at

    def find(self, key: int) -> int | None:
        return key if 0 <= key < len(self) else None


class Nothing(NumberedSource):
    """A source without lines."""

    def __len__(self) -> int:
        return 0

    def line(self, at: int, width: int) -> Line:
        return []


# Expanded lines of a list: which are open, and where all other lines are.


class Folds:
    """Translates between the lines of a list and rows of the screen.

    A closed line takes one row, or as many as its source says. Costs follow the number of open
    lines, not the length of the list.
    """

    def __init__(self) -> None:
        self.open: dict[int, Sequence[Line]] = {}
        self._heights = Heights()
        self._lines: list[int] = []
        self._rows: list[int] = []

    def place(self, find: Callable[[int], int | None], blocks: Sequence[RowBlock] = ()) -> None:
        """Find the open lines again by their keys; one that is gone takes no row."""
        self._heights = Heights(blocks)
        found = ((find(key), len(extra)) for key, extra in self.open.items())
        known = sorted((at, rows) for at, rows in found if at is not None)
        self._lines = [at for at, _ in known]
        self._rows = [0, *accumulate(rows for _, rows in known)]

    @property
    def extra(self) -> int:
        return self._rows[-1] if self._rows else 0

    def row(self, at: int) -> int:
        row = self._heights.row(at)
        return row if not self._lines else row + self._rows[bisect_left(self._lines, at)]

    def own_height(self, at: int) -> int:
        return self._heights.height(at)

    def height(self, at: int) -> int:
        place = bisect_left(self._lines, at)
        own = self._heights.height(at)
        if place < len(self._lines) and self._lines[place] == at:
            return own + self._rows[place + 1] - self._rows[place]
        return own

    def top_for(self, at: int, top: int, rows: int) -> int:
        """Return the row to scroll to so that a line is among the rows in sight.

        A line nearby comes in at the edge; one from far away has some lines before it in sight.
        """
        first = self.row(at)
        last = min(first + self.height(at), first + rows) - 1
        if top <= first and last < top + rows:
            return top
        if first < top - rows or last >= top + 2 * rows:
            return max(0, first - rows // 3)
        return first if first < top else last - rows + 1

    def line(self, row: int) -> tuple[int, int]:
        if not self._lines:
            return self._heights.item(row)
        starts = range(len(self._lines))
        place = bisect_right(starts, row, key=self._start)
        if place == 0:
            return self._heights.item(row)
        first = self._lines[place - 1]
        within = row - self._start(place - 1)
        if within < self.height(first):
            return first, within
        return self._heights.item(row - self._rows[place])

    def _start(self, place: int) -> int:
        return self._heights.row(self._lines[place]) + self._rows[place]


# Lists made of other lists: only some of the lines, or one line more.


class WrappedSource(LineSource):
    """The lines of another source, at other places."""

    def __init__(self, source: LineSource) -> None:
        self.source = source
        self.finder = source.finder

    @abstractmethod
    def inner(self, at: int) -> int:
        """Return the line of the other source that a line is."""

    def header(self, width: int) -> Line | None:
        return self.source.header(width)

    def line(self, at: int, width: int) -> Line:
        return self.source.line(self.inner(at), width)

    def tint(self, at: int) -> str:
        return self.source.tint(self.inner(at))

    def expanded(self, at: int, width: int) -> Sequence[Line]:
        return self.source.expanded(self.inner(at), width)

    def key(self, at: int) -> int:
        return self.source.key(self.inner(at))


class Filtered(WrappedSource):
    """The lines of a source with some keys, in the source's order."""

    def __init__(self, source: LineSource, keys: Iterable[int]) -> None:
        super().__init__(source)
        source.is_scattered = True
        found = (source.find(key) for key in keys)
        self._lines = sorted(at for at in found if at is not None)

    def __len__(self) -> int:
        return len(self._lines)

    def inner(self, at: int) -> int:
        return self._lines[at]

    def line(self, at: int, width: int) -> Line:
        self.source.top = self._lines[self.top] if self.top < len(self) else 0
        return super().line(at, width)

    def find(self, key: int) -> int | None:
        at = self.source.find(key)
        if at is None:
            return None
        place = bisect_left(self._lines, at)
        return place if place < len(self._lines) and self._lines[place] == at else None


class WithPlaceholder(WrappedSource):
    """A source with one line more: where something would appear that is hidden."""

    def __init__(self, source: LineSource, at: int, key: int, text: str) -> None:
        super().__init__(source)
        self._at = at
        self._key = key
        self._text = text

    def __len__(self) -> int:
        return len(self.source) + 1

    def inner(self, at: int) -> int:
        return at - (at > self._at)

    def line(self, at: int, width: int) -> Line:
        if at == self._at:
            return [Piece(f"      ┄ {self._text} ┄", "faint")]
        return super().line(at, width)

    def tint(self, at: int) -> str:
        return "" if at == self._at else super().tint(at)

    def expanded(self, at: int, width: int) -> Sequence[Line]:
        return [] if at == self._at else super().expanded(at, width)

    def key(self, at: int) -> int:
        return self._key if at == self._at else super().key(at)

    def find(self, key: int) -> int | None:
        if key == self._key:
            return self._at
        at = self.source.find(key)
        return None if at is None else at + (at >= self._at)
