"""Plots: stacked columns on a scale of round numbers, half a row exact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxtui.core.values.models import ROLES
from ctxtui.text.lines import Line, Piece, joined
from ctxtui.text.numbers import tokens

# Bars and the gauge: amounts as lines.

WHOLE = "█"
RESENT_BLOCK = "░"
"""A block of a prompt that was sent again uncached."""
FULL = "━"
HALF = "╸"
SHORT_BAR = "╴"


def bar(part: int, whole: int, width: int) -> str:
    """Return a line whose length is a share; something is never shown as nothing."""
    if part <= 0 or whole <= 0 or width <= 0:
        return ""
    halves = min(2 * width, round(2 * width * part / whole))
    if not halves:
        return SHORT_BAR
    return FULL * (halves // 2) + HALF * (halves % 2)


LEAST_BAR = 3
"""Cells below which a bar says nothing."""


def on_track(part: int, whole: int, width: int, kind: str, rest: str = "track") -> Line:
    """Return a bar with the rest of the whole behind it; nothing where there is no room."""
    if width < LEAST_BAR:
        return []
    text = bar(part, whole, width)
    return [Piece(text, kind), Piece(FULL * (width - len(text)), rest)]


def gauge(by_role: Mapping[str, int], limit: int | None, tick: int | None, width: int) -> Line:
    """Return the tokens of each role on a track up to the limit, with a tick at the threshold."""
    total = sum(by_role.values())
    whole = max(limit or 0, total)
    if not whole:
        return [Piece("─" * width, "track")]
    cells: list[Piece] = []
    seen = 0
    for role in ROLES:
        start, seen = round(width * seen / whole), seen + by_role[role]
        cells += [Piece(FULL, role)] * (round(width * seen / whole) - start)
    cells += [Piece("─", "track")] * (width - len(cells))
    if tick is not None and tick < whole:
        cells[min(width - 1, round(width * tick / whole))] = Piece("┼", "muted")
    return joined(cells)


# Tokens in the order they are sent: what a prompt cache keeps of them.


def cache_ruler(
    kept: int, total: int, scale: int, room: int, *, is_new: bool, dim: str = ""
) -> Line:
    """Return a line of tokens: what is kept, a tick where that ends, and the rest.

    What is only new is grey; what a cache has lost is red.
    """
    if room < 3 or not total:  # noqa: PLR2004 - kept, tick and the rest are a cell each
        return []
    cells = max(1, min(room, round(room * total / scale)))
    if kept >= total:
        return [Piece(WHOLE * cells, dim or "ok")]
    cells = max(3, cells)
    tick = max(1 if kept else 0, min(round(room * kept / scale), cells - 2))
    rest = "muted" if is_new else "error"
    return [
        Piece(WHOLE * tick, dim or "ok"),
        Piece("│", dim or "error"),
        Piece(RESENT_BLOCK * (cells - tick - 1), dim or rest),
    ]


# Dots: eight in a cell, so that a plot is twice as wide and four times as high as its cells.

WIDE, HIGH = 2, 4
"""Dots of a cell, across and down."""
EMPTY = 0x2800
BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bit of each dot in its character, by column and row."""


class Dots:
    """A field of cells; each has the ink of the first dot that was put into it."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(0, width), max(0, height)
        self._bits = [[0] * self.width for _ in range(self.height)]
        self._kinds = [[""] * self.width for _ in range(self.height)]

    def put(self, x: int, y: int, kind: str) -> None:
        """Put a dot, counted from the top left, unless the cell is another's."""
        column, row = x // WIDE, y // HIGH
        if not (0 <= column < self.width and 0 <= row < self.height):
            return
        owner = self._kinds[row][column]
        if owner in ("", kind):
            self._kinds[row][column] = kind
            self._bits[row][column] |= BITS[x % WIDE][y % HIGH]

    def down(self, x: int, first: int, last: int, kind: str) -> None:
        """Put dots below each other, both ends included, in whichever order they are given."""
        for y in range(min(first, last), max(first, last) + 1):
            self.put(x, y, kind)

    def cell(self, column: int, row: int) -> Piece | None:
        bits = self._bits[row][column]
        return Piece(chr(EMPTY + bits), self._kinds[row][column]) if bits else None


# Labels on an axis: round numbers, and texts under what they are about.


def round_steps() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def round_step(most: int, whole: int) -> int:
    """Return the smallest round step that divides a whole into no more than so many parts."""
    return next(step for step in round_steps() if step * max(1, most) >= whole)


def bucket_of(at: int, whole: int, cells: int) -> int:
    """Return the cell whose bucket holds a place, where a whole is shared out among cells."""
    return ((at + 1) * cells - 1) // whole


