"""The strip above a message that something is wrong with: what, why, and the keys that mend it."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.commands import KEYS_OF_REPAIRS
from ctxtui.core import Finding
from ctxtui.models.causes import helping
from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line, Piece, fit_pieces, on_paper
from ctxtui.render.text.severity import sign_of
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

SHORT_WORDS = {
    "restore": "bring the call back",
    "stub": "put a stand-in there",
    "drop": "hide what is left",
}
"""What each repair does, in as many words as a strip has room for; what loses least comes first."""
WHY = ("L", "why")
PAPERS = {"error": "finding", "warning": "warning"}
"""What a strip is drawn on."""
MOST_FINDINGS = 4


def finding_strip(look: Look, raw: int, width: int) -> list[Line]:
    """Return what lint says of a message, across the whole width; nothing if it is fine."""
    position = look.view.position(raw)
    found = [] if position is None else look.findings_at.get(position, [])
    if not found:
        return []
    worst = min(found, key=lambda finding: finding.severity)
    paper = PAPERS[worst.severity]
    lines: list[Line] = []
    for finding in found[:MOST_FINDINGS]:
        lines += _told(look, finding, width)
    more = len(found) - MOST_FINDINGS
    if more > 0:
        lines.append([Piece(f"  and {more:,} more of this message", "muted")])
    lines += _keys(found if look.is_live else [], width)
    return [_filled(_without_end(line), paper, width) for line in lines]


def _told(look: Look, finding: Finding, width: int) -> list[Line]:
    """Return sentence and cause, wrapped behind the sign and the rule."""
    sign = sign_of(finding)
    lead = f"{sign.glyph} {finding.rule}  "
    told = visible(f"{finding.message} {look.cause(finding)}".strip())
    return [
        [Piece(lead, sign.kind) if i == 0 else Piece(" " * len(lead)), Piece(text)]
        for i, text in enumerate(wrap(told, max(10, width - len(lead))))
    ]


def _keys(found: Sequence[Finding], width: int) -> list[Line]:
    """Return the keys that take any of the findings away, in as many rows as they need."""
    policies = {policy for finding in found for policy in helping(finding)}
    pairs: list[tuple[str, str]] = [
        (KEYS_OF_REPAIRS[one], word) for one, word in SHORT_WORDS.items() if one in policies
    ]
    lines: list[Line] = []
    used = width
    for key, word in [*pairs, WHY]:
        size = len(f"   {key} {word}")
        if used + size > width:
            lines.append([Piece("  ")])
            used, size = 2, size - 3
        else:
            lines[-1].append(Piece("   "))
        lines[-1] += [Piece(key, "key"), Piece(f" {word}", "muted")]
        used += size
    return lines


def _without_end(line: Line) -> Line:
    """Return a line without the spaces at its end: they must not push its last word out."""
    return [*line[:-1], Piece(line[-1].text.rstrip(), line[-1].kind)] if line else line


def _filled(line: Line, paper: str, width: int) -> Line:
    """Return a line on the paper of a strip, up to the edge."""
    return [Piece(text, on_paper(kind, paper)) for text, kind in fit_pieces(line, width)]
