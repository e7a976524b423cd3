"""What commands print: plain lines for people, ASCII-safe JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import is_terminal, print_errors, saved_output, show_status
from ctxtui.core.errors import Refused, format_value
from ctxtui.progress import TaskProgress
from ctxtui.text.symbols import printable

BAR_CELLS = 24
LONGEST_NAME = 40
STDOUT = "-"
PNG = ".png"


def bar(share: float, cells: int = BAR_CELLS) -> str:
    """Return a progress bar."""
    full = int(share * cells)
    return f"{'━' * full}{'─' * (cells - full)}"


def print_json(data: Any) -> None:
    """Print JSON that any terminal or pipe can carry."""
    json.dump(data, sys.stdout, ensure_ascii=True, indent=1)
    print()


def print_line(text: str = "") -> None:
    """Print one line; what a terminal would act on is shown as a symbol."""
    show_status("")
    print(printable(text).rstrip())


def print_expectations(expected: Sequence[object], misses: Sequence[str], *, is_json: bool) -> None:
    """Print which expectations were not met, or that all were; beside JSON, as errors."""
    from ctxtui.text.icons import ERROR, PASSED

    if is_json:
        print_errors(misses)
        return
    for miss in misses:
        print_line(ERROR.text(miss))
    if expected and not misses:
        print_line(PASSED.text(", ".join(map(str, expected))))


def print_block(text: str, indent: str) -> None:
    """Print a text of several lines, indented."""
    for line in text.replace("\r\n", "\n").split("\n"):
        print((indent + printable(line)).rstrip())


def print_table(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> None:
    """Print rows in columns; the numbered columns are aligned at the right.

    A column is as wide as a terminal shows its widest cell: some characters take two places.
    """
    from rich.cells import cell_len

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


@contextmanager
def progress(file: str, number: int, files: int) -> Iterator[TaskProgress]:
    """Show a progress bar on standard error, if that is a terminal, until the work is done."""
    if not is_terminal(sys.stderr):
        yield TaskProgress()
        return
    count = f" ({number:,} of {files:,})" if files > 1 else ""
    name, shown = printable(Path(file).name, LONGEST_NAME) + count, ""

    def show(done: float) -> None:
        nonlocal shown
        from ctxtui.text.plurals import percent

        share = percent(done, 1)
        if share != shown:
            shown = share
            show_status(f"{name} {bar(done)} {share:>5}")

    try:
        yield TaskProgress(show)
    finally:
        show_status("")


def out_argument(parser: Parser, about: str) -> None:
    """Declare where a drawing goes."""
    parser.option("-o --out OUT", about, required=True)


def kind_of(out: str, endings: Mapping[str, str], given: str | None = None) -> str:
    """Return what is written: the kind that was given, else that of the file's ending.

    A name without an ending gets the first kind; an ending of something else is refused.
    """
    ending = Path(out).suffix
    if given is not None:
        return given
    if out == STDOUT or not ending:
        return next(iter(endings.values()))
    if ending.lower() not in endings:
        legal = " or ".join(endings)
        sentence = f"out {format_value(out)} ends with {printable(ending)}; {legal} can be written"
        raise Refused(sentence, field="out", value=out, legal=legal)
    return endings[ending.lower()]


def write_drawing(args: Namespace, svg: str, data: Mapping[str, object]) -> None:
    """Write a drawing, as PNG where the name ends so, or print it; report where it is."""
    from ctxtui.files.writing import write_whole

    if args.out == STDOUT:
        sys.stdout.write(svg)
        return
    if Path(args.out).suffix.lower() == PNG:
        from ctxtui.pictures.svg import png_of

        write_whole(Path(args.out), png_of(svg))
    else:
        write_whole(Path(args.out), svg)
    if args.json:
        with saved_output():
            print_json({"written": args.out, **data})
    else:
        print_errors([f"written to {args.out}"])


def extra_module(command: str, module: str, package: str) -> ModuleType:
    """Return a module that needs what only the extra of a command brings."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ctxtui"):
            raise
        missing = f"{command} needs {package}, which is not installed"
        how = f"pip install '.[{command}]' in a checkout"
        raise Refused(f"{missing}: {how}", field=command) from None
