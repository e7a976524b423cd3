"""The columns of the what-if screen: the present state and each recipe, the same rows in all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple

from ctxtui.core.recipes import Recipe
from ctxtui.core.values.models import ROLES
from ctxtui.core.what_if import DROPPED, NEW, WhatIfOutcome
from ctxtui.inspector.drawing.head import Tab, TabLine
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.lines import Line, Piece, fit, fit_pieces, joined, line_width, wrap
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import FULL, bar, bucket_of
from ctxtui.text.plurals import percent, plural
from ctxtui.text.ribbon import HEIGHTS, HIDDEN, SENT
from ctxtui.text.symbols import printable
from ctxtui.what_if.models.recipes import Candidate, Ground

# What-if in words: names, labels and operations, and one sentence of facts for a recipe.

MOST_LABELS = 4
LABEL_CHARACTERS = 24
NAME_CHARACTERS = 60
SENTENCE_CHARACTERS = 400
"""How many labels are named, and how much of a label, a name and an operation is looked at."""


def labels_told(lost: Iterable[str]) -> str:
    """Return the labels of lost messages, a few of them."""
    labels = list(lost)
    told = ", ".join(printable(label, LABEL_CHARACTERS) for label in labels[:MOST_LABELS])
    return f"{told} …" if len(labels) > MOST_LABELS else told


def name_told(candidate: Candidate) -> str:
    """Return a recipe's name, safe to show."""
    return printable(candidate.name, NAME_CHARACTERS)


def recipe_told(recipe: Recipe) -> str:
    """Return the operations of a recipe in plain words, safe to show."""
    told = "; then ".join(operation.sentence() for operation in recipe)
    return printable(told, SENTENCE_CHARACTERS)


def in_short(ground: Ground | None, candidates: Sequence[Candidate], chosen: int) -> str:
    """Return one sentence of facts about the recipe under the cursor."""
    if not candidates:
        return "No recipe yet. + adds one."
    candidate = candidates[chosen]
    name, outcome = name_told(candidate), candidate.outcome
    if candidate.problem is not None:
        return f"{name} can't be opened here: {printable(candidate.problem, SENTENCE_CHARACTERS)}."
    if outcome is None or ground is None:
        return f"{name} is being tried."
    if outcome.keeps_projection:
        return f"{name}: the same would be sent as now."
    facts = [
        _size(ground, outcome),
        _words_lint(outcome, candidates),
        _words_marks(ground, outcome),
        _cache(outcome),
    ]
    return f"{name}: {'; '.join(fact for fact in facts if fact)}."


def _size(ground: Ground, outcome: WhatIfOutcome) -> str:
    now = ground.now
    told = f"{now.messages:,} → {plural(outcome.messages, 'message')}"
    if outcome.new:
        told += f", {outcome.new:,} of them new"
    if outcome.back:
        told += f", {outcome.back:,} brought back"
    if outcome.counter != now.counter:
        counter = printable(outcome.counter, NAME_CHARACTERS)
        told += f", {tokens(outcome.tokens)} tokens as {counter} counts"
    else:
        told += f", {tokens(now.tokens)} → {tokens(outcome.tokens)} tokens"
    if outcome.limit is not None:
        told += f", {percent(outcome.tokens, outcome.limit)} of the limit"
    return told


def _words_lint(outcome: WhatIfOutcome, candidates: Sequence[Candidate]) -> str:
    if outcome.errors:
        count = plural(outcome.error_count, "error")
        return f"lint refuses it with {count} ({outcome.in_words('error')})"
    outcomes = [one.outcome for one in candidates]
    passed = [one for one in outcomes if one is not None and not one.errors]
    alone = len(outcomes) > 1 and len(passed) == 1 and all(map(_is_done, candidates))
    told = "lint accepts only this one" if alone else "lint accepts it"
    if outcome.warnings:
        told += f" with {plural(outcome.warning_count, 'warning')} ({outcome.in_words('warning')})"
    return told


