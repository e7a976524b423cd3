"""What needs attention, in one small pane: lint findings with their cause, and lost marks."""

from __future__ import annotations

from ctxtui.models.look import Look
from ctxtui.render.status import unlinted
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.marks import mark_kind
from ctxtui.render.text.severity import PASSED, sign_of
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

MOST_FINDINGS = 50
INDENT = 12


def worry_lines(look: Look, width: int) -> list[Line]:
    """Return the findings, then each label with how many of its messages are hidden."""
    lines = _findings(look, width)
    marks = look.conversation.marks
    if marks:
        lines += [[], [Piece("Marks", "bright")]]
    sent = set(look.view) if marks else set()
    for label, raws in list(marks.items())[:MOST_FINDINGS]:
        hidden = [raw for raw in raws if raw not in sent]
        told = f"{len(hidden)} of {len(raws)} hidden" if hidden else f"{len(raws)} sent"
        places = ", ".join(str(raw) for raw in (hidden or raws)[:6])
        lines.append(
            [
                Piece("★ ", mark_kind(label)),
                Piece(f"{visible(label, 20)}  ", "text"),
                Piece(told, "error" if hidden else "muted"),
                Piece(f"  raw {places}", "faint"),
            ]
        )
    return lines


def _findings(look: Look, width: int) -> list[Line]:
    if not look.is_linted:
        return [[unlinted(look)]]
    if not look.findings:
        profile = look.conversation.settings.profile
        return [[PASSED.piece(), Piece(f"Every rule of {profile} passes.", "muted")]]
    lines: list[Line] = []
    for finding in look.findings[:MOST_FINDINGS]:
        glyph, kind = sign_of(finding)
        place = "all" if finding.position is None else f"pos {finding.position}"
        lead = [Piece(f"{glyph} {finding.rule:<3}", kind), Piece(f"{place:>7} ", "muted")]
        told = visible(f"{finding.message} {look.cause(finding)}".strip())
        for i, text in enumerate(wrap(told, max(10, width - INDENT - 1))):
            lines.append([*(lead if i == 0 else [Piece(" " * INDENT)]), Piece(text)])
    more = len(look.findings) - MOST_FINDINGS
    return [*lines, [Piece(f"… {more} more: L", "faint")]] if more > 0 else lines
