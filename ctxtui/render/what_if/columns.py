"""The columns of the what-if screen: the present state and each recipe, the same rows in all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.core.what_if import Outcome
from ctxtui.models.trials import Candidate, Ground
from ctxtui.render.text.bars import FULL, bar
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.text.wrap import wrap
from ctxtui.render.what_if.words import labels_told, recipe_told
from ctxtui.symbols import visible
from ctxtui.words import percent

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
        ("lint", _lint(now, plan, room)),
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
        reason = wrap(visible(candidate.problem), max(1, width))
        told = [[ERROR.piece(word)], *([Piece(text)] for text in reason)]
        return _stacked([recipe, told], plan.gap)
    if outcome is None or ground is None or scale is None:
        return _stacked([recipe, [[Piece("… trying", "muted")]]], plan.gap)
    blocks = [block for _, block in _figures(outcome, scale, width)]
    blocks += [
        _lint(outcome, plan, width),
        [_marks(ground, outcome, width)],
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


def _figures(outcome: Outcome, scale: FigureScale, width: int) -> list[tuple[str, list[Line]]]:
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


def _share(outcome: Outcome, scale: FigureScale, width: int) -> Line:
    if outcome.limit is None or scale.limit is None:
        return [Piece("no limit", "muted")]
    over = outcome.tokens > outcome.limit
    told = f"{'!' if over else ''}{percent(outcome.tokens, outcome.limit)}"
    kind = "error" if over else "bright"
    return _measured(told, outcome.tokens, max(outcome.limit, outcome.tokens), width, kind)


def _lint(outcome: Outcome, plan: Plan, width: int) -> list[Line]:
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


def _marks(ground: Ground, outcome: Outcome, width: int) -> Line:
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


def _prefix(outcome: Outcome, scale: FigureScale, width: int) -> Line:
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
    size = sum(cell_len(piece.text) for piece in line)
    return fit_pieces(line, width) if size > width else line


def _stacked(blocks: Iterable[Sequence[Line]], gap: int) -> list[Line]:
    """Return blocks below each other, so many empty lines apart."""
    lines: list[Line] = []
    for block in blocks:
        lines += [*([] for _ in range(gap if lines else 0)), *block]
    return lines