def _is_done(candidate: Candidate) -> bool:
    return not candidate.is_pending


def _words_marks(ground: Ground, outcome: WhatIfOutcome) -> str:
    if not ground.marked:
        return ""
    if not outcome.marks_lost:
        return "every marked message stays"
    count = plural(len(outcome.marks_lost), "marked message")
    return f"{count} would go ({labels_told(outcome.lost)})"


def _cache(outcome: WhatIfOutcome) -> str:
    prefix = outcome.prefix
    if not outcome.resent:
        return f"a prompt cache keeps all {tokens(outcome.tokens)} tokens"
    if not prefix.messages:
        return "a prompt cache keeps nothing"
    kept = f"{plural(prefix.messages, 'message')} ({tokens(prefix.tokens)} tokens)"
    return f"a prompt cache keeps {kept}, {tokens(outcome.resent)} are sent again"


VALUE_CELLS = 7
LABEL_CELLS = 13
SHORTEST_BAR_CELLS = 3
WORD_CELLS = 10
"""Cells for a number and for the name of a row; bars and words with less room say nothing."""


class FigureScale(NamedTuple):
    """What bars of all columns are measured by, so that they can be compared."""

    messages: int
    tokens: int
    limit: int | None

    @classmethod
    def of(cls, ground: Ground, candidates: Iterable[Candidate]) -> FigureScale:
        """Return the largest figures of all columns; a limit is a row of its own if there is one.

        A limit that only one recipe sets is the measure too.
        """
        outcomes = [ground.now, *(one.outcome for one in candidates if one.outcome is not None)]
        limits = [one.limit for one in outcomes if one.limit is not None]
        return cls(
            max(one.messages for one in outcomes),
            max(one.tokens for one in outcomes),
            max(limits) if limits else None,
        )


class Plan(NamedTuple):
    """How tall the rows are: all in sight on a small screen, apart from each other on a large."""

    recipe: int
    lint: int
    gap: int


PLANS = {52: Plan(4, 2, 2), 38: Plan(3, 2, 1), 0: Plan(2, 1, 0)}
"""The plan for a screen of at least so many rows, the tallest first."""


def plan_for(rows: int) -> Plan:
    """Return how tall rows may be on a screen of so many."""
    return next(plan for least, plan in PLANS.items() if rows >= least)


def now_lines(
    ground: Ground | None, scale: FigureScale | None, plan: Plan, width: int, *, problem: str = ""
) -> list[Line]:
    """Return the names of the rows, with the figures as they are now."""
    if ground is None or scale is None:
        return [[ERROR.piece("not counted") if problem else Piece("… counting", "muted")]]
    now = ground.now
    room = max(0, width - LABEL_CELLS)
    rows = [
        ("recipe", _tall([], plan.recipe)),
        *_figures(now, scale, room),
        ("lint", _columns_lint(now, plan, room)),
        ("marks lost", [_sent(ground, room)]),
        ("prefix kept", [[Piece("·", "faint")]]),
        ("sent again", [[Piece("·", "faint")]]),
    ]
    return _stacked([_named(name, block) for name, block in rows], plan.gap)


def column_lines(
    ground: Ground | None, scale: FigureScale | None, candidate: Candidate, plan: Plan, width: int
) -> list[Line]:
    """Return a recipe and what it would give, or why it can't be had."""
    recipe = _recipe(candidate, plan.recipe, width)
    outcome = candidate.outcome
    if candidate.problem is not None:
        word = "can't be read" if candidate.recipe is None else "refused"
        reason = wrap(candidate.problem, max(1, width))
        told = [[ERROR.piece(word)], *([Piece(text)] for text in reason)]
        return _stacked([recipe, told], plan.gap)
    if outcome is None or ground is None or scale is None:
        return _stacked([recipe, [[Piece("… trying", "muted")]]], plan.gap)
    blocks = [block for _, block in _figures(outcome, scale, width)]
    blocks += [
        _columns_lint(outcome, plan, width),
        [_columns_marks(ground, outcome, width)],
        [_prefix(outcome, scale, width)],
        [_measured(tokens(outcome.resent), outcome.resent, scale.tokens, width, "bar")],
    ]
    return _stacked([recipe, *blocks], plan.gap)


