"""What commands print: plain lines for people, ASCII-safe JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from ctxtui.render.symbols import visible


def print_json(data: Any) -> None:
    """Print JSON that any terminal or pipe can carry."""
    json.dump(data, sys.stdout, ensure_ascii=True, indent=1)
    print()


def print_line(text: str = "") -> None:
    """Print one line; what a terminal would act on is shown as a symbol."""
    print(visible(text).rstrip())


def print_block(text: str, indent: str) -> None:
    """Print a text of several lines, indented."""
    for line in text.replace("\r\n", "\n").split("\n"):
        print((indent + visible(line)).rstrip())


def print_problems(problems: Iterable[str]) -> None:
    """Print to standard error what a format could not hold."""
    for problem in problems:
        print(f"ctxtui: {visible(problem)}", file=sys.stderr)


def print_table(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> None:
    """Print rows in columns; the numbered columns are aligned at the right."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in shown) for i in range(len(shown[0]))]
    numbers = set(right)
    for row in shown:
        cells = [
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: ``1 error``, ``2 errors``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
