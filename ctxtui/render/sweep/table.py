"""The table of a sweep: a line for each value, with what two policies give for it."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.policies.simulation import Setting
from ctxtui.render.over_run.words import money
from ctxtui.render.sweep.points import STAR, room_of
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR
from ctxtui.symbols import visible

VALUE_CELLS = 7
COUNT_CELLS = 5
PRICE_CELLS = 9
GROUP_CELLS = 2 * COUNT_CELLS + PRICE_CELLS
"""Cells of a value, a number of calls, a price, and of all that is said of a setting."""
NAME_CHARACTERS = 40


def policy_head(letter: str, name: str) -> Line:
    """Return whose settings stand below, in the cells of a group."""
    told = fit(visible(name, NAME_CHARACTERS), GROUP_CELLS - 4)
    return [Piece(f"  {letter} ", "bright"), Piece(told, "muted")]


def column_heads(is_clean: bool, has_cost: bool) -> Line:
    """Return the names of the columns of a group: what fails, or where nothing does the peak."""
    price = f"{'cost' if has_cost else 'outside':>{PRICE_CELLS}}"
    if is_clean:
        return [Piece(f"{'peak':>{2 * COUNT_CELLS}}{price}", "faint")]
    return [Piece(f"{ERROR.glyph:>{COUNT_CELLS}}{STAR:>{COUNT_CELLS}}{price}", "faint")]


def setting_cells(setting: Setting | None, *, is_front: bool) -> Line:
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


def all_clean(settings: Sequence[Setting]) -> bool:
    """Tell whether no setting of some has a failing call."""
    return bool(settings) and not any(one.figures.failing for one in settings)
