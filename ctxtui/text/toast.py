"""A toast: a bold line that says what happened, one more with the key that answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len

from ctxtui.core import Refused
from ctxtui.files.fences import Unreadable
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.lines import Line, Piece, wrap
from ctxtui.text.symbols import visible

# What the app tells in passing: one line that says it, at most one more, and the key to answer.

Severity = Literal["done", "note", "warning", "error"]

Answer = tuple[str, str]
"""A key, and what it does: ``("u", "undoes it")``."""


class Told(NamedTuple):
    """Something to tell; what users and files call things may be in it as it is."""

    severity: Severity
    title: str
    detail: str = ""
    answers: tuple[Answer, ...] = ()

    @property
    def text(self) -> str:
        """Return all of it in one line."""
        keys = ", ".join(f"{key} {does}" for key, does in self.answers)
        return " ".join(
            part for part in (f"{self.title}.", self.detail, keys and f"{keys}.") if part
        )


def done(title: str, detail: str = "", *answers: Answer) -> Told:
    """Tell of something that was done."""
    return Told("done", title, detail, answers)


def note(title: str, detail: str = "", *answers: Answer) -> Told:
    """Tell something that is good to know, such as why nothing happened."""
    return Told("note", title, detail, answers)


def warned(title: str, detail: str = "", *answers: Answer) -> Told:
    """Tell of something that should be looked at."""
    return Told("warning", title, detail, answers)


def failed(title: str, detail: str = "", *answers: Answer) -> Told:
    """Tell of something that could not be done; it stays until a key is pressed."""
    return Told("error", title, detail, answers)


def refused(refusal: Exception | str) -> Told:
    """Tell why something was refused."""
    return failed(f"Refused: {refusal}", "Nothing was changed.")


def not_saved(problem: str, more: str, *answers: Answer) -> Told:
    """Tell why what was done is not on disk."""
    return failed(f"Not saved: {problem}", more, *answers)


NOTHING_CHANGED = note("Nothing changed", "It is so already.")


def sentence_of(problem: BaseException, doing: str = "") -> str:
    """Return what went wrong as a sentence.

    Refusals and errors of the system have their own words. Anything else is unexpected: then it is
    the kind of error, and what was being done.
    """
    if isinstance(problem, OSError) and (reason := problem.strerror or str(problem)):
        return f"{problem.filename}: {reason}" if problem.filename else reason
    if isinstance(problem, Refused | Unreadable) and (reason := str(problem)):
        return reason
    reason = " ".join(str(problem).split())
    failed_to = f"Failed to {doing}: " if doing else ""
    return f"{failed_to}{type(problem).__name__}{reason and ': '}{reason}"


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