def placed(texts: Iterable[tuple[int, Piece]], room: int) -> Line:
    """Return a line of texts around their middles, none of them past the room.

    The first ones given have the right of way; what would touch another one is left out.
    """
    taken: dict[int, Piece] = {}
    for middle, piece in texts:
        size = len(piece.text)
        start = max(0, min(middle - size // 2, room - size))
        free = all(
            start + size < other or other + len(there.text) < start
            for other, there in taken.items()
        )
        if free and size <= room:
            taken[start] = piece
    line: Line = []
    at = 0
    for start, piece in sorted(taken.items()):
        line += [Piece(" " * (start - at)), piece]
        at = start + len(piece.text)
    return line


LOWER = "▄"
TICKS = (2, 3, 4, 5, 6)
"""How many rows may lie between two numbers of the axis."""
SLIGHT = 0.25
"""The part of a cell from which on something gets a cell of its own."""

Stack = Sequence[tuple[str, int]]
"""What is on top of each other in a column, from below: kinds and amounts."""


class Guide(NamedTuple):
    """A level that is drawn as a line through the plot."""

    value: int
    name: str
    kind: str
    mark: str = "╌"


class AxisScale(NamedTuple):
    """A round number for every few rows."""

    step: int
    rows: int

    def halves(self, value: int) -> int:
        """Return a value in half rows; something is never shown as nothing."""
        return max(round(2 * self.rows * value / self.step), 1 if value > 0 else 0)


def scale_for(peak: int, rows: int) -> AxisScale:
    """Return the tightest scale of round numbers on which a value fits into some rows."""
    few = [ticks for ticks in TICKS if 2 * ticks <= rows] or [1]
    found = [AxisScale(round_step(rows, peak * ticks), ticks) for ticks in few]
    return min(found, key=lambda scale: (scale.step / scale.rows, -scale.rows))


def stacked(stack: Stack, halves: int) -> list[Piece]:
    """Return the cells of a column from below, as many half rows high as given.

    A part that is much smaller than a cell is left out, but never the largest one.
    """
    units = -(-halves // 2)
    total = sum(amount for _, amount in stack)
    least = min(SLIGHT * total / max(1, units), max([amount for _, amount in stack], default=0))
    present = [(kind, amount) for kind, amount in stack if amount > 0 and amount >= least]
    while len(present) > units:
        present.remove(min(present, key=lambda part: part[1]))
    total = sum(amount for _, amount in present)
    cells: list[Piece] = []
    seen = 0
    for above, (kind, amount) in enumerate(present, start=1 - len(present)):
        seen += amount
        end = round(halves / 2 * seen / total) if above else units
        end = min(max(end, len(cells) + 1), units + above)
        cells += [Piece(WHOLE, kind)] * (end - len(cells))
    if halves % 2 and cells:
        cells[-1] = Piece(LOWER, cells[-1].kind)
    return cells


class Plot:
    """Columns side by side, with the numbers of the axis before and the guides' names behind."""

    def __init__(
        self,
        columns: Sequence[Stack],
        width: int,
        rows: int,
        *,
        guides: Iterable[Guide] = (),
        widest: int = 12,
    ) -> None:
        self.guides = sorted(guides)
        sums = [sum(amount for _, amount in stack) for stack in columns]
        self.peak = max([*sums, *(guide.value for guide in self.guides)], default=0)
        self.rows = rows
        self.scale = scale_for(self.peak, rows)
        self._numbers = self._axis()
        self.axis = axis_width([*self._numbers.values()])
        self.room = max(1, width - self.axis - names_width(self.guides))
        self.group = max(1, min(widest, self.room // max(1, len(columns))))
        self.bar = max(1, self.group * 2 // 3)
        self._columns = [
            stacked(stack, self.scale.halves(total))
            for stack, total in zip(columns, sums, strict=True)
        ][: self.room]

    def _axis(self) -> dict[int, Piece]:
        """Return the numbers of the axis by row; a guide's own goes before a round one."""
        own = {self._row(guide): Piece(tokens(guide.value), guide.kind) for guide in self.guides}
        step, rows = self.scale
        ticks = self.rows // rows if self.peak else 0
        round_ones = {i * rows - 1: i * step for i in range(1, ticks + 1)}
        near = {row + way for row in own for way in (-1, 1)}
        return {
            **{row: Piece(tokens(n), "muted") for row, n in round_ones.items() if row not in near},
            **own,
        }

    def _row(self, guide: Guide) -> int:
        return max(0, (self.scale.halves(guide.value) - 1) // 2)

    def lines(self) -> list[Line]:
        """Return the rows from the top, and the ground they stand on."""
        lined = {self._row(guide): guide for guide in self.guides}
        made = [self._line(row, lined.get(row)) for row in reversed(range(self.rows))]
        ground = [Piece(f"{'0':>{self.axis - 2}}", "muted"), Piece(" └" + "─" * self.room, "track")]
        return [*made, ground]

    def _line(self, row: int, guide: Guide | None) -> Line:
        number = self._numbers.get(row, Piece(""))
        blank = Piece(" ") if guide is None else Piece(guide.mark, guide.kind)
        before, after = self.margins
        cells: Line = []
        for column in self._columns:
            cell = column[row] if row < len(column) else blank
            cells += [blank] * before + [cell] * self.bar + [blank] * after
        cells += [blank] * (self.room - len(cells))
        edge = "┤" if number.text else "│"
        line = [Piece(f"{number.text:>{self.axis - 2}}", number.kind), Piece(f" {edge}", "track")]
        return [*line, *joined(cells), *([Piece(f" {guide.name}", guide.kind)] if guide else [])]

    @property
    def margins(self) -> tuple[int, int]:
        """Return the empty cells before and after the bar of a column."""
        before = (self.group - self.bar) // 2
        return before, self.group - self.bar - before

    def below(self, texts: Iterable[tuple[int, Piece]]) -> Line:
        """Return a line of texts under their columns; the first ones have the right of way."""
        middle = self.margins[0] + self.bar // 2
        at = [(column * self.group + middle, piece) for column, piece in texts]
        return [Piece(" " * self.axis), *placed(at, self.room)]


def axis_width(numbers: Sequence[Piece]) -> int:
    """Return the cells that the numbers of an axis and the axis itself take."""
    return max([5, *(len(piece.text) for piece in numbers)]) + 2


def names_width(guides: Sequence[Guide]) -> int:
    """Return the cells that the names of the guides take."""
    return max([0, *(len(guide.name) + 1 for guide in guides)])
