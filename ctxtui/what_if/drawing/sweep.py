"""The list of the settings of a sweep."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log
from typing import Any, NamedTuple

from ctxtui.core.policies.simulation import FRONT_RULE, SHIP_RULE, SweepSetting
from ctxtui.text.icons import ERROR, PASSED
from ctxtui.text.line_source import LineSource
from ctxtui.text.lines import (
    Line,
    Piece,
    Span,
    beside,
    cropped,
    cut_line,
    filled_row,
    fit,
    flow,
    joined,
    longest,
    paragraph,
    wrap,
)
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import HIGH, WIDE, Dots, placed, round_step
from ctxtui.text.plurals import percent, plural
from ctxtui.text.symbols import printable
from ctxtui.what_if.drawing.words import NAME_CHARACTERS, STAR, WALKING, money
from ctxtui.what_if.models.comparison import Strategy
from ctxtui.what_if.models.sweep import PolicySweep, SweepCursor

# Points of a sweep: what of a setting is drawn, with which sign and ink.

CLEAN, OVER = "●", "○"
"""No call fails; the same, but the largest is above the limit."""


class Series(NamedTuple):
    """The settings of one policy, and whether it is selected or compared with that."""

    letter: str
    name: str
    settings: Sequence[SweepSetting]
    is_near: bool


class Room(NamedTuple):
    """How much room a setting leaves below the limit, as a sign and an ink."""

    sign: str
    kind: str


def room_of(setting: SweepSetting) -> Room:
    """Return the sign of a setting without a failing call."""
    figures = setting.figures
    if figures.limit is not None and figures.peak > figures.limit:
        return Room(OVER, "warn")
    return Room(CLEAN, "ok" if setting.has_room else "warn")


def heights(setting: SweepSetting) -> list[tuple[int, Piece]]:
    """Return how high a setting is drawn, and with which symbols: broken and lacking apart."""
    figures = setting.figures
    if not figures.failing:
        room = room_of(setting)
        return [(0, Piece(room.sign, room.kind))]
    found = [(figures.broken, ERROR.glyph), (figures.without_marked, STAR)]
    return [(count, Piece(sign, ERROR.kind)) for count, sign in found if count]


def series_of(cursor: SweepCursor) -> list[Series]:
    """Return the policies of a sweep, the one that is selected first, then the one next to it."""
    sweep = cursor.sweep
    near = [one.id for one in (cursor.strategy, cursor.rival) if one is not None]
    order = sorted(sweep.swept, key=lambda one: near.index(one.id) if one.id in near else len(near))
    return [
        Series(sweep.comparison.letter(one), one.name, sweep.settings(one), one.id in near)
        for one in order
    ]


class PriceAxis:
    """Where a price is on a line of cells: the scale is logarithmic."""

    def __init__(self, prices: Sequence[float], cells: int, *, is_money: bool) -> None:
        real = [price for price in prices if price > 0]
        self.low, self.high = min(real, default=1.0), max(real, default=1.0)
        self.cells = max(1, cells)
        self._is_money = is_money

    def cell(self, price: float) -> int:
        span = log(self.high / self.low)
        if price <= self.low or not span:
            return 0 if span else self.cells // 2
        return min(self.cells - 1, round((self.cells - 1) * log(price / self.low) / span))

    def text(self, price: float) -> str:
        return money(price) if self._is_money else tokens(round(price))

    def ticks(self) -> list[float]:
        found, power = [], 1e-6
        while power <= self.high:
            found += [power * one for one in (1, 2, 5)]
            power *= 10
        return [price for price in found if self.low <= price <= self.high]


# The plot of a sweep: calls that fail against what it costs, clean settings on the floor.

LEAD_CELLS = 6
EDGE_CELLS = 3
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
        self.rows = max(2, height - 5)
        self.cells = max(1, self.width - LEAD_CELLS)
        self._series, self._calls, self._must = series, max(1, calls), must
        prices = [one.price for line in series for one in line.settings]
        room = self.cells - 2 * EDGE_CELLS
        self.axis = PriceAxis(prices, room, is_money=is_money)
        self.places: dict[Cell, SweepSetting] = {}
        self._signs: dict[Cell, Piece] = {}
        self._dots = Dots(self.cells, self.rows)
        self._letters: dict[Cell, Piece] = {}
        for one in sorted(series, key=lambda line: not line.is_near):
            self._draw(one)

    def _cell(self, setting: SweepSetting, count: int) -> Cell:
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
        (x, y), (to_x, to_y) = _middle(one), _middle(other)
        steps = max(abs(to_x - x), abs(to_y - y), 1)
        for at in range(0, steps + 1, apart):
            dots.put(x + (to_x - x) * at // steps, y + (to_y - y) * at // steps, kind)

    # Drawing

    def lines(self, here: SweepSetting | None, beside: SweepSetting | None) -> list[Line]:
        mine, theirs = self._cells_of(here), self._cells_of(beside)
        way = Dots(self.cells, self.rows)
        if mine and theirs:
            self._join(way, theirs[0], mine[0], "key", APART)
        labels = {**self._labels(here, beside), **self._letters}
        lines = [self._line(row, mine, way, labels) for row in range(self.rows)]
        return [*lines, *self._below(here)]

    def _cells_of(self, setting: SweepSetting | None) -> list[Cell]:
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
        step = round_step(max(1, self.rows // 4), self._calls)
        near = {self._row(count): count for count in range(step, self._calls - step // 2, step)}
        shown = {**near, self._row(self._calls): self._calls}
        return Piece(f"{shown.get(row, ''):>{LEAD_CELLS - 1}} ", "faint")

    def _labels(self, here: SweepSetting | None, beside: SweepSetting | None) -> dict[Cell, Piece]:
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

    def _below(self, here: SweepSetting | None) -> list[Line]:
        """Return the values of clean settings, the axis with its prices, and what signs mean."""
        lead = Piece(" " * LEAD_CELLS)
        near = [one for line in self._series if line.is_near for one in line.settings]
        clean = [one for one in near if not one.figures.failing]
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
        prices = [(at, Piece(self.axis.text(price), "faint")) for at, price in ticks.items()]
        ends = [(0, Piece("cheap", "faint")), (self.cells, Piece("dear", "faint"))]
        return [
            [lead, *placed(values, self.cells)],
            [lead, Piece(rule, "track")],
            [lead, *placed([*prices, *ends], self.cells)],
            [],
            self._legend(),
        ]

    def _legend(self) -> Line:
        broken = [ERROR.piece(), Piece("broken  ", "muted")]
        text = self._must or "what must stay"
        lacks = [Piece(f"{STAR} ", "error"), Piece(f"without {text}   ", "muted")]
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

    def setting_at(self, x: int, y: int) -> SweepSetting | None:
        """Return the setting drawn nearest to a place, if one is near."""
        near = sorted(
            (abs(column + LEAD_CELLS - x) + 2 * abs(row - y), at)
            for at, (column, row) in enumerate(self.places)
        )
        if not near or near[0][0] > HIGH:
            return None
        return list(self.places.values())[near[0][1]]


def _middle(cell: Cell) -> tuple[int, int]:
    return cell[0] * WIDE, cell[1] * HIGH + 1


# One setting as one would ship it: its figures, its policy as JSON, and its neighbours.

WIDE_CELLS = 100
INDENT = "    "
"""Cells from which on the policy is next to its neighbours, its share of them, and how far the
rest of a long line is indented."""


def sentence(text: str) -> str:
    """Return a rule as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def ship_lines(cursor: SweepCursor, rows: int, width: int) -> list[Line]:
    """Return the setting under the cursor, as far as there are rows for it."""
    setting = cursor.setting
    if setting is None:
        problem = cursor.sweep.comparison.problem
        words = ERROR.text(printable(problem)) if problem else WALKING
        return paragraph(words, width, "muted")
    head = filled_row(_figures(cursor, setting, width), "cursor", width)
    near = [_neighbour(setting, one) for one in cursor.neighbours()]
    near.append([Piece("the same file for simulate, the app and your agent", "faint")])
    if width < WIDE_CELLS:
        return cropped([head, *near], width)[:rows]
    room = round(0.5 * width)
    text = _json(cursor, setting, room - 2, max(1, rows - 2))
    return cropped([head, [], *beside(text, near, room)], width)[:rows]


