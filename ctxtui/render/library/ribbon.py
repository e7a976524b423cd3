"""The ribbon of a session that is not open: drawn from the letters its digest keeps."""

from __future__ import annotations

from ctxtui.render.text.lines import Line, Piece, joined
from ctxtui.render.text.ribbon import HIDDEN, SENT

HALF = "▄"
"""A ribbon in a list is half a row high, so that it does not stick to the title below it."""
ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
DULL = "dim"


def mini_ribbon(letters: str, width: int, *, is_dull: bool = False) -> Line:
    """Return letters as a ribbon for a list: all of it in one grey where nobody looks any more."""
    if is_dull:
        return [Piece(HALF * width, DULL)] if letters else [Piece(" " * width)]
    return _ribbon(letters, width, HALF)


def wide_ribbon(letters: str, width: int) -> Line:
    """Return letters as a ribbon that stands alone."""
    return _ribbon(letters, width, SENT)


def _ribbon(letters: str, width: int, sent: str) -> Line:
    if not letters or width <= 0:
        return [Piece(" " * max(0, width))]
    cells = (letters[at * len(letters) // width] for at in range(width))
    return joined([_cell(letter, sent) for letter in cells])


def _cell(letter: str, sent: str) -> Piece:
    role = ROLES.get(letter.lower(), "tool")
    return Piece(sent, role) if letter.isupper() else Piece(HIDDEN, "faint")
