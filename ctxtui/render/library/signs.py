"""The signs of the library: what was decided about a session, what lint finds, who is alike."""

from __future__ import annotations

from ctxtui.core.curation.digest import Digest, Row
from ctxtui.render.text.lines import Piece
from ctxtui.render.text.severity import ERROR, PASSED, WARNING, Sign

NEEDS_WORK = Sign("!", "warn")
REJECTED = Sign("✗", "error")
STATUS = {
    "new": Sign("○", "text"),
    "in review": Sign("◐", "text"),
    "needs work": NEEDS_WORK,
    "accepted": PASSED,
    "rejected": REJECTED,
}
"""What was decided, as a sign."""
ALIKE, SAME = "≈", "="
FIRST, MIDDLE, LAST = "╭", "│", "╰"
"""What joins neighbours that are alike."""
MOST = 99


def is_dull(row: Row) -> bool:
    """Tell whether nobody needs to look at a session any more: its row is grey."""
    return row.entry.status == "rejected" or row.entry.problem is not None


def status_sign(status: str) -> Sign:
    """Return the sign of a status."""
    return STATUS.get(status, STATUS["new"])


def lint_piece(digest: Digest | None) -> Piece:
    """Return what lint finds: the number of errors, or else of warnings, or that there is none."""
    if digest is None:
        return Piece("·", "faint")
    for sign, count in ((ERROR, digest.errors), (WARNING, digest.warnings)):
        if count:
            return Piece(f"{sign.glyph}{min(count, MOST)}", sign.kind)
    return Piece(PASSED.glyph, PASSED.kind)


def alike_words(row: Row, before: Row | None, behind: Row | None) -> str:
    """Return who a session is alike with: a bracket joins it with neighbours of its group.

    The first of a stretch says how many there are, the others how alike they are.
    """
    alike = row.alike
    if alike is None:
        return ""
    is_below, is_above = _is_of(before, alike.group), _is_of(behind, alike.group)
    bracket = MIDDLE if is_below and is_above else LAST if is_below else FIRST if is_above else " "
    if not is_below:
        return f"{bracket} {ALIKE}{alike.size:>2}"
    return f"{bracket} {_likeness(alike.similarity):>3}"


def _is_of(row: Row | None, group: int) -> bool:
    return row is not None and row.alike is not None and row.alike.group == group


def _likeness(likeness: float) -> str:
    """Return how alike something is: the same, or a share as .96."""
    return SAME if likeness >= 1 else f"{likeness:.2f}"[1:]