def _figures(cursor: SweepCursor, setting: SweepSetting, width: int) -> Line:
    figures, sweep = setting.figures, cursor.sweep.sweep
    strategy = cursor.strategy
    letter = "" if strategy is None else cursor.sweep.comparison.letter(strategy)
    name = printable(setting.policy.name, NAME_CHARACTERS)
    lead = [
        Piece(f" {letter} {name}  ", "bright"),
        Piece(f"{'' if sweep is None else sweep.name} {setting.value:,}", "text"),
    ]
    fails = [
        _count(figures.broken, ERROR.glyph, "broken"),
        _count(figures.without_marked, "★", "without ★"),
    ]
    sent = [
        *_figure(tokens(figures.tokens_sent), "sent"),
        *_figure(tokens(figures.tokens_outside_prefix), "outside"),
    ]
    limit = "" if figures.limit is None else f" of {tokens(figures.limit)}"
    peak = [
        Piece("   peak ", "muted"),
        Piece(tokens(figures.peak), "bright"),
        Piece(limit, "muted"),
    ]
    cost = [Piece(f"   {money(figures.cost)} ", "bright")] if figures.cost is not None else []
    return longest(
        [
            (lead, [*fails, *sent, *peak, *cost]),
            (lead, [*fails, *peak, *cost]),
            (lead, [*fails, *cost]),
            (lead, fails),
        ],
        width,
    )


