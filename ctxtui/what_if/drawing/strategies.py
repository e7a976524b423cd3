"""Strategies: a table of all, their ribbons on the state now, and one of them in figures.

A ribbon has a cell for every message that is sent now, in the same place for every strategy: tall
where it is kept, half as tall where another one replaces it, low where it is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple

from ctxtui.core.policies import PolicyFigures
from ctxtui.core.values.models import ROLES
from ctxtui.core.what_if import DROPPED, NEW, WhatIfOutcome
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.line_source import NumberedSource
from ctxtui.text.lines import (
    Line,
    Piece,
    cropped,
    filled_row,
    fit,
    fit_pieces,
    head,
    joined,
    kept,
    line_width,
    paragraph,
    stacked_up,
    wrap,
)
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import FULL, bucket_of, on_track
from ctxtui.text.plurals import percent, plural
from ctxtui.text.ribbon import HEIGHTS, HIDDEN, SENT
from ctxtui.text.symbols import printable
from ctxtui.what_if.drawing.words import (
    NO_STRATEGIES,
    SENTENCE_CHARACTERS,
    STAR,
    WALKING,
    brief_text,
    in_short,
    labels_text,
    money,
    name_text,
    strategy_text,
)
from ctxtui.what_if.models.comparison import Ground, Strategy, StrategyComparison

WIDEST = 8
"""The most cells of one message."""
_STAYS = bytes(code != DROPPED for code in range(256))
ROOMY_CELLS = 100
LEAD_CELLS = 3
COUNT_CELLS = 7
GAP_CELLS = 2
NAMES = {True: 22, False: 19}
TAILS = {True: 22, False: 12}
"""Cells for the name before a ribbon and for the outcome behind it, where there is room or not."""
LABEL_CELLS = 13
VALUE_CELLS = 7
WORDS_ROWS = 4
"""Cells of the name and the value of a figure, and the most rows of what a strategy does."""


class Axis:
    """Cells for the messages that are sent now: several for each, one, or one for many."""

    def __init__(self, ground: Ground, room: int) -> None:
        self.ground = ground
        self.whole = len(ground.view)
        self.cells = min(max(1, room), self.whole)
        self.wide = max(1, min(WIDEST, room // max(1, self.whole)))

    def ribbon(self, outcome: WhatIfOutcome) -> Line:
        stays = outcome.fates.translate(_STAYS)
        cells = [self._cell(outcome.fates, stays, cell) for cell in range(self.cells)]
        return joined([Piece(text * self.wide, kind) for text, kind in cells])

    def stars(self) -> Line:
        found = {bucket_of(place, self.whole, self.cells) for place in self.ground.marked}
        marks = (STAR if cell in found else " " for cell in range(self.cells))
        return [Piece("".join(mark.ljust(self.wide) for mark in marks), "mark")]

    def _cell(self, fates: bytes, stays: bytes, cell: int) -> Piece:
        lo, hi = self.whole * cell // self.cells, self.whole * (cell + 1) // self.cells
        kept = stays.count(1, lo, hi)
        if not kept:
            return Piece(HIDDEN, "faint")
        if fates.count(NEW, lo, hi) == kept:
            return Piece("▃", "bright")
        codes = self.ground.roles[lo:hi]
        if hi - lo == 1:
            return Piece(SENT, ROLES[codes[0]])
        masked = bytes(compress(codes, stays[lo:hi]))
        role = max(range(len(ROLES)), key=masked.count)
        height = HEIGHTS[min(len(HEIGHTS) - 1, kept * len(HEIGHTS) // (hi - lo))]
        return Piece(height, ROLES[role])


class NowPicture:
    """The ribbons of all strategies for a width, drawn once, then shown with any cursor."""

    def __init__(self, comparison: StrategyComparison, width: int) -> None:
        self.width = width
        self._comparison = comparison
        self._is_roomy = width >= ROOMY_CELLS
        lead = LEAD_CELLS + NAMES[self._is_roomy] + COUNT_CELLS + GAP_CELLS
        self._room = max(1, width - lead - TAILS[self._is_roomy])
        self._lines: list[Line] = []
        self._places: list[int | None] = []
        ground = comparison.ground
        if ground is None:
            return
        axis = Axis(ground, self._room)
        if ground.marked:
            self._add(None, [Piece(" " * lead), *axis.stars()])
        self._add(None, self._line(axis, " ", None, f"now, batch {ground.batch}"))
        for at, one in enumerate(comparison.strategies):
            if not one.is_recorded:
                self._add(at, self._line(axis, comparison.letter(one), one, name_text(one)))

    def _add(self, place: int | None, line: Line) -> None:
        self._places.append(place)
        self._lines.append(line)

    def _line(self, axis: Axis, letter: str, strategy: Strategy | None, name: str) -> Line:
        outcome = axis.ground.now if strategy is None else strategy.outcome
        body = [] if outcome is None else axis.ribbon(outcome)
        count = "" if outcome is None else tokens(outcome.messages)
        return [
            Piece(f"{letter:<{LEAD_CELLS}}", "bright"),
            Piece(fit(name, NAMES[self._is_roomy]), "muted" if strategy is None else "text"),
            Piece(f"{count:>{COUNT_CELLS}}{' ' * GAP_CELLS}", "muted"),
            *body,
            Piece(" " * max(0, self._room - line_width(body))),
            *self._tail(strategy, outcome),
        ]

    def _tail(self, strategy: Strategy | None, outcome: WhatIfOutcome | None) -> Line:
        size = TAILS[self._is_roomy]
        if outcome is None:
            if strategy is None or strategy.is_untried:
                waiting = _trying(self._comparison)
                return [Piece(fit(f"  {waiting.text}", size), waiting.kind)]
            return [Piece(fit(f"  {ERROR.text('refused')}", size), ERROR.kind)]
        sign, said = PASSED, ""
        if outcome.errors:
            count = outcome.error_count
            sign, said = ERROR, plural(count, "error") if self._is_roomy else str(count)
        elif self._is_roomy:
            said = "passes" if strategy is None else "accepted"
        total = f"{tokens(outcome.tokens):>6} "
        verdict = fit(f"  {sign.text(said)}", size - len(total))
        return [Piece(verdict, sign.kind), Piece(total, "bright")]

    def lines(self) -> list[Line]:
        comparison = self._comparison
        if comparison.ground is None:
            problem = comparison.problem
            return [[ERROR.piece("not counted") if problem else Piece("… counting", "muted")]]
        lines = [
            filled_row(line, "cursor", self.width) if place == comparison.chosen else line
            for place, line in zip(self._places, self._lines, strict=True)
        ]
        said = in_short(comparison.ground, comparison.strategies, comparison.chosen)
        return [*lines, [], *paragraph(said, self.width)]

    def strategy_at(self, y: int) -> int | None:
        return self._places[y] if y < len(self._places) else None


# One strategy


class FigureScale(NamedTuple):
    """What bars of all strategies are measured by, so that they can be compared."""

    messages: int
    tokens: int

    @classmethod
    def of(cls, ground: Ground, strategies: Sequence[Strategy]) -> FigureScale:
        outcomes = [ground.now, *(one.outcome for one in strategies if one.outcome is not None)]
        return cls(
            max(one.messages for one in outcomes),
            max(one.tokens for one in outcomes),
        )


def now_panel(comparison: StrategyComparison, width: int) -> list[Line]:
    """Return what the chosen strategy makes of the state now, next to the others."""
    current, ground = comparison.current, comparison.ground
    if current is None:
        return paragraph(NO_STRATEGIES, width, "muted")
    words = wrap(strategy_text(current), max(1, width))
    if len(words) > WORDS_ROWS:
        words = [*words[: WORDS_ROWS - 1], fit(" ".join(words[WORDS_ROWS - 1 :]), width)]
    blocks = [[[Piece(row)] for row in words if row]]
    problem = current.problem or current.refusal
    if problem is not None:
        title = ERROR.piece("refused" if current.problem is None else "can't be read")
        blocks.append([[title], *paragraph(printable(problem, SENTENCE_CHARACTERS), width)])
    elif current.outcome is None or ground is None:
        blocks.append([[_trying(comparison)]])
    else:
        if current.policy is not None and not current.operations:
            blocks.append([[Piece("No stage is due now.", "muted")]])
        scale = FigureScale.of(ground, comparison.strategies)
        blocks.append(figure_lines(ground, current.outcome, scale, width))
    blocks.append(_others(comparison, width))
    if current.operations:
        keys = {"enter": " look at what it changes", "ctrl+s": " apply it as a branch"}
        blocks.append(
            [[Piece(f"{key:<6}", "key"), Piece(does, "muted")] for key, does in keys.items()]
        )
    return cropped(stacked_up(*blocks), width)


def _trying(comparison: StrategyComparison) -> Piece:
    return ERROR.piece("not tried") if comparison.problem else Piece("… trying", "muted")


def figure_lines(
    ground: Ground, outcome: WhatIfOutcome, scale: FigureScale, width: int
) -> list[Line]:
    """Return each figure behind its name; bars are on one scale for all strategies."""
    return [
        _figure("messages", outcome.messages, scale.messages, width),
        _figure("tokens", outcome.tokens, scale.tokens, width),
        *([_share(outcome.tokens, outcome.limit, width)] if outcome.limit is not None else []),
        *_lint(outcome),
        _marks(ground, outcome),
        [
            *_figure("prefix kept", outcome.prefix.tokens, scale.tokens, width - 9, "ok"),
            Piece(f" {tokens(outcome.prefix.messages)} msg", "muted"),
        ],
        _figure("sent again", outcome.resent, scale.tokens, width, "bar"),
    ]


def _figure(name: str, part: int, whole: int, width: int, kind: str = "bright") -> Line:
    return _measured(name, tokens(part), (part, whole), width, kind)


def _share(count: int, limit: int, width: int) -> Line:
    over = count > limit
    said = f"{'!' if over else ''}{percent(count, limit)}"
    kind = "error" if over else "bright"
    return _measured("of the limit", said, (count, max(limit, count)), width, kind)


def _measured(name: str, said: str, share: tuple[int, int], width: int, kind: str) -> Line:
    room = width - LABEL_CELLS - VALUE_CELLS
    value = Piece(fit(said, VALUE_CELLS), "error" if kind == "error" else "bright")
    return [_label(name), value, *on_track(*share, room, kind)]


def _label(name: str) -> Piece:
    return Piece(f"{name:<{LABEL_CELLS}}", "muted")


def _lint(outcome: WhatIfOutcome) -> list[Line]:
    found: list[Line] = [] if outcome.errors else [[PASSED.piece("accepted")]]
    errors = (ERROR, outcome.error_count, outcome.in_words("error"))
    for sign, count, words in (
        errors,
        (WARNING, outcome.warning_count, outcome.in_words("warning")),
    ):
        if count:
            found.append([sign.piece(f"{count:<{VALUE_CELLS - 2}}"), Piece(words, "muted")])
    return [[_label("" if at else "lint"), *line] for at, line in enumerate(found)]


def _marks(ground: Ground, outcome: WhatIfOutcome) -> Line:
    if not ground.marked:
        return [_label("marks lost"), Piece("none sent", "faint")]
    if not outcome.marks_lost:
        return [_label("marks lost"), Piece("none", "ok")]
    lost = f"{STAR} {tokens(len(outcome.marks_lost)):<{VALUE_CELLS - 2}}"
    labels = Piece(labels_text(outcome.lost), "muted")
    return [_label("marks lost"), Piece(lost, "error"), labels]


def _others(comparison: StrategyComparison, width: int) -> list[Line]:
    known = [one for one in comparison.strategies if one.outcome is not None]
    if len(known) < 2:  # noqa: PLR2004 - one alone has no others
        return []
    lines = [
        head(f"all {len(known)} now", [], width),
        [Piece(f"  {'sent':>6}{'tokens':>9}{'kept':>7}", "faint")],
    ]
    for one in known:
        assert one.outcome is not None
        is_chosen = one is comparison.current
        line = _other(comparison.letter(one), one.outcome, is_chosen=is_chosen)
        lines.append(filled_row(line, "cursor", width) if is_chosen else line)
    return lines


def _other(letter: str, outcome: WhatIfOutcome, *, is_chosen: bool) -> Line:
    share = percent(outcome.prefix.tokens, outcome.tokens)
    return [
        Piece(f"{letter} ", "bright" if is_chosen else "muted"),
        Piece(f"{outcome.messages:>6,}", "text"),
        Piece(f"{outcome.tokens:>9,}", "bright"),
        Piece(f"{share:>7} ", "muted"),
        *verdict(outcome),
    ]


def verdict(outcome: WhatIfOutcome) -> Line:
    """Return the errors and lost marks of an outcome in a few cells, or that it has none."""
    found: Line = []
    if outcome.error_count:
        found.append(Piece(f" {ERROR.glyph}{tokens(outcome.error_count)}", ERROR.kind))
    if outcome.marks_lost:
        found.append(Piece(f" {STAR}{tokens(len(outcome.marks_lost))}", ERROR.kind))
    return found or [Piece(f" {PASSED.glyph}", PASSED.kind)]


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
            Piece(fit(name_text(strategy), self.name - 1) + " ", "text"),
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
        return [Piece(fit(brief_text(strategy), self.brief - 1) + " ", "muted")]


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
            text = f"{'!' if over else ''}{tokens(figures.peak)}"
            return [Piece(f"{text:>{size}}", "warn" if over else "text")]
        case "cost":
            text = "" if figures.cost is None else money(figures.cost)
            return [Piece(f"{text:>{size}}", "bright")]
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
    """Return what was sent as a line: what was at the start before, and what did not."""
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
