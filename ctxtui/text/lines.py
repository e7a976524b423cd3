"""Lines: pieces of text with a kind each, which a widget turns into colours."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple, overload

from rich.cells import cell_len, set_cell_size

from ctxtui.text.symbols import visible


class Piece(NamedTuple):
    """A stretch of text of one kind; kinds are the component classes of the list widget."""

    text: str
    kind: str = "text"


Line = list[Piece]

ON = "-on-"


def on_paper(kind: str, paper: str) -> str:
    """Return a kind that brings a background of its own: the name of a tint."""
    return f"{kind}{ON}{paper}"


def line_width(line: Line) -> int:
    """Return how many cells a line takes."""
    return sum(cell_len(piece.text) for piece in line)


def fit(text: str, width: int) -> str:
    """Return a text in exactly so many cells, with an ellipsis where it was cut."""
    if width <= 0:
        return ""
    # Most text is plain: then characters are cells and nothing needs to be measured.
    if text.isascii():
        return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"
    if len(text) <= width and cell_len(text) <= width:
        return set_cell_size(text, width)
    # More characters than cells can't be seen: measuring a million of them would cost a frame.
    cut = text[:width]
    return set_cell_size(cut, width - 1) + "…"


def fit_pieces(pieces: Line, width: int) -> Line:
    """Return pieces in exactly so many cells; where they don't fit the rest is an ellipsis."""
    used = 0
    for i, piece in enumerate(pieces):
        room = width - used
        size = cell_len(piece.text) if len(piece.text) <= room else room + 1
        more = any(later.text for later in pieces[i + 1 :])
        if size > room or (size == room and more):
            return [*pieces[:i], Piece(fit(piece.text + " ", room), piece.kind)]
        used += size
    return [*pieces, Piece(" " * (width - used))]


def on_row(line: Line, paper: str, width: int) -> Line:
    """Return a line in exactly so many cells, all of them on one paper."""
    return [Piece(text, on_paper(kind, paper)) for text, kind in fit_pieces(line, width)]


def joined(cells: Line) -> Line:
    """Return cells with neighbours of one kind put together."""
    made: Line = []
    for text, kind in cells:
        if made and made[-1].kind == kind:
            made[-1] = Piece(made[-1].text + text, kind)
        else:
            made.append(Piece(text, kind))
    return made


# Columns of a list: which of them there is room for, and where each cell of a line goes.

EDGE = 1
"""Cells that lists keep free before the border or the scroll bar."""


def kept(columns: Mapping[str, int], room: int) -> frozenset[str]:
    """Return the names of the columns that fit; the ones that are named first go first."""
    left = dict(columns)
    while left and sum(left.values()) > room:
        del left[next(iter(left))]
    return frozenset(left)


def digits(count: int, least: int = 3) -> int:
    """Return how many cells the indices of so many things take."""
    return max(least, len(str(max(0, count - 1))))


# Words for whatever room there is: the longest way of saying something that fits.


def size_of(line: Line) -> int:
    """Return how many cells a line takes."""
    return sum(cell_len(piece.text) for piece in line)


def spread(left: Line, right: Line, width: int) -> Line:
    """Return two ends of a line with space between them."""
    gap = max(0, width - size_of(left) - size_of(right))
    return fit_pieces([*left, Piece(" " * gap), *right], width)


def longest(ways: Iterable[tuple[Line, Line]], width: int) -> Line:
    """Return the first way to say something, in two ends, that fits; they get shorter and shorter.

    Only the last one is ever cut.
    """
    left: Line = []
    right: Line = []
    for left, right in ways:
        if size_of(left) + bool(right) + size_of(right) <= width:
            break
    return spread(left, right, width)


# Sections: parts of a view with a head each, below or beside each other.

GUTTER = 3


def head(title: str, about: Line, width: int) -> Line:
    """Return the line above a section: its title, a rule, and what it is about."""
    size = sum(cell_len(piece.text) for piece in about)
    rule = width - len(title) - size - 2
    if rule < 1 or not size:
        rest = max(0, width - len(title) - 1)
        return fit_pieces([Piece(title, "bright"), Piece(" " + "─" * rest, "track")], width)
    return [Piece(title, "bright"), Piece(f" {'─' * rule} ", "track"), *about]


def cropped(lines: list[Line], width: int) -> list[Line]:
    """Return lines of which none is wider than told; the others stay as they are."""
    return [
        fit_pieces(line, width) if sum(cell_len(piece.text) for piece in line) > width else line
        for line in lines
    ]


def beside(left: list[Line], right: list[Line], width: int) -> list[Line]:
    """Return two lists of lines side by side, the left one as wide as told."""
    gap = Piece(" " * GUTTER)
    none: Line = []
    return [
        [*fit_pieces(one, width), gap, *other]
        for one, other in zip_longest(left, right, fillvalue=none)
    ]


def stacked_up(*sections: list[Line]) -> list[Line]:
    """Return sections below each other, with an empty line between them."""
    lines: list[Line] = []
    for section in sections:
        if section:
            lines += [[], *section] if lines else section
    return lines


