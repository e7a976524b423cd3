"""Before and after as numbers, bars and ribbons."""

from __future__ import annotations

from ctxtui.core.what_if import Outcome
from ctxtui.models.look import Look
from ctxtui.render.outcome.prospect import Prospect
from ctxtui.render.text.bars import FULL, bar
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.words import percent

LABEL_CELLS = 10
NUMBER_CELLS = 17
CHANGE_CELLS = 24
"""How wide the name, ``386 → 167`` and what stands behind the bar are."""
LEAST_BAR = 6
WORDS, COUNTED_CELLS = ("now", "after"), 7
"""What stands before the ribbons, and the cells of it that are not the count."""


def figure_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return messages, tokens and cache, each before and after."""
    outcome = prospect.outcome
    before, limit = outcome.before, outcome.limit
    room = width - LABEL_CELLS - NUMBER_CELLS - CHANGE_CELLS
    share = f"  {percent(outcome.tokens, limit)} of limit" if limit else ""
    lines = [
        _change("messages", before.messages, outcome.messages, room, ""),
        _change("tokens", before.tokens, outcome.tokens, room, share),
    ]
    if outcome.counter != before.counter:
        lines[1] = _recounted(outcome)
    elif not outcome.keeps_projection:
        lines.append(
            _cache(outcome, room, CHANGE_CELLS if room >= LEAST_BAR else room + CHANGE_CELLS)
        )
    return lines


def _change(name: str, before: int, after: int, room: int, more: str) -> Line:
    difference = after - before
    sign = "+" if difference > 0 else "−"
    told = f"{sign}{tokens(abs(difference))}" if difference else "the same"
    kind = "error" if difference < 0 else "ok" if difference else "faint"
    return [
        Piece(f"{name:<{LABEL_CELLS}}", "muted"),
        Piece(f"{tokens(before):>6}", "text"),
        Piece(" → ", "muted"),
        Piece(f"{tokens(after):>6}  ", "bright"),
        *_bar(after, max(before, after), room, "bright", "track"),
        Piece(told, kind),
        Piece(more, "muted"),
    ]


def _recounted(outcome: Outcome) -> Line:
    return [
        Piece(f"{'tokens':<{LABEL_CELLS}}", "muted"),
        Piece(f"{tokens(outcome.tokens):>15}  ", "bright"),
        Piece(f"as {outcome.counter} counts", "muted"),
    ]


def _cache(outcome: Outcome, room: int, space: int) -> Line:
    prefix, before = outcome.prefix, outcome.before.messages
    kept = f"{tokens(prefix.tokens)} kept"
    if prefix.messages >= min(before, outcome.messages):
        grown = outcome.messages > before
        where = f"holds, {tokens(outcome.resent)} new" if grown else "holds"
    else:
        where = f"breaks at {prefix.messages:,}"
        again = f"{where}, {tokens(outcome.resent)} sent again"
        where = again if len(again) <= space else where
    line = _bar(prefix.tokens, max(1, outcome.tokens), room, "ok", "error")
    return [
        Piece(f"{'cache':<{LABEL_CELLS}}", "muted"),
        Piece(f"{kept:>15}  ", "bright"),
        *(line if outcome.tokens else []),
        Piece(where, "muted"),
    ]


def _bar(part: int, whole: int, room: int, kind: str, rest: str) -> Line:
    """Return a bar with the rest of the whole behind it; nothing where there is no room."""
    if room < LEAST_BAR:
        return []
    text = bar(part, whole, room - 2)
    return [Piece(text, kind), Piece(FULL * (room - 2 - len(text)), rest), Piece("  ")]


def ribbon_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return the log as it is sent now and as it would be, red where something would go."""
    look, result = prospect.look, prospect.result
    log, outcome = result.moment.log, prospect.outcome
    now = Ribbon(log, prospect.weights, look.view, size=look.log_size)
    after = Ribbon(log, prospect.weights, result.revision.view, went=result.diff.hidden)
    counts = [tokens(outcome.before.messages), tokens(outcome.messages)]
    room = max(LABEL_CELLS - COUNTED_CELLS, *map(len, counts))
    labels = [f"{word:<6}{count:>{room}} " for word, count in zip(WORDS, counts, strict=True)]
    axis = RibbonAxis(len(log), width - len(labels[0]))
    return [
        [Piece(labels[0], "muted"), *now.line(axis)],
        [Piece(labels[1], "bright"), *after.line(axis)],
    ]


def now_line(look: Look, width: int) -> Line:
    """Return the log as it is sent now."""
    ribbon = Ribbon(look.state.log, look.figures, look.view, size=look.log_size)
    axis = RibbonAxis(look.log_size, width - LABEL_CELLS)
    return [Piece(f"{'now':<{LABEL_CELLS}}", "muted"), *ribbon.line(axis)]


LEGEND = (("▆", "assistant", "stays"), ("▂", "error", "would go"), ("▁", "faint", "hidden before"))


def legend() -> Line:
    """Return what the cells of a ribbon mean."""
    line: Line = []
    for sign, kind, words in LEGEND:
        line += [Piece("   " if line else ""), Piece(sign, kind), Piece(f" {words}", "muted")]
    return line
