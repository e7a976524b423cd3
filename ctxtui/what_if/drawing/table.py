"""The table of strategies: what each makes of the state now, and gives over the whole run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ctxtui.core.policies import PolicyFigures
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import Line, Piece, fit, fit_pieces, kept
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import FULL
from ctxtui.text.symbols import printable
from ctxtui.what_if.drawing.now import verdict
from ctxtui.what_if.drawing.words import (
    SENTENCE_CHARACTERS,
    STAR,
    WALKING,
    brief_told,
    money,
    name_told,
)
from ctxtui.what_if.models.comparison import Strategy, StrategyComparison

LETTER_CELLS = 3
NAME_CELLS = 23
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
    "now": 15,
}
"""Columns with their cells; those named first go first where there is little room."""
ORDER = ("now", "broken", "without", "sent", "outside", "bar", "peak", "acted", "cost")
WORDS = {"without": f"without {STAR}"}
NOW_CELLS = 7
"""Cells of the tokens now; the rest of the column is for errors and lost marks."""
GAP_CELLS = 2


class TableScale(NamedTuple):
    """What the bars of all policies are measured by, and whether there are prices."""

    sent: int
    has_cost: bool

    @classmethod
    def of(cls, figures: Iterable[PolicyFigures], has_cost: bool) -> TableScale:
        return cls(max([one.tokens_sent for one in figures], default=0), has_cost)


class TableColumns:
    """Which columns a width has room for: figures, the name, and what a policy does."""

    def __init__(self, width: int, has_cost: bool) -> None:
        wanted = {name: size for name, size in COLUMNS.items() if has_cost or name != "cost"}
        self.shown = kept(wanted, width - LETTER_CELLS - 14)
        room = width - LETTER_CELLS - sum(COLUMNS[name] for name in self.shown)
        if "bar" in self.shown and room < NAME_CELLS + BRIEF_CELLS:
            self.shown -= {"bar"}
            room += COLUMNS["bar"]
        self.name = room if room < NAME_CELLS + BRIEF_CELLS else NAME_CELLS
        self.brief = room - self.name

    def head(self) -> Line:
        line = [
            Piece(" " * LETTER_CELLS),
            Piece(fit("strategy", self.name), "faint"),
            Piece(fit("what it does", self.brief), "faint"),
        ]
        for name in ORDER:
            if name == "bar" and name in self.shown:
                line += [
                    Piece("  in prefix ", "ok"),
                    Piece(fit("outside", COLUMNS["bar"] - 12), "error"),
                ]
            elif name == "now" and name in self.shown:
                line.append(Piece(f"{name:>{NOW_CELLS}}{'':{COLUMNS[name] - NOW_CELLS}}", "faint"))
            elif name in self.shown:
                line.append(Piece(f"{WORDS.get(name, name):>{COLUMNS[name]}}", "faint"))
        return line

    def line(
        self, letter: str, strategy: Strategy, scale: TableScale, without: str = WALKING
    ) -> Line:
        lead = [
            Piece(f"{letter:<{LETTER_CELLS - 1}} ", "bright"),
            Piece(fit(name_told(strategy), self.name - 1) + " ", "text"),
        ]
        if strategy.problem is not None:
            return [*lead, ERROR.piece(printable(strategy.problem, SENTENCE_CHARACTERS))]
        line = [*lead, *self._brief(strategy), *self._now(strategy)]
        figures = strategy.figures
        if figures is None:
            is_recipe = strategy.recipe is not None
            return [
                *line,
                Piece(f"  {'p plays it before every call' if is_recipe else without}", "muted"),
            ]
        for name in ORDER[1:]:
            if name in self.shown:
                line += _cell(name, figures, scale)
        return line

    def _now(self, strategy: Strategy) -> Line:
        if "now" not in self.shown:
            return []
        outcome, size = strategy.outcome, COLUMNS["now"]
        if strategy.refusal is not None:
            return fit_pieces([Piece("   "), ERROR.piece("refused")], size)
        if outcome is None:
            return fit_pieces([Piece("      …", "muted")], size)
        count = Piece(f"{tokens(outcome.tokens):>{NOW_CELLS}}", "bright")
        return fit_pieces([count, *verdict(outcome)], size)

    def _brief(self, strategy: Strategy) -> Line:
        if self.brief < 1:
            return []
        refused = () if strategy.figures is None else strategy.figures.refused
        if refused:
            said = f"refused {len(refused):,} times: {refused[0].reason}"
            return [Piece(fit(WARNING.text(said), self.brief - 1) + " ", WARNING.kind)]
        return [Piece(fit(brief_told(strategy), self.brief - 1) + " ", "muted")]


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


class StrategySource(NumberedSource):
    """What was recorded and each strategy, with their figures."""

    def __init__(self, comparison: StrategyComparison) -> None:
        self._rows = [(comparison.letter(one), one) for one in comparison.strategies]
        figures = [one.figures for _, one in self._rows if one.figures is not None]
        is_asked = comparison.question is None or comparison.calls > 0
        walking = ERROR.text("not walked") if comparison.problem else WALKING
        self._without = walking if is_asked else "no call to judge"
        self._scale = TableScale.of(figures, comparison.prices is not None)

    def __len__(self) -> int:
        return len(self._rows)

    def header(self, width: int) -> Line | None:
        return self._columns(width).head() if self._rows else None

    def line(self, at: int, width: int) -> Line:
        letter, strategy = self._rows[at]
        return self._columns(width).line(letter, strategy, self._scale, self._without)

    def _columns(self, width: int) -> TableColumns:
        return TableColumns(width - 1, self._scale.has_cost)
