"""The difference of two batches as a list: aligned rows, folded where nothing differs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Literal, NamedTuple

from ctxtui.lists.source import LineSource
from ctxtui.models.diff_sides import Pair, Sides
from ctxtui.models.diff_stretches import Stretch
from ctxtui.render.diff.rows import cut_row, fold_row, row, side_heads
from ctxtui.render.message.expanded import expanded
from ctxtui.render.text.lines import Line
from ctxtui.words import plural

CUT = -1
NEAR_ROWS = 3
FEW_ROWS = 4
"""Same rows that stay beside a difference, and how many more there must be to fold them."""

TINTS = {"hidden": "hidden", "added": "added", "shown": "added"}


class Section(NamedTuple):
    """Lines of the list that are made in one way."""

    kind: Literal["rows", "fold", "cut"]
    size: int
    of: Stretch


class DiffSource(LineSource):
    """A line for every aligned pair; the cut and the folds are lines of their own.

    A row's key is twice its raw index, one more where its message stands on the right. ``opened``
    holds the keys of folds that are open; it is shared by all sources of a screen.
    """

    def __init__(self, sides: Sides, opened: set[int]) -> None:
        self.sides = sides
        self._opened = opened
        self._sections = list(self._laid_out())
        self._starts = [0, *accumulate(section.size for section in self._sections)]
        rows = [(at, one.of) for at, one in enumerate(self._sections) if one.kind == "rows"]
        self._left = [(of.left, at) for at, of in rows if of.left is not None]
        self._right = [(of.right, at) for at, of in rows if of.right is not None]
        self._changes = [self._starts[at] for at, of in rows if of.kind != "same"]
        others = (self._starts[at] for at, one in enumerate(self._sections) if one.kind != "rows")
        self._others = {self.key(start): start for start in others}

    # Laying out

    def _laid_out(self) -> Iterator[Section]:
        stretches = self.sides.stretches
        cut = self.sides.prefix.messages if self.sides.sent_again else -1
        nothing = Stretch("same", 0, None, None)
        if cut == 0:
            yield Section("cut", 1, nothing)
        for at, whole in enumerate(stretches):
            first, last = at == 0, at == len(stretches) - 1
            end = None if whole.right is None else cut - whole.right
            if end is not None and 0 < end <= whole.size:
                yield from self._rows(whole.part(0, end), first, last and end == whole.size)
                yield Section("cut", 1, nothing)
                if end < whole.size:
                    yield from self._rows(whole.part(end, whole.size), False, last)
            else:
                yield from self._rows(whole, first, last)

    def _rows(self, whole: Stretch, is_first: bool, is_last: bool) -> Iterator[Section]:
        """Yield a stretch, folded in its middle if that is long and the same."""
        lo, hi = 0 if is_first else NEAR_ROWS, whole.size - (0 if is_last else NEAR_ROWS)
        if whole.kind != "same" or hi - lo < FEW_ROWS or (is_first and is_last):
            yield Section("rows", whole.size, whole)
            return
        inner = whole.part(lo, hi)
        if lo:
            yield Section("rows", lo, whole.part(0, lo))
        yield Section("fold", 1, inner)
        if self._fold_key(inner) in self._opened:
            yield Section("rows", inner.size, inner)
        if hi < whole.size:
            yield Section("rows", whole.size - hi, whole.part(hi, whole.size))

    def _fold_key(self, inner: Stretch) -> int:
        assert inner.right is not None
        return -2 - self.sides.right.view[inner.right]

    # Finding

    def __len__(self) -> int:
        """Return how many lines there are."""
        return self._starts[-1]

    def _at(self, at: int) -> tuple[Section, int]:
        place = bisect_right(self._starts, at) - 1
        return self._sections[place], at - self._starts[place]

    def pair(self, at: int) -> Pair | None:
        """Return the row of a line; None for the cut and for folds."""
        if not 0 <= at < len(self):
            return None
        section, within = self._at(at)
        return _pair(section.of, within) if section.kind == "rows" else None

    def key(self, at: int) -> int:
        """Return the key of a line."""
        section, within = self._at(at)
        if section.kind == "cut":
            return CUT
        if section.kind == "fold":
            return self._fold_key(section.of)
        pair = _pair(section.of, within)
        return 2 * self.sides.raw(pair) + (pair.right is not None)

    def find(self, key: int) -> int | None:
        """Return the line with a key, or None where it is not here or folded away."""
        if key < 0:
            return self._others.get(key)
        raw, is_right = divmod(key, 2)
        at = self._on_the_right(raw) if is_right else self._on_the_left(raw)
        return at if at is not None and self.key(at) == key else None

    def find_raw(self, raw: int) -> int | None:
        """Return the line that shows a message, on the right rather than on the left."""
        right = self._on_the_right(raw)
        return self._on_the_left(raw) if right is None else right

    def _on_the_left(self, raw: int) -> int | None:
        return self._line_of(self.sides.left.view.position(raw), self._left)

    def _on_the_right(self, raw: int) -> int | None:
        return self._line_of(self.sides.right.view.position(raw), self._right)

    def _line_of(self, position: int | None, places: list[tuple[int, int]]) -> int | None:
        if position is None:
            return None
        at = bisect_right(places, position, key=lambda place: place[0]) - 1
        if at < 0:
            return None
        start, place = places[at]
        within = position - start
        return self._starts[place] + within if within < self._sections[place].size else None

    def is_fold(self, at: int) -> bool:
        """Tell whether a line stands for others that are the same."""
        return 0 <= at < len(self) and self._at(at)[0].kind == "fold"

    def difference(self, at: int, by: int) -> int | None:
        """Return the first line of the next difference, or of the one before."""
        place = bisect_right(self._changes, at) if by > 0 else bisect_left(self._changes, at) - 1
        return self._changes[place] if 0 <= place < len(self._changes) else None

    # Drawing

    def header(self, width: int) -> Line | None:
        """Return what each half is."""
        return side_heads(self.sides, width)

    def tint(self, at: int) -> str:
        """Return the tint of a line that only one side has."""
        section, _ = self._at(at)
        return TINTS.get(section.of.kind, "") if section.kind == "rows" else ""

    def line(self, at: int, width: int) -> Line:
        """Return one line."""
        section, within = self._at(at)
        if section.kind == "cut":
            return cut_row(self.sides, width)
        pair = _pair(section.of, within)
        if section.kind == "fold":
            is_open = self._fold_key(section.of) in self._opened
            return fold_row(self.sides, pair, section.of.size, is_open, width)
        return row(self.sides, pair, self._note(at, section, within), width)

    def expanded(self, at: int, width: int) -> list[Line]:
        """Return the first lines of a message."""
        pair = self.pair(at)
        if pair is None:
            return []
        return expanded(self.sides.right.state.log[self.sides.raw(pair)], width)

    def _note(self, at: int, section: Section, within: int) -> str:
        """Return why one half is empty: once for each run, and again where the screen begins."""
        stretch = section.of
        if stretch.kind in ("same", "replaced"):
            return ""
        cause = self.sides.cause(_pair(stretch, within))
        if within == 0 or at == self.top:
            return cause
        if self.sides.cause(_pair(stretch, within - 1)) != cause:
            return cause
        if within == 1:
            is_gone = stretch.right is None
            many = plural(stretch.size, "message")
            return f"{many} no longer sent" if is_gone else f"{many} not sent before"
        return ""


def _pair(stretch: Stretch, within: int) -> Pair:
    one = stretch.part(within, within + 1)
    return Pair(one.kind, one.left, one.right)