def _count(count: int, sign: str, word: str) -> Piece:
    if not count:
        return Piece(f"   {PASSED.text(f'0 {word}')}", PASSED.kind)
    return Piece(f"   {sign} {count:,} {word}", ERROR.kind)


def _figure(number: str, word: str) -> Line:
    return [Piece(f"   {number}", "bright"), Piece(f" {word}", "muted")]


# The policy


def _json(cursor: SweepCursor, setting: SweepSetting, width: int, rows: int) -> list[Line]:
    """Return the policy as JSON, a line for each of its parts, cut where there is no room."""
    data = setting.policy.to_dict()
    name = "" if cursor.sweep.sweep is None else cursor.sweep.sweep.name
    lines: list[Line] = []
    for at, (key, value) in enumerate(data.items()):
        lead = "{" if at == 0 else " "
        end = "}" if at == len(data) - 1 else ","
        part = [(lead, "text"), *_field_spans(key, value, name, setting.value), (end, "text")]
        first, *rest = flow(part, max(8, width - 2 - len(INDENT)))
        lines += [first, *([Piece(INDENT), *row] for row in rest)]
    if len(lines) > rows:
        lines = [*lines[: rows - 1], [*cut_line(lines[rows - 1], 0, width - 4), Piece(" …")]]
    return [filled_row([Piece(" "), *line], "opened", width) for line in lines]


def _field_spans(key: str, value: Any, name: str, swept: int) -> Iterator[Span]:
    """Yield a field as JSON; a value of the swept name is bright."""
    yield f"{json.dumps(key)}: ", "text"
    if key == name and value == swept:
        yield json.dumps(value), "key"
    else:
        yield from _value_spans(value, name, swept)


def _value_spans(value: Any, name: str, swept: int) -> Iterator[Span]:
    match value:
        case dict():
            parts = (_field_spans(key, one, name, swept) for key, one in value.items())
            before, after = "{", "}"
        case list() | tuple():
            parts = (_value_spans(one, name, swept) for one in value)
            before, after = "[", "]"
        case _:
            yield json.dumps(value, ensure_ascii=False), "text"
            return
    yield before, "text"
    for at, part in enumerate(parts):
        if at:
            yield ", ", "text"
        yield from part
    yield after, "text"


