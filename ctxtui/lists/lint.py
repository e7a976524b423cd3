"""Lint findings: the rule, the place, the sentence, the cause."""

from __future__ import annotations

from ctxtui.lists.source import NumberedSource
from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import sign_of
from ctxtui.symbols import visible


class LintSource(NumberedSource):
    """A line for every finding; its key is its place in the list of findings."""

    def __init__(self, look: Look) -> None:
        self.look = look

    def __len__(self) -> int:
        """Return how many findings there are."""
        return len(self.look.findings)

    def header(self, width: int) -> Line | None:
        """Return the names of the columns."""
        return [Piece("   rule    pos   raw  finding", "faint")]

    def line(self, at: int, width: int) -> Line:
        """Return one finding."""
        finding = self.look.findings[at]
        glyph, kind = sign_of(finding)
        position = "all" if finding.position is None else str(finding.position)
        raw = "" if finding.raw_index is None else str(finding.raw_index)
        repairs = f"  repair: {', '.join(finding.repairs)}" if finding.repairs else ""
        return [
            Piece(f" {glyph} {finding.rule:<4}", kind),
            Piece(f"{position:>6}", "bright"),
            Piece(f"{raw:>6}  ", "muted"),
            Piece(visible(finding.message)),
            Piece(repairs, "faint"),
        ]
