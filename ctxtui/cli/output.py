"""What commands print: plain lines for people, ASCII-safe JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any, TextIO
from unicodedata import east_asian_width

from rich.cells import cell_len

from ctxtui.core.errors import Refused, format_value
from ctxtui.files.writing import write_whole
from ctxtui.progress import TaskProgress
from ctxtui.text.plurals import percent
from ctxtui.text.symbols import printable

# Standard output and error: what becomes of a command when nobody can take what it says.


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
        print(f"ctxtui: {printable(sentence)}", file=sys.stderr, flush=True)
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


def print_json(data: Any) -> None:
    """Print JSON that any terminal or pipe can carry."""
    json.dump(data, sys.stdout, ensure_ascii=True, indent=1)
    print()


def print_line(text: str = "") -> None:
    """Print one line; what a terminal would act on is shown as a symbol."""
    show_passing("")
    print(printable(text).rstrip())


def print_block(text: str, indent: str) -> None:
    """Print a text of several lines, indented."""
    for line in text.replace("\r\n", "\n").split("\n"):
        print((indent + printable(line)).rstrip())


def print_problems(problems: Iterable[str]) -> None:
    """Print to standard error what a format could not hold."""
    for problem in problems:
        tell(problem)


def print_table(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> None:
    """Print rows in columns; the numbered columns are aligned at the right.

    A column is as wide as a terminal shows its widest cell: some characters take two places.
    """
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(cell_len(row[i]) for row in shown) for i in range(len(shown[0]))]
    numbers = set(right)
    for row in shown:
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [
            gap + cell if i in numbers else cell + gap
            for i, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        ]
        print("  ".join(cells).rstrip())


# The bar that shows on a terminal how far a long command is; nobody else gets to see it.

BAR_CELLS = 24
LONGEST_NAME = 40


@contextmanager
def progress(file: str, number: int, files: int) -> Iterator[TaskProgress]:
    """Show how far a file is read, on standard error if that is a terminal, until it is done."""
    if not is_terminal(sys.stderr):
        yield TaskProgress()
        return
    count = f" ({number:,} of {files:,})" if files > 1 else ""
    name, shown = printable(Path(file).name, LONGEST_NAME) + count, ""

    def tell(done: float) -> None:
        nonlocal shown
        share = percent(done, 1)
        if share != shown:
            shown = share
            full = int(done * BAR_CELLS)
            show_passing(f"{name} {'━' * full}{'─' * (BAR_CELLS - full)} {share:>5}")

    try:
        yield TaskProgress(tell)
    finally:
        show_passing("")


# What commands that draw share: where a drawing goes, and what is told of it.

PRINTED = "-"


def out_argument(parser: ArgumentParser, about: str) -> None:
    """Declare where the drawing goes."""
    parser.add_argument("-o", "--out", metavar="OUT", required=True, help=about)


def kind_of(out: str, endings: Mapping[str, str], asked: str | None = None) -> str:
    """Return what is written: what was asked for, else what the name ends with says.

    A name without an ending promises nothing, so that it gets the first kind; one with the ending
    of something else would, and is refused.
    """
    ending = Path(out).suffix
    if asked is not None:
        return asked
    if out == PRINTED or not ending:
        return next(iter(endings.values()))
    if ending.lower() not in endings:
        legal = " or ".join(endings)
        sentence = f"out {format_value(out)} ends with {printable(ending)}; {legal} can be written"
        raise Refused(sentence, field="out", value=out, legal=legal)
    return endings[ending.lower()]


def write_drawing(asked: Namespace, text: str, told: Mapping[str, object]) -> None:
    """Write a drawing, or print it; say where it is, for people or as JSON."""
    if asked.out == PRINTED:
        sys.stdout.write(text)
        return
    write_whole(Path(asked.out), text)
    if asked.json:
        with saved_output():
            print_json({"written": asked.out, **told})
    else:
        print_problems([f"written to {asked.out}"])
