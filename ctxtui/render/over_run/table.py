"""The table of policies: what each gives over the whole run, in one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ctxtui.core.policies import PolicyFigures
from ctxtui.models.contenders import Contender
from ctxtui.render.over_run.words import WALKING, brief_told, money, name_told, problem_told
from ctxtui.render.text.bars import FULL
from ctxtui.render.text.columns import kept
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED, WARNING

LETTER_CELLS = 3
NAME_CELLS = 23
SHORT_NAME_CELLS = 14
BRIEF_CELLS = 14
COLUMNS = {
    "bar": 20,
    "acted": 7,
    "peak": 7,
    "cost": 8,
    "outside": 9,
    "sent": 7,
    "without": 11,
    "broken": 8,
}
"""Columns with their cells; those named first go first where there is little room."""
ORDER = ("broken", "without", "sent", "outside", "bar", "peak", "acted", "cost")
WORDS = {"without": "without ★"}
GAP_CELLS = 2


class TableScale(NamedTuple):
    """What the bars of all policies are measured by, and whether there are prices."""

    sent: int
    has_cost: bool
    limit: int | None

    @classmethod
    def of(cls, figures: Iterable[PolicyFigures], limit: int | None, has_cost: bool) -> TableScale:
        """Return the scale of some policies."""
        return cls(max([one.tokens_sent for one in figures], default=0), has_cost, limit)


class TableColumns:
    """Which columns a width has room for: figures, the name, and what a policy does."""

    def __init__(self, width: int, has_cost: bool) -> None:
        wanted = {name: size for name, size in COLUMNS.items() if has_cost or name != "cost"}
        self.shown = kept(wanted, width - LETTER_CELLS - SHORT_NAME_CELLS)
        room = width - LETTER_CELLS - sum(COLUMNS[name] for name in self.shown)
        self.name = room if room < NAME_CELLS + BRIEF_CELLS else NAME_CELLS
        self.brief = room - self.name

    def head(self) -> Line:
        """Return the names of the columns."""
        line = [
            Piece(" " * LETTER_CELLS),
            Piece(fit("policy", self.name), "faint"),
            Piece(fit("what it does", self.brief), "faint"),
        ]
        for name in ORDER:
            if name == "bar" and name in self.shown:
                line += [
                    Piece("  in prefix ", "ok"),
                    Piece(fit("outside", COLUMNS["bar"] - 12), "error"),
                ]
            elif name in self.shown:
                line.append(Piece(f"{WORDS.get(name, name):>{COLUMNS[name]}}", "faint"))
        return line

    def line(
        self, letter: str, contender: Contender, scale: TableScale, without: str = WALKING
    ) -> Line:
        """Return a policy with its figures, or why it is without."""
        lead = [
            Piece(f"{letter:<{LETTER_CELLS - 1}} ", "bright"),
            Piece(fit(name_told(contender), self.name - 1) + " ", "text"),
        ]
        figures = contender.figures
        if contender.problem is not None:
            return [*lead, ERROR.piece(problem_told(contender))]
        if figures is None:
            return [*lead, Piece(without, "muted")]
        line = [*lead, *self._brief(contender, figures)]
        for name in ORDER:
            if name in self.shown:
                line += _cell(name, figures, scale)
        return line

    def _brief(self, contender: Contender, figures: PolicyFigures) -> Line:
        if self.brief < 1:
            return []
        if figures.refused:
            first = figures.refused[0]
            told = f"refused {len(figures.refused):,} times: {first.reason}"
            return [Piece(fit(WARNING.text(told), self.brief - 1) + " ", WARNING.kind)]
        return [Piece(fit(brief_told(contender), self.brief - 1) + " ", "muted")]


def _cell(name: str, figures: PolicyFigures, scale: TableScale) -> Line:
    size = COLUMNS[name]
    match name:
        case "broken":
            return _count(figures.broken, ERROR.glyph, size)
        case "without":
            return _count(figures.without_marked, "★", size)
        case "bar":
            return _bar(figures, scale, size)
        case "peak":
            over = figures.over_limit > 0
            told = f"{'!' if over else ''}{tokens(figures.peak)}"
            return [Piece(f"{told:>{size}}", "warn" if over else "text")]
        case "cost":
            told = "" if figures.cost is None else money(figures.cost)
            return [Piece(f"{told:>{size}}", "bright")]
        case "sent":
            return [Piece(f"{tokens(figures.tokens_sent):>{size}}", "bright")]
        case "outside":
            return [Piece(f"{tokens(figures.tokens_outside_prefix):>{size}}", "text")]
        case _:
            return [Piece(f"{figures.acted:>{size},}", "text")]


def _count(count: int, sign: str, size: int) -> Line:
    if count:
        return [Piece(f"{f'{sign} {count:,}':>{size}}", ERROR.kind)]
    return [Piece(f"{PASSED.text('0'):>{size}}", PASSED.kind)]


def _bar(figures: PolicyFigures, scale: TableScale, size: int) -> Line:
    """Return what was sent as a line: what stood at the start before, and what did not."""
    room = size - GAP_CELLS
    whole = max(1, scale.sent)
    sent = round(room * figures.tokens_sent / whole)
    outside = round(room * figures.tokens_outside_prefix / whole)
    if figures.tokens_outside_prefix and not outside:
        outside = 1
    outside = min(outside, sent)
    return [
        Piece(" " * GAP_CELLS),
        Piece(FULL * (sent - outside), "ok"),
        Piece(FULL * outside, "error"),
        Piece(" " * (room - sent)),
    ]
