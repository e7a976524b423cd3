"""What commands print: plain lines for people, ASCII-safe JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.cells import cell_len

from ctxtui.cli.streams import show_passing, tell
from ctxtui.symbols import visible


def print_json(data: Any) -> None:
    """Print JSON that any terminal or pipe can carry."""
    json.dump(data, sys.stdout, ensure_ascii=True, indent=1)
    print()


def print_line(text: str = "") -> None:
    """Print one line; what a terminal would act on is shown as a symbol."""
    show_passing("")
    print(visible(text).rstrip())


def print_block(text: str, indent: str) -> None:
    """Print a text of several lines, indented."""
    for line in text.replace("\r\n", "\n").split("\n"):
        print((indent + visible(line)).rstrip())


def print_problems(problems: Iterable[str]) -> None:
    """Print to standard error what a format could not hold."""
    for problem in problems:
        tell(problem)


def print_table(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> None:
    """Print rows in columns; the numbered columns are aligned at the right.

    A column is as wide as a terminal shows its widest cell: some characters take two places.
    """
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(cell_len(row[i]) for row in shown) for i in range(len(shown[0]))]
    numbers = set(right)
    for row in shown:
        gaps = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [
            gap + cell if i in numbers else cell + gap
            for i, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        ]
        print("  ".join(cells).rstrip())