# Wrapping: long texts as lines of a width, without measuring what nobody will look at.

CAREFUL = 10_000
FIRST_WIDE = 0x2E80
"""Where writings begin that have no spaces: there a line may end behind any character."""
NEVER_FIRST = frozenset("，。、：；？！）》」』】〉”’…")
NEVER_LAST = frozenset("（《「『【〈“‘")
"""Signs that a line of such a writing neither begins nor ends with."""


def wrap(text: str, width: int) -> list[str]:
    """Return a text as lines that fit; words stay whole where lines are of human length."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= width and (line.isascii() or cell_len(line) <= width):
            lines.append(line)
        elif len(line) > CAREFUL:
            # Every character takes two cells at most, so half as many always fit.
            step = width if line.isascii() else max(1, width // 2)
            lines += [line[i : i + step] for i in range(0, len(line), step)]
        else:
            lines += _words(line, width)
    return lines


def _words(line: str, width: int) -> Iterator[str]:
    """Yield a line in pieces, cut at spaces where there are any."""
    while line:
        end = _fitting(line, width)
        if end < len(line):
            end = _break(line, end) or end
        yield line[:end].rstrip(" ") if end < len(line) or end > width else line
        line = line[end:]


def _break(line: str, end: int) -> int:
    """Return the last place up to an end where a line may be cut, or 0."""
    space = line.rfind(" ", 1, end + 1) + 1
    if line[: end + 1].isascii():
        return space
    for at in range(end, max(space, 1), -1):
        before, after = line[at - 1], line[at]
        is_wide = ord(before) >= FIRST_WIDE or ord(after) >= FIRST_WIDE
        if is_wide and after not in NEVER_FIRST and before not in NEVER_LAST:
            return at
    return space


def _fitting(line: str, width: int) -> int:
    """Return how many characters at the start of a line fit."""
    piece = line[:width]
    if piece.isascii():
        return len(piece)
    while len(piece) > 1 and cell_len(piece) > width:
        piece = piece[: max(1, len(piece) - (cell_len(piece) - width + 1) // 2)]
    return len(piece)


# Words that flow: one behind the other, in as many lines as it takes.

GAP = "  "


def flow(words: Sequence[Line], width: int) -> list[Line]:
    """Return words with gaps between them, in as many lines as it takes; long ones are wrapped."""
    lines: list[Line] = [[]]
    used = 0
    for word in words:
        size = sum(cell_len(piece.text) for piece in word)
        if used and used + len(GAP) + size > width:
            lines.append([])
            used = 0
        if used:
            lines[-1].append(Piece(GAP))
            used += len(GAP)
        for text, kind in word:
            rows = wrap(text, max(10, width - used)) if size > width else [text]
            lines[-1].append(Piece(rows[0], kind))
            lines += [[Piece(row, kind)] for row in rows[1:]]
            used = cell_len(rows[-1]) + (used if len(rows) == 1 else 0)
    return lines


# Long texts: lines that are cut, and made safe, only when somebody looks at them.

LONG = 100_000
"""Characters from which a text is not worth breaking between words."""


class Lines(Sequence[Line]):
    """Lines that are made when they are asked for, one by one."""

    @abstractmethod
    def line(self, at: int) -> Line:
        """Return one line."""

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Line]: ...
    def __getitem__(self, at: int | slice) -> Line | Sequence[Line]:
        """Return a line, or some of them."""
        places = range(len(self))
        return (
            [self.line(i) for i in places[at]] if isinstance(at, slice) else self.line(places[at])
        )


class LongText(Lines):
    """A text as lines of a width, cut anywhere; measuring it costs a step for each of its lines."""

    def __init__(self, text: str, width: int, kind: str = "text") -> None:
        self._rows = text.split("\n")
        # Every character takes two cells at most, so half as many always fit.
        self._step = width if text.isascii() else max(1, width // 2)
        self._kind = kind
        counts = (max(1, -(-len(row) // self._step)) for row in self._rows)
        self._starts = [0, *accumulate(counts)]

    def __len__(self) -> int:
        """Return how many lines there are."""
        return self._starts[-1]

    def line(self, at: int) -> Line:
        """Return one line."""
        row = bisect_right(self._starts, at) - 1
        start = (at - self._starts[row]) * self._step
        return [Piece(visible(self._rows[row][start : start + self._step]), self._kind)]


class Joined(Lines):
    """Several sequences of lines one after the other, without copying any."""

    def __init__(self, parts: Iterable[Sequence[Line]]) -> None:
        self._parts = [part for part in parts if len(part)]
        self._starts = [0, *accumulate(map(len, self._parts))]

    def __len__(self) -> int:
        """Return how many lines there are."""
        return self._starts[-1]

    def line(self, at: int) -> Line:
        """Return one line."""
        part = bisect_right(self._starts, at) - 1
        return self._parts[part][at - self._starts[part]]
