"""The bar that shows on a terminal how far a long command is; nobody else gets to see it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ctxtui.cli.streams import is_terminal, show_passing
from ctxtui.progress import Watch
from ctxtui.symbols import visible
from ctxtui.words import percent

BAR_CELLS = 24
LONGEST_NAME = 40


@contextmanager
def progress(file: str, number: int, files: int) -> Iterator[Watch]:
    """Show how far a file is read, on standard error if that is a terminal, until it is done."""
    if not is_terminal(sys.stderr):
        yield Watch()
        return
    count = f" ({number:,} of {files:,})" if files > 1 else ""
    name, shown = visible(Path(file).name, LONGEST_NAME) + count, ""

    def tell(done: float) -> None:
        nonlocal shown
        share = percent(done, 1)
        if share != shown:
            shown = share
            full = int(done * BAR_CELLS)
            show_passing(f"{name} {'━' * full}{'─' * (BAR_CELLS - full)} {share:>5}")

    try:
        yield Watch(tell)
    finally:
        show_passing("")
