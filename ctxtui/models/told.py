"""What the app tells in passing: one line that says it, at most one more, and the key to answer."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ctxtui.core import Refused
from ctxtui.files.fences import Unreadable

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
