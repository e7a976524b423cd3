"""Standard output and error: what happens when they are closed, full or a terminal.

Loaded before anything else of a command, so it imports next to nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TextIO
from unicodedata import east_asian_width

from ctxtui.text.symbols import printable

DEFAULT_COLUMNS = 80
"""Of a terminal that does not report its width."""
ERASE_LINE = "\r\x1b[K"
_has_status = False
"""Whether a status line must be erased before anything else is printed."""


def open_closed_streams() -> None:
    """Replace closed output, as a daemon's may be, by one that drops everything."""
    if sys.stdout is None:
        sys.stdout = _null()
    if sys.stderr is None:
        sys.stderr = _null()


def _null() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal; one that is closed is None."""
    return stream is not None and stream.isatty()


def has_terminal() -> bool:
    """Return whether the app can be shown and typed into."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def status_width() -> int:
    """Return how many cells a status line may fill without wrapping."""
    columns = 0
    with suppress(OSError, ValueError):
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    return (columns or DEFAULT_COLUMNS) - 1


def show_status(text: str) -> None:
    """Show a line on the terminal at standard error until something else is printed.

    It is cut to the width of the terminal: of two lines only one could be erased.
    """
    global _has_status  # noqa: PLW0603 - there is one terminal
    if not text and not _has_status:
        return
    _has_status = bool(text)
    with suppress(OSError):
        print(f"{ERASE_LINE}{_cut(text, status_width())}", end="", file=sys.stderr, flush=True)


def _cut(text: str, width: int) -> str:
    """Return as much of a line as fits; most have few wide characters, or none."""
    if text.isascii() and len(text) <= width:
        return text
    cells = 0
    for at, char in enumerate(text):
        cells += 2 if east_asian_width(char) in "WF" else 1
        if cells > width:
            return text[:at]
    return text


def print_error(sentence: str) -> None:
    """Print one sentence to standard error, in which nothing acts on a terminal.

    A standard error that can't be written is ignored: what the command does matters more.
    """
    show_status("")
    try:
        print(f"ctxtui: {printable(sentence)}", file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def print_errors(sentences: Iterable[str]) -> None:
    """Print sentences to standard error, such as what a format could not hold."""
    for sentence in sentences:
        print_error(sentence)


def silence(stream: TextIO) -> None:
    """Drop what is left to be written, or Python would complain about it at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


class ForgivingStream:
    """A stream that never fails: after the first problem it drops everything and remembers why."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.problem: OSError | None = None

    def write(self, text: str) -> int:
        if self.problem is None:
            try:
                self._stream.write(text)
            except OSError as error:
                self.problem = error
        return len(text)

    def flush(self) -> None:
        if self.problem is None:
            try:
                self._stream.flush()
            except OSError as error:
                self.problem = error


@contextmanager
def saved_output() -> Iterator[None]:
    """Print what is saved already, so that failing to print it is no failure of the command.

    A failing exit code would make a careful script do it a second time.
    """
    stream = sys.stdout
    forgiving = ForgivingStream(stream)
    try:
        with redirect_stdout(forgiving):
            yield
            forgiving.flush()
    finally:
        if forgiving.problem is not None:
            silence(stream)
            reason = forgiving.problem.strerror
            print_error(f"standard output can't be written: {reason}; what was done is saved")
