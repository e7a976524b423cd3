"""A toast: a bold line that says what happened, one more with the key that answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len

from ctxtui.models.told import Severity, Told
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

BAR = "▌"
LEAD = 4
"""Cells before the text: the bar, a space, and the sign."""
CHARACTERS = 1_000
"""Characters of a toast that are looked at: a file may be called anything."""
JOINED = "\u00a0"
SIGNS = {"done": PASSED.glyph, "note": " ", "warning": WARNING.glyph, "error": ERROR.glyph}
INKS: dict[Severity, str] = {"done": "ok", "note": "bar", "warning": "warn", "error": "error"}

_TOGETHER = re.compile(r" (?=→)|(?<=→) |(?<=\d) (?=%)|(?<=\d) (?=[a-z])|(?<=\d[kMG]) (?=[a-z])")
"""Spaces at which no line may end: ``218 → 225``, ``12 messages``, ``6.6k tokens``, ``80 %``."""


def joined(text: str) -> str:
    """Return a text in which numbers stay with each other and with what they count."""
    return _TOGETHER.sub(JOINED, text)


def toast_lines(told: Told, width: int) -> list[Line]:
    """Return a toast in so many cells: nothing of it is cut, only wrapped."""
    room = max(1, width - LEAD)
    ink = INKS[told.severity]
    rows = [*_rows(_units(told.title, "bright"), room), *_rows(_second(told), room)]
    lead = [Piece(f"{BAR} {SIGNS[told.severity]} ", ink), Piece(f"{BAR}   ", ink)]
    return [[lead[min(at, 1)], *row] for at, row in enumerate(rows)]


def toast_width(toasts: Sequence[Told]) -> int:
    """Return how many cells toasts need to have each of their two lines whole."""
    lines = [units for told in toasts for units in (_units(told.title, "bright"), _second(told))]
    return LEAD + 1 + max((_cells(units) + len(units) - 1 for units in lines), default=0)


def _second(told: Told) -> list[Line]:
    """Return what stands below the title: what more there is to say, and the keys that answer."""
    units = _units(told.detail, "text")
    for at, (key, does) in enumerate(told.answers, start=1):
        end = "." if at == len(told.answers) else ","
        first, *rest = _units(f"{does}{end}", "text")
        units += [[Piece(key, "key"), Piece(" "), *first], *rest]
    return units


def _units(text: str, kind: str) -> list[Line]:
    """Return a text in units that stay whole: words, or numbers with what they count."""
    words = joined(visible(text, CHARACTERS)).split(" ")
    return [[Piece(word.replace(JOINED, " "), kind)] for word in words if word]


def _rows(units: list[Line], room: int) -> list[Line]:
    """Return units in rows; only one that is longer than a whole row is broken."""
    rows: list[Line] = []
    used = room + 1
    for unit in units:
        size = _cells([unit])
        if size > room:
            text, kind = "".join(piece.text for piece in unit), unit[-1].kind
            rows += [[Piece(row, kind)] for row in wrap(text, room)]
            used = _cells(rows[-1:])
        elif used + 1 + size > room:
            rows.append(list(unit))
            used = size
        else:
            rows[-1] += [Piece(" "), *unit]
            used += 1 + size
    return rows


def _cells(units: Sequence[Line]) -> int:
    return sum(cell_len(piece.text) for unit in units for piece in unit)
