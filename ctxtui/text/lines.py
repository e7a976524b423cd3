"""Lines: pieces of text with a kind each, which a widget turns into colours."""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple, Self, overload

from rich.cells import cell_len, set_cell_size

from ctxtui.text.symbols import printable


class _Piece(NamedTuple):
    text: str
    kind: str


class Piece(_Piece):
    """Printable text of one kind; kinds are the component classes of the list widget.

    Here text of users and files becomes drawable: what a terminal would act on is a symbol.
    """

    __slots__ = ()

    def __new__(cls, text: str, kind: str = "text") -> Self:
        return tuple.__new__(cls, (text if text.isprintable() else printable(text), kind))


Line = list[Piece]
Span = tuple[str, str]
"""Text that may have line breaks, and its kind; `flow` makes lines of it."""

ON = "-on-"


def on_background(kind: str, tint: str) -> str:
    """Return a kind that brings a background of its own: the name of a tint."""
    return f"{kind}{ON}{tint}"


def line_width(line: Line) -> int:
    """Return how many cells a line takes."""
    return sum(cell_len(piece.text) for piece in line)


def fit(text: str, width: int) -> str:
    """Return a text in exactly so many cells, with an ellipsis where it was cut."""
    if width <= 0:
        return ""
    text = text[: width + 1]  # More characters than cells can't be seen.
    if not text.isprintable():
        text = printable(text)
    # Most text is plain: then characters are cells and nothing needs to be measured.
    if text.isascii():
        return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"
    if len(text) <= width and cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text[:width], width - 1) + "…"


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


def filled_row(line: Line, tint: str, width: int) -> Line:
    """Return a line in exactly so many cells, all of them on one background."""
    return [Piece(text, on_background(kind, tint)) for text, kind in fit_pieces(line, width)]


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


LEAST_PATH, LEAST_NAME = 100, 12
"""Columns below which the way to a screen is its name alone, and cells of a title at least."""


def breadcrumb(title: str, here: str, width: int) -> Line:
    """Return the way to a screen above a session: the library, the session, and its own name."""
    name = Piece(f" {here}" if not title else here, "bright")
    if not title:
        return [name]
    if width < LEAST_PATH:
        return [Piece(f" {fit(title, LEAST_NAME).rstrip()} › ", "muted"), name]
    return [Piece(f" Library › {fit(title, 3 * LEAST_NAME).rstrip()} › ", "muted"), name]


def spread(left: Line, right: Line, width: int) -> Line:
    """Return two ends of a line with space between them."""
    gap = max(0, width - line_width(left) - line_width(right))
    return fit_pieces([*left, Piece(" " * gap), *right], width)


def longest(ways: Iterable[tuple[Line, Line]], width: int) -> Line:
    """Return the first way to say something, in two ends, that fits; they get shorter and shorter.

    Only the last one is ever cut.
    """
    left: Line = []
    right: Line = []
    for left, right in ways:
        if line_width(left) + bool(right) + line_width(right) <= width:
            break
    return spread(left, right, width)


# Sections: parts of a view with a head each, below or next to each other.

GUTTER = 3


def head(title: str, about: Line, width: int) -> Line:
    """Return the line above a section: its title, a rule, and what it is about."""
    size = line_width(about)
    rule = width - len(title) - size - 2
    if rule < 1 or not size:
        rest = max(0, width - len(title) - 1)
        return fit_pieces([Piece(title, "bright"), Piece(" " + "─" * rest, "track")], width)
    return [Piece(title, "bright"), Piece(f" {'─' * rule} ", "track"), *about]


def cropped(lines: list[Line], width: int) -> list[Line]:
    """Return lines of which none is wider than given; the others stay as they are."""
    return [fit_pieces(line, width) if line_width(line) > width else line for line in lines]


def beside(left: list[Line], right: list[Line], width: int) -> list[Line]:
    """Return two lists of lines side by side, the left one as wide as given."""
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


# Wrapping: words stay whole where they can; writings without spaces break between characters.

CAREFUL = 10_000
"""Characters from which a line is cut anywhere, also within a word."""
OPENING = frozenset("\u3008\u300a\u300c\u300e\u3010\u3014\u3016\uff08\uff3b\uff5b“‘")
CLOSING = frozenset(
    "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\u3017\u3099\u309a\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3d\uff5d”’…"
)
"""Characters that a row never ends with, and never begins with."""
EMOJI_STYLE = "\ufe0f"
"""Makes the character before it a picture, which takes two cells."""
_WIDE = re.compile("[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003fffd]")


def wrap(text: str, width: int) -> list[str]:
    """Return a text of one paragraph as printable rows that fit; a line break is a symbol."""
    return wrap_lines(printable(text), width)


