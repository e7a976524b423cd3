"""A toast: a bold line that says what happened, and one more with the key that answers it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ctxtui.core import Refused
from ctxtui.files.sandbox import Unreadable
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.lines import Line, Piece, Span, flow
from ctxtui.text.symbols import printable

ToastSeverity = Literal["done", "note", "warning", "error"]

ToastAnswer = tuple[str, str]
"""A key, and what it does: ``("u", "undoes it")``."""


class Toast(NamedTuple):
    """What happened; names of users and files may be in it as they are."""

    severity: ToastSeverity
    title: str
    detail: str = ""
    answers: tuple[ToastAnswer, ...] = ()

    @property
    def text(self) -> str:
        keys = ", ".join(f"{key} {does}" for key, does in self.answers)
        return " ".join(
            part for part in (f"{self.title}.", self.detail, keys and f"{keys}.") if part
        )


class Notice(NamedTuple):
    """What was said, and when, in milliseconds since 1970."""

    time: int
    toast: Toast


def done(title: str, detail: str = "", *answers: ToastAnswer) -> Toast:
    """Say that something was done."""
    return Toast("done", title, detail, answers)


def note(title: str, detail: str = "", *answers: ToastAnswer) -> Toast:
    """Say something that is good to know, such as why nothing happened."""
    return Toast("note", title, detail, answers)


def warned(title: str, detail: str = "", *answers: ToastAnswer) -> Toast:
    """Warn of something that should be checked."""
    return Toast("warning", title, detail, answers)


def failed(title: str, detail: str = "", *answers: ToastAnswer) -> Toast:
    """Say that something failed; the toast is shown until a key is pressed."""
    return Toast("error", title, detail, answers)


def refused(refusal: Exception | str) -> Toast:
    """Say why something was refused."""
    return failed(f"Refused: {refusal}", "Nothing was changed.")


def not_saved(problem: str, more: str, *answers: ToastAnswer) -> Toast:
    """Say why changes are not on disk."""
    return failed(f"Not saved: {problem}", more, *answers)


NOTHING_CHANGED = note("No change", "It already has this value.")


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
"""Characters of a toast that are shown: a file may be called anything."""
JOINED = "\u00a0"
SYMBOLS = {"done": PASSED.glyph, "note": " ", "warning": WARNING.glyph, "error": ERROR.glyph}
KINDS: dict[ToastSeverity, str] = {
    "done": "ok",
    "note": "bar",
    "warning": "warn",
    "error": "error",
}

_TOGETHER = re.compile(r" (?=→)|(?<=→) |(?<=\d) (?=%)|(?<=\d) (?=[a-z])|(?<=\d[kMG]) (?=[a-z])")
"""Spaces at which no line may end: ``218 → 225``, ``12 messages``, ``6.6k tokens``, ``80 %``."""


def joined(text: str) -> str:
    """Return a text in which numbers stay with each other and with what they count."""
    return _TOGETHER.sub(JOINED, text)


def toast_lines(toast: Toast, width: int) -> list[Line]:
    """Return a toast in so many cells: nothing of it is cut, only wrapped."""
    room = max(1, width - LEAD)
    kind = KINDS[toast.severity]
    rows = [*_rows([(toast.title, "bright")], room), *_rows(_second(toast), room)]
    lead = [Piece(f"{BAR} {SYMBOLS[toast.severity]} ", kind), Piece(f"{BAR}   ", kind)]
    return [[lead[min(at, 1)], *row] for at, row in enumerate(rows)]


def _second(toast: Toast) -> list[Span]:
    """Return what is below the title: what more there is to say, and the keys that answer."""
    spans: list[Span] = [(toast.detail, "text")] if toast.detail else []
    for at, (key, does) in enumerate(toast.answers, start=1):
        end = "." if at == len(toast.answers) else ","
        spans += [(" " if spans else "", "text"), (key, "key"), (f"{JOINED}{does}{end}", "text")]
    return spans


def _rows(spans: list[Span], room: int) -> list[Line]:
    """Return text in rows; numbers stay on one with what they count."""
    shown = [(joined(printable(text, CHARACTERS)), kind) for text, kind in spans]
    rows = flow(shown, room) if any(text for text, _ in shown) else []
    return [[Piece(text.replace(JOINED, " "), kind) for text, kind in row] for row in rows]