def _recipe(candidate: Candidate, rows: int, width: int) -> list[Line]:
    if candidate.recipe is None:
        return _tall([], rows)
    told = wrap(recipe_told(candidate.recipe), max(1, width))
    if len(told) > rows:
        told[rows - 1] = fit(f"{told[rows - 1]} {told[rows]}", width)
    return _tall([[Piece(text)] for text in told[:rows]], rows)


def _figures(
    outcome: WhatIfOutcome, scale: FigureScale, width: int
) -> list[tuple[str, list[Line]]]:
    """Return messages, tokens and, where there is a limit, the share of it."""
    rows = [
        (
            "messages",
            [
                _measured(
                    tokens(outcome.messages), outcome.messages, scale.messages, width, "bright"
                )
            ],
        ),
        (
            "tokens",
            [_measured(tokens(outcome.tokens), outcome.tokens, scale.tokens, width, "bright")],
        ),
    ]
    if scale.limit is not None:
        rows.append(("of the limit", [_share(outcome, scale, width)]))
    return rows


def _share(outcome: WhatIfOutcome, scale: FigureScale, width: int) -> Line:
    if outcome.limit is None or scale.limit is None:
        return [Piece("no limit", "muted")]
    over = outcome.tokens > outcome.limit
    told = f"{'!' if over else ''}{percent(outcome.tokens, outcome.limit)}"
    kind = "error" if over else "bright"
    return _measured(told, outcome.tokens, max(outcome.limit, outcome.tokens), width, kind)


def _columns_lint(outcome: WhatIfOutcome, plan: Plan, width: int) -> list[Line]:
    has_room = width >= WORD_CELLS
    pad = VALUE_CELLS - 2 if has_room else 0
    errors = [ERROR.piece(f"{outcome.error_count:<{pad}}")] if outcome.errors else []
    warnings = [WARNING.piece(f"{outcome.warning_count:<{pad}}")] if outcome.warnings else []
    passed = PASSED.piece("accepted" if has_room else "")
    said = [Piece(outcome.in_words("error") if has_room else "", "muted")] if errors else [passed]
    more = [*warnings, Piece(outcome.in_words("warning") if has_room else "", "muted")]
    if plan.lint > 1:
        return [_cropped([*errors, *said], width), _cropped(more, width)]
    if errors or not warnings:
        return [_cropped([*errors, *warnings, *said], width)]
    return [_cropped([PASSED.piece(), *more], width)]


def _columns_marks(ground: Ground, outcome: WhatIfOutcome, width: int) -> Line:
    if not ground.marked:
        return [Piece("none sent", "faint")]
    if not outcome.marks_lost:
        return [Piece("none", "ok")]
    lost = f"★ {tokens(len(outcome.marks_lost)):<{VALUE_CELLS - 2}}"
    return _cropped([Piece(lost, "error"), Piece(labels_told(outcome.lost), "muted")], width)


def _sent(ground: Ground, width: int) -> Line:
    if not ground.marked:
        return [Piece("·", "faint")]
    told = f"★ {tokens(len(ground.marked))}"
    return [Piece(f"{told} sent" if width >= WORD_CELLS else told, "mark")]


def _prefix(outcome: WhatIfOutcome, scale: FigureScale, width: int) -> Line:
    count = outcome.prefix.messages
    tail = f" {tokens(count)} msg" if count else ""
    told = tokens(outcome.prefix.tokens)
    line = _measured(told, outcome.prefix.tokens, scale.tokens, width - len(tail), "ok")
    return [*line, Piece(tail, "muted")]


