"""The plot of a sweep: calls that fail against what it costs, clean settings on the floor."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ctxtui.core.policies.simulation import Setting
from ctxtui.render.sweep.points import CLEAN, OVER, STAR, PriceAxis, Series, heights
from ctxtui.render.text.choosing import longest
from ctxtui.render.text.dots import HIGH, WIDE, Dots
from ctxtui.render.text.labels import placed, round_step
from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.render.text.severity import ERROR

LEAD_CELLS = 6
EDGE_CELLS = 3
ROWS_BELOW = 5
ROWS_A_NUMBER = 4
APART = 3
"""Cells before the plot and kept free at its sides, rows below it, rows between two numbers of
the scale, and how many dots of the line between two settings one is drawn."""

Cell = tuple[int, int]


class SweepPlot:
    """All series for a size: worked out once, then drawn with any cursor."""

    def __init__(
        self,
        series: Sequence[Series],
        calls: int,
        size: tuple[int, int],
        *,
        is_money: bool,
        must: str,
    ) -> None:
        self.width, height = size
        self.rows = max(2, height - ROWS_BELOW)
        self.cells = max(1, self.width - LEAD_CELLS)
        self._series, self._calls, self._must = series, max(1, calls), must
        prices = [one.price for line in series for one in line.settings]
        room = self.cells - 2 * EDGE_CELLS
        self.axis = PriceAxis(prices, room, is_money=is_money)
        self.places: dict[Cell, Setting] = {}
        self._signs: dict[Cell, Piece] = {}
        self._dots = Dots(self.cells, self.rows)
        self._letters: dict[Cell, Piece] = {}
        for one in sorted(series, key=lambda line: not line.is_near):
            self._draw(one)

    def _cell(self, setting: Setting, count: int) -> Cell:
        column = EDGE_CELLS + self.axis.cell(setting.price)
        return column, self._row(count)

    def _row(self, count: int) -> int:
        """Return the row of a number of calls, from the top; one call is never none."""
        floor = self.rows - 1
        return floor - max(round(floor * count / self._calls), 1 if count else 0)

    def _draw(self, series: Series) -> None:
        lines: dict[str, list[Cell]] = {}
        floor: list[Cell] = []
        for setting in series.settings:
            for count, piece in heights(setting):
                cell = self._cell(setting, count)
                kind = piece.kind if series.is_near else "dim"
                self._signs.setdefault(cell, Piece(piece.text, kind))
                self.places.setdefault(cell, setting)
                if count:
                    lines.setdefault(piece.text, []).append(cell)
                else:
                    floor.append(cell)
        if series.is_near:
            for cells in lines.values():
                for one, other in pairwise(cells):
                    self._join(self._dots, one, other, "dim", 1)
            for column, row in [max(cells) for cells in (*lines.values(), floor) if cells]:
                self._letters[min(column + 2, self.cells - 1), row] = Piece(series.letter, "bright")

    @staticmethod
    def _join(dots: Dots, one: Cell, other: Cell, kind: str, apart: int) -> None:
        """Draw a straight line of dots between two cells."""
        (x, y), (to_x, to_y) = _middle(one), _middle(other)
        steps = max(abs(to_x - x), abs(to_y - y), 1)
        for at in range(0, steps + 1, apart):
            dots.put(x + (to_x - x) * at // steps, y + (to_y - y) * at // steps, kind)

    # Drawing

    def lines(self, here: Setting | None, beside: Setting | None) -> list[Line]:
        """Return the plot with the cursor on a setting, joined with the one beside it."""
        mine, theirs = self._cells_of(here), self._cells_of(beside)
        way = Dots(self.cells, self.rows)
        if mine and theirs:
            self._join(way, theirs[0], mine[0], "key", APART)
        labels = {**self._labels(here, beside), **self._letters}
        lines = [self._line(row, mine, way, labels) for row in range(self.rows)]
        return [*lines, *self._below(here)]

    def _cells_of(self, setting: Setting | None) -> list[Cell]:
        """Return where a setting stands, highest first."""
        found = [] if setting is None else [self._cell(setting, at) for at, _ in heights(setting)]
        return sorted(found, key=lambda cell: cell[1])

    def _line(self, row: int, mine: Sequence[Cell], way: Dots, labels: dict[Cell, Piece]) -> Line:
        floor = row == self.rows - 1
        blank = Piece("━", "track") if floor else Piece(" ")
        cells = []
        for column in range(self.cells):
            cell = (column, row)
            sign = self._signs.get(cell)
            if cell in mine and sign is not None:
                cells.append(Piece(sign.text, "chip"))
            else:
                drawn = way.cell(column, row) or self._dots.cell(column, row)
                cells.append(sign or labels.get(cell) or drawn or blank)
        return [self._number(row), *joined(cells)]

    def _number(self, row: int) -> Piece:
        if row == self.rows - 1:
            return Piece(f"{'0':>{LEAD_CELLS - 1}} ", "ok")
        step = round_step(max(1, self.rows // ROWS_A_NUMBER), self._calls)
        near = {self._row(count): count for count in range(step, self._calls - step // 2, step)}
        shown = {**near, self._row(self._calls): self._calls}
        return Piece(f"{shown.get(row, ''):>{LEAD_CELLS - 1}} ", "faint")

    def _labels(self, here: Setting | None, beside: Setting | None) -> dict[Cell, Piece]:
        """Return the values above the highest signs: the ends of each line, and the cursor."""
        found: dict[Cell, Piece] = {}
        for series in self._series:
            failing = [one for one in series.settings if one.figures.failing and series.is_near]
            shown = [one for one in failing if one is here or one is beside]
            for setting in [*shown, *failing[:1], *failing[-1:]]:
                column, row = self._cells_of(setting)[0]
                text = str(setting.value)
                kind = "bright" if setting is here or setting is beside else "faint"
                start = min(column, self.cells - len(text))
                cells = [(start + at, row - 1) for at in range(len(text))]
                if row and not any(cell in self._signs or cell in found for cell in cells):
                    found.update(
                        (cell, Piece(char, kind)) for cell, char in zip(cells, text, strict=True)
                    )
        return found

    def _below(self, here: Setting | None) -> list[Line]:
        """Return the values of clean settings, the axis with its prices, and what signs mean."""
        lead = Piece(" " * LEAD_CELLS)
        clean = [
            one for line in self._series if line.is_near for one in line.settings if _is_clean(one)
        ]
        chosen = [one for one in clean if one is here]
        named = [*chosen, *clean[:1], *clean[-1:], *clean]
        values = [
            (
                self._cell(one, 0)[0],
                Piece(str(one.value), "key" if one is here else "faint"),
            )
            for one in named
        ]
        ticks = {EDGE_CELLS + self.axis.cell(price): price for price in self.axis.ticks()}
        rule = "".join("┬" if at in ticks else "─" for at in range(self.cells))
        prices = [(at, Piece(self.axis.told(price), "faint")) for at, price in ticks.items()]
        ends = [(0, Piece("cheap", "faint")), (self.cells, Piece("dear", "faint"))]
        return [
            [lead, *placed(values, self.cells)],
            [lead, Piece(rule, "track")],
            [lead, *placed([*prices, *ends], self.cells)],
            [],
            self._signs_told(),
        ]

    def _signs_told(self) -> Line:
        broken = [ERROR.piece(), Piece("broken  ", "muted")]
        told = self._must or "what must stay"
        lacks = [Piece(f"{STAR} ", "error"), Piece(f"without {told}   ", "muted")]
        clean = [Piece(f"{CLEAN} ", "ok"), Piece("clean  ", "muted")]
        room = [Piece(f"{CLEAN} ", "warn"), Piece("above 80 %  ", "muted")]
        over = [Piece(f"{OVER} ", "warn"), Piece("above the limit", "muted")]
        lead = [Piece(" " * LEAD_CELLS)]
        return longest(
            [
                ([*lead, *broken, *lacks, *clean, *room, *over], []),
                ([*broken, *lacks, *clean, *room, *over], []),
                ([*broken, *lacks, *clean], []),
            ],
            self.width,
        )

    def setting_at(self, x: int, y: int) -> Setting | None:
        """Return the setting drawn nearest to a place, if one is near."""
        near = sorted(
            (abs(column + LEAD_CELLS - x) + 2 * abs(row - y), at)
            for at, (column, row) in enumerate(self.places)
        )
        if not near or near[0][0] > HIGH:
            return None
        return list(self.places.values())[near[0][1]]


def _is_clean(setting: Setting) -> bool:
    return not setting.figures.failing


def _middle(cell: Cell) -> tuple[int, int]:
    return cell[0] * WIDE, cell[1] * HIGH + 1
