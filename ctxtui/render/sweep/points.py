"""Points of a sweep: what of a setting is drawn, with which sign and ink."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from ctxtui.core.policies.simulation import Setting
from ctxtui.models.sweep_cursor import SweepCursor
from ctxtui.render.over_run.words import money
from ctxtui.render.text.lines import Piece
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR

STAR = "★"
CLEAN, OVER = "●", "○"
"""No call fails; the same, but the largest is above the limit."""


class Series(NamedTuple):
    """The settings of one policy, and whether they are what is looked at or beside it."""

    letter: str
    name: str
    settings: Sequence[Setting]
    is_near: bool


class Room(NamedTuple):
    """How much room a setting leaves below the limit, as a sign and an ink."""

    sign: str
    kind: str


def room_of(setting: Setting) -> Room:
    """Return the sign of a setting without a failing call."""
    figures = setting.figures
    if figures.limit is not None and figures.peak > figures.limit:
        return Room(OVER, "warn")
    return Room(CLEAN, "ok" if setting.has_room else "warn")


def heights(setting: Setting) -> list[tuple[int, Piece]]:
    """Return how high a setting stands, and with which signs: broken and lacking apart."""
    figures = setting.figures
    if not figures.failing:
        room = room_of(setting)
        return [(0, Piece(room.sign, room.kind))]
    found = [(figures.broken, ERROR.glyph), (figures.without_marked, STAR)]
    return [(count, Piece(sign, ERROR.kind)) for count, sign in found if count]


def series_of(cursor: SweepCursor) -> list[Series]:
    """Return the policies of a sweep, the one that is looked at first, then the one beside it."""
    sweep = cursor.sweep
    near = [one.id for one in (cursor.contender, cursor.rival) if one is not None]
    order = sorted(sweep.swept, key=lambda one: near.index(one.id) if one.id in near else len(near))
    return [
        Series(sweep.comparison.letter(one), one.name, sweep.settings(one), one.id in near)
        for one in order
    ]


class PriceAxis:
    """Where a price stands on a line of cells: twice as dear is as far everywhere."""

    def __init__(self, prices: Sequence[float], cells: int, *, is_money: bool) -> None:
        real = [price for price in prices if price > 0]
        self.low, self.high = min(real, default=1.0), max(real, default=1.0)
        self.cells = max(1, cells)
        self._is_money = is_money

    def cell(self, price: float) -> int:
        """Return the cell of a price; what costs nothing stands with the cheapest."""
        span = log(self.high / self.low)
        if price <= self.low or not span:
            return 0 if span else self.cells // 2
        return min(self.cells - 1, round((self.cells - 1) * log(price / self.low) / span))

    def told(self, price: float) -> str:
        """Return a price in a few cells."""
        return money(price) if self._is_money else tokens(round(price))

    def ticks(self) -> list[float]:
        """Return the round prices on the axis."""
        found, power = [], 1e-6
        while power <= self.high:
            found += [power * one for one in (1, 2, 5)]
            power *= 10
        return [price for price in found if self.low <= price <= self.high]
