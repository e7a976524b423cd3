"""Standard output and error: what becomes of a command when nobody can take what it says."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TextIO
from unicodedata import east_asian_width

from ctxtui.symbols import visible


def open_closed_streams() -> None:
    """Let output that is closed, as a daemon's may be, go nowhere: the command matters more."""
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether somebody sits at a stream; one that is closed is None."""
    return stream is not None and stream.isatty()


USUAL_COLUMNS = 80
"""Of a terminal that does not say how wide it is."""
ERASE_LINE = "\r\x1b[K"
_passing = False
"""Whether the line at the bottom of the terminal goes before anything else is printed."""


def passing_room() -> int:
    """Return how many cells a line may fill at the bottom of the terminal without a second one."""
    columns = 0
    with suppress(OSError, ValueError):
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    return (columns or USUAL_COLUMNS) - 1


def show_passing(text: str) -> None:
    """Show a line on the terminal at standard error until something else is printed.

    What is too long for the terminal is cut: of two lines only one could be erased.
    """
    global _passing  # noqa: PLW0603 - there is one terminal
    if not text and not _passing:
        return
    _passing = bool(text)
    with suppress(OSError):
        print(f"{ERASE_LINE}{_cut(text, passing_room())}", end="", file=sys.stderr, flush=True)


def _cut(text: str, room: int) -> str:
    """Return as much of a line as fits; most have few wide characters, or none."""
    if text.isascii() and len(text) <= room:
        return text
    cells = 0
    for at, char in enumerate(text):
        cells += 2 if east_asian_width(char) in "WF" else 1
        if cells > room:
            return text[:at]
    return text


def tell(sentence: str) -> None:
    """Print one sentence to standard error, in which nothing acts on a terminal.

    Where nobody can be told, the command goes on: what it does matters more.
    """
    show_passing("")
    try:
        print(f"ctxtui: {visible(sentence)}", file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Let what is left to be written go nowhere, or Python would complain about it at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Forgiving:
    """A stream on which nothing fails: after the first problem it takes everything and says so."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.problem: OSError | None = None

    def write(self, text: str) -> int:
        """Write a text, or drop it if that can't be done any more."""
        if self.problem is None:
            try:
                self._stream.write(text)
            except OSError as error:
                self.problem = error
        return len(text)

    def flush(self) -> None:
        """Pass on what was written."""
        if self.problem is None:
            try:
                self._stream.flush()
            except OSError as error:
                self.problem = error


@contextmanager
def saved_output() -> Iterator[None]:
    """Tell on standard output what is saved already, so that failing to tell it is no failure.

    An exit code of failure would make a careful script do it a second time.
    """
    stream = sys.stdout
    forgiving = Forgiving(stream)
    try:
        with redirect_stdout(forgiving):
            yield
            forgiving.flush()
    finally:
        if forgiving.problem is not None:
            silence(stream)
            reason = forgiving.problem.strerror
            tell(f"standard output can't be written: {reason}; what was done is saved")
