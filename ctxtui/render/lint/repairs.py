"""The repairs of a finding: a row for each, with what it would leave before anybody does it."""

from __future__ import annotations

from collections.abc import Mapping

from ctxtui.commands import KEYS_OF_OPERATIONS, KEYS_OF_REPAIRS
from ctxtui.core import Finding
from ctxtui.core.what_if import Outcome
from ctxtui.models.causes import helping
from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces, line_width
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

REPAIRS = {
    "restore": "bring the missing half back",
    "stub": "put a stand-in where it is missing",
    "drop": "hide the half that is left",
}
"""What each repair does; the one that loses least comes first."""

Repairs = Mapping[str, Outcome | str]
"""What each repair would do, or why it is refused, as far as that is known."""

KEY_CELLS = 3
WORDS_CELLS = 37
FIGURE_CELLS = 18
ROOMY_CELLS = KEY_CELLS + WORDS_CELLS + 4 * FIGURE_CELLS - 4
COLUMNS = ("messages", "tokens", "lint", "prompt cache")
ABOUT = "of all broken pairs at once; u undoes"


def repair_lines(look: Look, finding: Finding, repairs: Repairs, width: int) -> list[Line]:
    """Return the repairs that help a finding, each with before → after, and the form's key."""
    helps = helping(finding)
    if not look.is_live:
        return _told("Only the present is repaired: escape returns to it.", width)
    if not helps:
        bad = finding.severity == "error"
        return _told(_unrepaired(bad=bad), width)
    lines: list[Line] = []
    if width >= ROOMY_CELLS:
        names = "".join(f"{name:<{FIGURE_CELLS}}" for name in COLUMNS)
        lines.append([Piece(" " * KEY_CELLS + f"{'repair':<{WORDS_CELLS}}{names}", "faint")])
    for policy, words in REPAIRS.items():
        if policy in helps:
            lines += _row(KEYS_OF_REPAIRS[policy], words, repairs.get(policy), width)
    form = Piece(f"{KEYS_OF_OPERATIONS['REPAIR']:<{KEY_CELLS}}", "key")
    return [
        *lines,
        fit_pieces([form, Piece("choose one with a preview of every row", "muted")], width),
    ]


def _unrepaired(*, bad: bool) -> str:
    if bad:
        return "No repair does this by itself: go there with enter, and change it by hand."
    return "A warning needs no repair: the provider may take it as it is."


def _told(sentence: str, width: int) -> list[Line]:
    return [[Piece(row, "muted")] for row in wrap(sentence, width)]


def _row(key: str, words: str, outcome: Outcome | str | None, width: int) -> list[Line]:
    """Return one repair: a line of columns, or two lines where it is narrow."""
    lead = [Piece(f"{key:<{KEY_CELLS}}", "key")]
    if outcome is None or isinstance(outcome, str):
        told = "…" if outcome is None else visible(outcome, 60)
        line = [*lead, Piece(f"{words:<{WORDS_CELLS}}", "bright"), Piece(told, "muted")]
        return [fit_pieces(line, width)]
    figures = _figures(outcome)
    if width >= ROOMY_CELLS:
        cells = [Piece(fit(piece.text, FIGURE_CELLS), piece.kind) for piece in figures]
        return [fit_pieces([*lead, Piece(f"{words:<{WORDS_CELLS}}", "bright"), *cells], width)]
    messages, sums, lint, cache = figures
    above = [*lead, Piece(f"{words}  ", "bright"), lint]
    below = [
        Piece(" " * KEY_CELLS),
        Piece(f"{messages.text} messages  {sums.text} tokens", "muted"),
    ]
    kept = Piece(f"  cache {cache.text}", "muted")
    if line_width([*below, kept]) <= width:
        below.append(kept)
    return [fit_pieces(above, width), fit_pieces(below, width)]


def _figures(outcome: Outcome) -> list[Piece]:
    """Return messages, tokens, lint and cache, before → after."""
    before, errors = outcome.before, outcome.error_count
    left = f"{ERROR.glyph} {errors}" if errors else PASSED.glyph
    kept = outcome.prefix.messages
    cache = "kept" if kept >= before.messages else f"breaks at {kept}"
    return [
        Piece(f"{before.messages:,} → {outcome.messages:,}"),
        Piece(f"{tokens(before.tokens)} → {tokens(outcome.tokens)}"),
        Piece(
            f"{ERROR.glyph} {before.error_count} → {left}", ERROR.kind if errors else PASSED.kind
        ),
        Piece(cache, "muted"),
    ]
