"""One finding in full: the sentence, its cause, the rows around it, and what repairs would do."""

from __future__ import annotations

from core import Finding, Refused
from core.lint import lint_state
from ctxtui.commands import KEYS_OF_REPAIRS
from ctxtui.look import Look
from ctxtui.render.causes import cause
from ctxtui.render.lines import Line, Piece, fit_pieces
from ctxtui.render.numbers import tokens
from ctxtui.render.preview import GLYPHS, WORDS, preview
from ctxtui.render.symbols import visible
from ctxtui.render.wrap import wrap

AROUND = 2
REPAIRS = {
    "drop": "hide the half that is left",
    "restore": "bring the missing half back",
    "stub": "put a stand-in where it is missing",
}


def finding_lines(look: Look, finding: Finding, width: int) -> list[Line]:
    """Return everything about a finding."""
    glyph, kind = ("✖", "error") if finding.severity == "error" else ("▲", "warn")
    told = visible(f"{finding.message} {cause(look, finding)}".strip())
    lead = f"{glyph} {finding.rule}  "
    lines: list[Line] = []
    for i, text in enumerate(wrap(told, max(10, width - len(lead)))):
        lines.append([Piece(lead, kind) if i == 0 else Piece(" " * len(lead)), Piece(text)])
    lines += [[], *_around(look, finding, width)]
    return [*lines, [], *_repairs(look, finding)] if finding.repairs else lines


def _around(look: Look, finding: Finding, width: int) -> list[Line]:
    """Return the visible messages around the finding; the one that is meant is marked."""
    if finding.position is None:
        return []
    first = max(0, finding.position - AROUND)
    lines = []
    for position in range(first, min(len(look.view), finding.position + AROUND + 1)):
        raw = look.view[position]
        message = look.state.log[raw]
        here = position == finding.position
        line = [
            Piece("✖ " if here else "  ", "error"),
            Piece(f"{position:>5}", "bright" if here else "muted"),
            Piece(f" {raw:>6} ", "muted"),
            Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
            *preview(message),
        ]
        lines.append(fit_pieces(line, width))
    return lines


def _repairs(look: Look, finding: Finding) -> list[Line]:
    lines = [
        [Piece("Repairs", "bright"), Piece("  of all broken pairs at once; u undoes", "faint")]
    ]
    for policy in finding.repairs:
        key = KEYS_OF_REPAIRS[policy]
        lead = [Piece(f" {key}  ", "key"), Piece(f"{policy:<9}", "bright")]
        lines.append([*lead, Piece(f"{REPAIRS[policy]:<38}", "text"), *_result(look, policy)])
    return [*lines, [Piece(" F  ", "key"), Piece("with a preview", "muted")]]


def _result(look: Look, policy: str) -> Line:
    """Return what a repair would leave; only the present can be repaired."""
    if not look.is_live:
        return []
    try:
        result = look.conversation.preview({"operation": "REPAIR", "policy": policy})
    except Refused as refusal:
        return [Piece(visible(str(refusal), 60), "muted")]
    after = result.moment
    errors = sum(finding.severity == "error" for finding in lint_state(after))
    change = result.tokens
    sizes = f"{len(look.view)} → {len(after.view)} messages, "
    sums = f"{tokens(change.before)} → {tokens(change.after)} tokens, "
    left = "no error left" if not errors else f"{errors} left"
    return [Piece(sizes + sums, "muted"), Piece(left, "error" if errors else "ok")]