# The values before and after


def _neighbour(setting: SweepSetting, other: SweepSetting) -> Line:
    """Return in a few words what the next value would give instead."""
    figures, theirs = setting.figures, other.figures
    has_cost = figures.cost is not None and theirs.cost is not None
    more = other.price - setting.price
    amount = money(abs(more)) if has_cost else f"{tokens(round(abs(more)))} tokens"
    words: Line = []
    if theirs.failing != figures.failing:
        calls = plural(theirs.failing, "call")
        words.append(Piece(f"{calls} would fail, ", "error" if theirs.failing else "ok"))
    words.append(Piece(f"{'costs' if more > 0 else 'saves'} {amount}", "muted"))
    if theirs.limit is not None and not other.has_room:
        share = Piece(percent(theirs.peak, theirs.limit), "warn")
        words += [Piece(", peaks at ", "muted"), share, Piece(" of the limit", "muted")]
    kept = round(theirs.messages_kept - figures.messages_kept)
    if kept:
        word = plural(abs(kept), "message")
        words.append(Piece(f", keeps {word} {'more' if kept > 0 else 'less'}", "muted"))
    return [Piece(f"{other.value:>6,}  ", "bright"), *words]


# In short


def facts_lines(cursor: SweepCursor, width: int) -> list[Line]:
    """Return what there is to say of each policy, and both rules in full."""
    text = paragraph(_verdicts(cursor.sweep), width)
    rules = [sentence(rule) for rule in _rules(cursor.sweep)]
    return text + [[Piece(row, "faint")] for rule in rules for row in wrap(rule, max(1, width))]


def _rules(sweep: PolicySweep) -> tuple[str, ...]:
    return (FRONT_RULE, SHIP_RULE) if sweep.family is None else sweep.family.rules


def _verdicts(sweep: PolicySweep) -> str:
    """Return a sentence about the settings of each policy; equal ones are combined."""
    alike: dict[str, list[str]] = {}
    swept = {one.id for one in sweep.swept}
    for one in sweep.comparison.strategies:
        letter = sweep.comparison.letter(one)
        if one.id in swept and sweep.family is not None:
            alike.setdefault(_of(sweep.settings(one)), []).append(letter)
        elif one.policy is not None and one.id not in swept and sweep.sweep is not None:
            alike.setdefault(f"no {printable(sweep.sweep.name, 20)} to sweep.", []).append(letter)
    return " ".join(f"{' '.join(letters)}: {text}" for text, letters in alike.items())


def _of(settings: Sequence[SweepSetting]) -> str:
    clean = [one for one in settings if not one.figures.failing]
    if not clean:
        return "no value is without a failing call."
    if len(clean) == len(settings):
        roomy = [one for one in clean if one.has_room]
        if len(roomy) == len(clean):
            return "every value is clean and has room."
        return "every value is clean, so the limit decides."
    return f"{len(clean):,} of {plural(len(settings), 'value')} are clean."


def verdict(cursor: SweepCursor) -> tuple[str, str]:
    """Return the title of the box, and the text next to it."""
    sweep = cursor.sweep
    done, whole = sweep.progress
    if sweep.family is None:
        return "This setting", f"{done:,} of {plural(whole, 'setting')} known"
    if cursor.is_shipped:
        return "You would ship this", "clean, widest, peak at most 80 % of the limit"
    if sweep.recommended is None:
        return "This setting", "none is fit to ship: clean, peak at most 80 % of the limit"
    name = "" if sweep.sweep is None else sweep.sweep.name
    return "This setting", f"{name} {sweep.recommended[1]:,} would be shipped; press K"


# The table of a sweep: a line for each value, with what two policies give for it.

VALUE_CELLS = 7
COUNT_CELLS = 5
PRICE_CELLS = 9
GROUP_CELLS = 2 * COUNT_CELLS + PRICE_CELLS
"""Cells of a value, a number of calls, a price, and of all that is said of a setting."""


