"""One finding in full: the sentence, its cause, the rows around it, and what repairs would do."""

from __future__ import annotations

from collections.abc import Mapping

from core import Finding
from core.what_if import Outcome
from ctxtui.commands import KEYS_OF_REPAIRS
from ctxtui.models.look import Look
from ctxtui.render.message.preview import GLYPHS, WORDS, preview
from ctxtui.render.text.lines import Line, Piece, fit_pieces
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, sign_of
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

MESSAGES_AROUND = 2
REPAIRS = {
    "drop": "hide the half that is left",
    "restore": "bring the missing half back",
    "stub": "put a stand-in where it is missing",
}


Repairs = Mapping[str, Outcome | str]
"""What each repair would do, or why it is refused, as far as that is known."""


def finding_lines(
    look: Look, finding: Finding, cause: str, repairs: Repairs, width: int
) -> list[Line]:
    """Return everything about a finding: what it is, where it stands and how it goes."""
    glyph, kind = sign_of(finding)
    told = visible(f"{finding.message} {cause}".strip())
    lead = f"{glyph} {finding.rule}  "
    lines: list[Line] = []
    for i, text in enumerate(wrap(told, max(10, width - len(lead)))):
        lines.append([Piece(lead, kind) if i == 0 else Piece(" " * len(lead)), Piece(text)])
    lines += [[], *_around(look, finding, width)]
    if finding.repairs:
        lines += [[], *_repairs(finding, repairs, is_live=look.is_live)]
    return lines


def _around(look: Look, finding: Finding, width: int) -> list[Line]:
    """Return the visible messages around the finding; the one that is meant is marked."""
    if finding.position is None:
        return []
    first = max(0, finding.position - MESSAGES_AROUND)
    lines = []
    for position in range(first, min(len(look.view), finding.position + MESSAGES_AROUND + 1)):
        raw = look.view[position]
        message = look.state.log[raw]
        here = position == finding.position
        line = [
            ERROR.piece() if here else Piece("  "),
            Piece(f"{position:>5}", "bright" if here else "muted"),
            Piece(f" {raw:>6} ", "muted"),
            Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
            *preview(message),
        ]
        lines.append(fit_pieces(line, width))
    return lines


def _repairs(finding: Finding, repairs: Repairs, *, is_live: bool) -> list[Line]:
    lines = [
        [Piece("Repairs", "bright"), Piece("  of all broken pairs at once; u undoes", "faint")]
    ]
    for policy in finding.repairs:
        key = KEYS_OF_REPAIRS[policy]
        lead = [Piece(f" {key}  ", "key"), Piece(f"{policy:<9}", "bright")]
        told = _outcome(repairs.get(policy)) if is_live else []  # Only the present is repaired.
        lines.append([*lead, Piece(f"{REPAIRS[policy]:<38}", "text"), *told])
    return [*lines, [Piece(" F  ", "key"), Piece("with a preview", "muted")]]


def _outcome(outcome: Outcome | str | None) -> Line:
    """Return what a repair would leave."""
    if outcome is None:
        return [Piece("…", "faint")]
    if isinstance(outcome, str):
        return [Piece(visible(outcome, 60), "muted")]
    before, errors = outcome.before, outcome.error_count
    sizes = f"{before.messages} → {outcome.messages} messages, "
    sums = f"{tokens(before.tokens)} → {tokens(outcome.tokens)} tokens, "
    left = "no error left" if not errors else f"{errors} left"
    return [Piece(sizes + sums, "muted"), Piece(left, "error" if errors else "ok")]
