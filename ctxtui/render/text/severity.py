"""How bad something is, as a sign with an ink of its own: for lint and for whatever is refused."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from ctxtui.core import Finding
from ctxtui.render.text.lines import Line, Piece


class Sign(NamedTuple):
    """One character that says how bad it is, and the kind of piece it is drawn as."""

    glyph: str
    kind: str

    def text(self, words: str) -> str:
        """Return words behind the sign."""
        return f"{self.glyph} {words}"

    def piece(self, words: str = "") -> Piece:
        """Return words behind the sign, in its ink."""
        return Piece(self.text(words), self.kind)


ERROR = Sign("✖", "error")
WARNING = Sign("▲", "warn")
PASSED = Sign("✓", "ok")
NOTED = Sign("✎", "key")
NOTED_SIGN = Piece(NOTED.glyph, NOTED.kind)
"""Somebody has written a note about it: as a sign, and as the one cell that a list has for it."""

BOXES = {True: f"[{PASSED.glyph}]", False: "[ ]"}
"""A box that is ticked, or not."""

_OF_SEVERITY = {"error": ERROR, "warning": WARNING}


def sign_of(finding: Finding) -> Sign:
    """Return the sign of a finding."""
    return _OF_SEVERITY[finding.severity]


def worst_of(findings: Collection[Finding]) -> Line:
    """Return sign and rule of the worst of some findings, to stand behind a message."""
    if not findings:
        return []
    worst = min(findings, key=lambda finding: finding.severity)
    return [Piece(f" {sign_of(worst).text(worst.rule)}", sign_of(worst).kind)]


CACHED_BLOCK = "║"
"""A block of a prompt that a provider served from its cache."""
RESENT_BLOCK = "░"
"""A block of a prompt that was sent again uncached."""