def _measured(told: str, part: int, whole: int, width: int, kind: str) -> Line:
    """Return a number and its bar on a track, if there is room for one."""
    room = width - VALUE_CELLS
    number = Piece(fit(told, VALUE_CELLS), "error" if kind == "error" else "bright")
    if room < SHORTEST_BAR_CELLS:
        return [number]
    text = bar(part, whole, room)
    return [number, Piece(text, kind), Piece(FULL * (room - len(text)), "track")]


def _named(name: str, block: Sequence[Line]) -> list[Line]:
    first, *others = block
    indent = Piece(" " * LABEL_CELLS)
    return [
        [Piece(f"{name:<{LABEL_CELLS}}", "muted"), *first],
        *([indent, *line] for line in others),
    ]


def _tall(lines: list[Line], rows: int) -> list[Line]:
    return [*lines, *([] for _ in range(rows - len(lines)))]


def _cropped(line: Line, width: int) -> Line:
    size = line_width(line)
    return fit_pieces(line, width) if size > width else line


def _stacked(blocks: Iterable[Sequence[Line]], gap: int) -> list[Line]:
    """Return blocks below each other, so many empty lines apart."""
    lines: list[Line] = []
    for block in blocks:
        lines += [*([] for _ in range(gap if lines else 0)), *block]
    return lines


# Who keeps what: every message that is sent now as a cell, in the same place for every recipe.

STAND_IN = "▃"
WIDEST = 8
_STAYS = bytes(code != DROPPED for code in range(256))


class Axis:
    """Cells for the messages that are sent now: several for each, one, or one for many."""

    def __init__(self, ground: Ground, room: int) -> None:
        self.ground = ground
        self.whole = len(ground.view)
        self.cells = min(max(1, room), self.whole)
        self.wide = max(1, min(WIDEST, room // max(1, self.whole)))

    def ribbon(self, outcome: WhatIfOutcome) -> Line:
        """Return what a recipe keeps: tall in the colour of its role, low where a message goes."""
        stays = outcome.fates.translate(_STAYS)
        cells = [self._cell(outcome.fates, stays, cell) for cell in range(self.cells)]
        return joined([Piece(text * self.wide, kind) for text, kind in cells])

    def stars(self) -> Line:
        """Return a star above each marked message, or above a cell with one."""
        found = {bucket_of(place, self.whole, self.cells) for place in self.ground.marked}
        marks = ("★" if cell in found else " " for cell in range(self.cells))
        return [Piece("".join(mark.ljust(self.wide) for mark in marks), "mark")]

    def _cell(self, fates: bytes, stays: bytes, cell: int) -> Piece:
        lo, hi = self.whole * cell // self.cells, self.whole * (cell + 1) // self.cells
        kept = stays.count(1, lo, hi)
        if not kept:
            return Piece(HIDDEN, "faint")
        if fates.count(NEW, lo, hi) == kept:
            return Piece(STAND_IN, "bright")
        codes = self.ground.roles[lo:hi]
        if hi - lo == 1:
            return Piece(SENT, ROLES[codes[0]])
        masked = bytes(compress(codes, stays[lo:hi]))
        role = max(range(len(ROLES)), key=masked.count)
        height = HEIGHTS[min(len(HEIGHTS) - 1, kept * len(HEIGHTS) // (hi - lo))]
        return Piece(height, ROLES[role])


# The sides of what-if as tabs: what recipes make of now, and what policies make of the run.

SIDES = {"now": "Now", "over-run": "Over the run", "sweep": "Sweep"}
TITLE_CELLS = 40


def side_tabs(active: str, title: str, width: int, about: str = "") -> TabLine:
    """Return the tabs, and at the right whose conversation it is."""
    tabs = [Tab(name, word) for name, word in SIDES.items()]
    right: Line = [
        Piece(f"{about}   " if about else "", "muted"),
        Piece(f"{fit(title[: TITLE_CELLS + 1], TITLE_CELLS).rstrip()} ", "bright"),
    ]
    return TabLine(tabs, active, width, right, " ctxtui   ")