def wrap_lines(text: str, width: int) -> list[str]:
    """Return a text as printable rows that fit, with its own line breaks."""
    rows: list[str] = []
    for line in text.split("\n"):
        shown = line if line.isprintable() else printable(line)
        if len(shown) > CAREFUL:
            # Every character takes two cells at most, so half as many always fit.
            step = width if shown.isascii() else max(1, width // 2)
            rows += [shown[i : i + step] for i in range(0, len(shown), step)]
        else:
            rows += [shown[start:end] for start, end in _rows(shown, width)]
    return rows


def flow(spans: Iterable[Span], width: int) -> list[Line]:
    """Return text of several kinds as lines that fit, with its own line breaks."""
    lines: list[Line] = []
    for line in _broken(spans):
        text = "".join(piece.text for piece in line)
        lines += [cut_line(line, start, end) for start, end in _rows(text, width)]
    return lines


def paragraph(text: str, width: int, kind: str = "text") -> list[Line]:
    """Return a text of one paragraph as lines of one kind that fit."""
    return [[Piece(row, kind)] for row in wrap(text, max(1, width))]


def hanging(lead: Line, text: str, width: int, kind: str = "text") -> list[Line]:
    """Return a text wrapped behind a lead; later rows are indented as far."""
    indent = line_width(lead)
    rows = wrap(text, max(10, width - indent))
    return [
        [*(lead if at == 0 else [Piece(" " * indent)]), Piece(row, kind)]
        for at, row in enumerate(rows)
    ]


def chopped(text: str, width: int) -> list[str]:
    """Return a text cut into rows that fit, anywhere between two characters."""
    parts, start = [], 0
    while start < len(text):
        end = _fitting(text, start, width)
        parts.append(text[start:end])
        start = end
    return parts or [""]


def _broken(spans: Iterable[Span]) -> Iterator[Line]:
    line: Line = []
    for text, kind in spans:
        first, *others = text.split("\n")
        line.append(Piece(first, kind))
        for other in others:
            yield joined(line)
            line = [Piece(other, kind)]
    yield joined(line)


def cut_line(line: Line, start: int, end: int) -> Line:
    """Return a part of a line, from one character up to another."""
    made: Line = []
    for text, kind in line:
        if end <= 0:
            break
        part = text[max(0, start) : end]
        if part:
            made.append(Piece(part, kind))
        start, end = start - len(text), end - len(text)
    return made


def _rows(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Yield where each row of a text begins and ends; spaces at a break are in no row."""
    start = 0
    while True:
        end = _fitting(text, start, width)
        if end == len(text):
            yield start, end
            return
        at = _break(text, start, end) or end
        stop = start + len(text[start:at].rstrip(" "))
        if stop > start:
            yield start, stop
        start = at + len(text[at:]) - len(text[at:].lstrip(" "))
        if start == len(text):
            if stop == 0:
                yield 0, 0
            return


def _break(text: str, start: int, end: int) -> int:
    """Return the last place up to an end where a row may end, or 0."""
    if text[end] == " ":
        return end
    space = text.rfind(" ", start, end) + 1
    if text[space:end].isascii() and not _WIDE.match(text[end]):
        return space if space > start else 0
    for at in range(end, max(space, start + 1) - 1, -1):
        before, after = text[at - 1], text[at]
        is_wide = _WIDE.match(after) or _WIDE.match(_base(text, at))
        if is_wide and after not in CLOSING and before not in OPENING and cell_len(after):
            return at
    return space if space > start else 0


def _base(text: str, at: int) -> str:
    """Return the character before a place; behind closing ones, the one that they close."""
    at -= 1
    while at and text[at] in CLOSING:
        at -= 1
    return text[at]


def _fitting(text: str, start: int, width: int) -> int:
    """Return up to where a text fits from a place on; a character keeps the marks on it."""
    if text[start : start + width + 1].isascii():
        return min(len(text), start + width)
    base, used = start, 0
    for at in range(start, len(text)):
        size = cell_len(text[at])
        if size:
            base = at
        elif text[at] == EMOJI_STYLE:
            size = 1
        if used + size > width and base > start:
            return base
        used += size
    return len(text)


GAP = "  "


def in_rows(words: Sequence[Line], width: int) -> list[Line]:
    """Return words with gaps between them, in as many lines as it takes; long ones are wrapped."""
    lines: list[Line] = [[]]
    used = 0
    for word in words:
        size = line_width(word)
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


# Long texts: lines that are cut, and made safe, only when they are in sight.

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
        return self._starts[-1]

    def line(self, at: int) -> Line:
        row = bisect_right(self._starts, at) - 1
        start = (at - self._starts[row]) * self._step
        return [Piece(self._rows[row][start : start + self._step], self._kind)]


class Joined(Lines):
    """Several sequences of lines one after the other, without copying any."""

    def __init__(self, parts: Iterable[Sequence[Line]]) -> None:
        self._parts = [part for part in parts if len(part)]
        self._starts = [0, *accumulate(map(len, self._parts))]

    def __len__(self) -> int:
        return self._starts[-1]

    def line(self, at: int) -> Line:
        part = bisect_right(self._starts, at) - 1
        return self._parts[part][at - self._starts[part]]
