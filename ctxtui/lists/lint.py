"""Lint findings: the rule and the place, the sentence, the cause."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Finding
from ctxtui.lists.heights import Block
from ctxtui.lists.source import NumberedSource
from ctxtui.models.look import Look
from ctxtui.render.message.preview import GLYPHS, WORDS
from ctxtui.render.text.lines import Line, Piece, fit_pieces, line_width
from ctxtui.render.text.severity import sign_of
from ctxtui.symbols import visible

LOW_ROWS = 2
HIGH_ROWS = 4
"""Rows of a finding where there is little room, and where its cause and a space have some."""
INDENT = "   "


class LintSource(NumberedSource):
    """Some lines for every finding; its key is its place in the list of findings."""

    def __init__(self, look: Look, *, is_low: bool = False) -> None:
        self.look = look
        self._rows = LOW_ROWS if is_low else HIGH_ROWS

    def __len__(self) -> int:
        """Return how many findings there are."""
        return len(self.look.findings)

    def blocks(self, width: int) -> Sequence[Block]:
        """Return that every finding takes the same rows."""
        return [Block(len(self), self._rows)]

    def line(self, at: int, width: int) -> Line:
        """Return sign and rule of a finding, its place, and who said what it is about."""
        finding = self.look.findings[at]
        sign = sign_of(finding)
        line = [Piece(f" {sign.text(finding.rule):<6}", sign.kind), *_place(finding)]
        if finding.raw_index is None:
            return line
        role = self.look.state.log[finding.raw_index].role
        who = Piece(f"{GLYPHS[role]} {WORDS[role]} ", role)
        room = max(0, width - len(who.text))
        return [*fit_pieces(line, room), who] if line_width(line) < room else line

    def below(self, at: int, width: int) -> list[Line]:
        """Return the sentence, and the cause where there is room for it."""
        finding = self.look.findings[at]
        lines: list[Line] = [[Piece(INDENT), Piece(visible(finding.message))]]
        if self._rows == HIGH_ROWS:
            half = self.look.other_half(finding)
            lines += [[] if half is None else _cause(half.in_short), []]
        return lines


def _place(finding: Finding) -> Line:
    if finding.position is None:
        return [Piece("the whole projection", "muted")]
    return [
        Piece("position ", "muted"),
        Piece(f"{finding.position:,}", "bright"),
        Piece(f"   raw {finding.raw_index:,}", "muted"),
    ]


def _cause(told: str) -> Line:
    return [Piece(f"{INDENT}cause  ", "faint"), Piece(visible(told), "muted")]