def column_heads(is_clean: bool, has_cost: bool) -> Line:
    """Return the names of the columns of a group: what fails, or where nothing does the peak."""
    price = f"{'cost' if has_cost else 'outside':>{PRICE_CELLS}}"
    if is_clean:
        return [Piece(f"{'peak':>{2 * COUNT_CELLS}}{price}", "faint")]
    return [Piece(f"{ERROR.glyph:>{COUNT_CELLS}}{STAR:>{COUNT_CELLS}}{price}", "faint")]


def setting_cells(setting: SweepSetting | None, *, is_front: bool) -> Line:
    """Return one setting: its failing calls, or where there are none the peak, and the price."""
    if setting is None:
        return [Piece(f"{'…':>{2 * COUNT_CELLS}}{'':>{PRICE_CELLS}}", "faint")]
    figures = setting.figures
    price = money(figures.cost) if figures.cost is not None else tokens(round(setting.price))
    cost = Piece(f"{price:>{PRICE_CELLS}}", "bright" if is_front else "muted")
    if figures.failing:
        return [
            Piece(f"{figures.broken or '·':>{COUNT_CELLS}}", "error"),
            Piece(f"{figures.without_marked or '·':>{COUNT_CELLS}}", "error"),
            cost,
        ]
    room = room_of(setting)
    peak = tokens(figures.peak)
    gap = 2 * COUNT_CELLS - len(peak) - 2
    return [
        Piece(f"{' ' * gap}{room.sign} ", room.kind),
        Piece(peak, "text" if room.kind == "ok" else room.kind),
        cost,
    ]


class SettingSource(LineSource):
    """A line for each value: what the policy of the cursor gives, and the one next to it.

    A line's key is its value.
    """

    def __init__(self, cursor: SweepCursor) -> None:
        self._sweep = cursor.sweep
        self._values = list(cursor.sweep.values)
        self._name = "" if cursor.sweep.sweep is None else cursor.sweep.sweep.name
        shown = (cursor.rival, cursor.strategy)
        self._shown = [one for one in shown if one is not None]
        if len(self._shown) == 2:  # noqa: PLR2004 - in the order of their letters
            order = [one.id for one in cursor.sweep.comparison.strategies]
            self._shown.sort(key=lambda one: order.index(one.id))
        self._here = cursor.strategy

    def __len__(self) -> int:
        return len(self._values)

    def key(self, at: int) -> int:
        return self._values[at]

    def find(self, key: int) -> int | None:
        return self._values.index(key) if key in self._values else None

    def headers(self, width: int) -> list[Line]:
        has_cost = self._sweep.comparison.prices is not None
        letter = self._sweep.comparison.letter
        shown = self._fitting(width)
        name = fit(self._name[:20], VALUE_CELLS)
        names: Line = [Piece(" " * VALUE_CELLS)]
        heads: Line = [Piece(f"{name.strip():>{VALUE_CELLS}}", "faint")]
        for one in shown:
            name = fit(one.name[:40], GROUP_CELLS - 4)
            names += [Piece(f"  {letter(one)} ", "bright"), Piece(name, "muted")]
            settings = self._sweep.settings(one)
            is_clean = bool(settings) and not any(one.figures.failing for one in settings)
            heads += column_heads(is_clean, has_cost)
        return [names, heads] if self._values else []

    def line(self, at: int, width: int) -> Line:
        value = self._values[at]
        line = [Piece(f"{value:>{VALUE_CELLS},}", "bright")]
        for one in self._fitting(width):
            setting = self._sweep.setting((one.id, value))
            line += setting_cells(setting, is_front=self._sweep.is_front(setting))
        return line

    def _fitting(self, width: int) -> list[Strategy]:
        """Return the policies there is room for; the one of the cursor is always there."""
        most = max(1, (width - VALUE_CELLS) // GROUP_CELLS)
        if len(self._shown) <= most or self._here is None:
            return self._shown
        return [self._here]
