"""``ctxtui list``: the sessions of the library."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import datetime

from core.storage import Entry
from core.tokens.counters import is_exact
from ctxtui.cli.output import print_json, print_line, print_table
from ctxtui.cli.sessions import library_argument
from ctxtui.files.sessions import open_library
from ctxtui.render.text.lines import fit
from ctxtui.render.text.severity import ERROR
from ctxtui.symbols import visible

HEAD = (
    *("id", "title", "messages", "visible", "batches", "tokens"),
    *("tags", "status", "updated"),
)
NUMBERS = range(2, 6)
WIDEST = 40
"""Cells that a title or the tags may take; all of them are in the JSON."""


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    library_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the sessions as JSON")


def run(asked: Namespace) -> int:
    """Print the sessions, the one changed last first."""
    library = open_library(asked.library)
    entries = library.list()
    if asked.json:
        print_json({"sessions": [entry.to_dict() for entry in entries]})
        return 0
    if not entries:
        print_line(f"no session in {library.folder}; ctxtui import FILE makes one")
        return 0
    counters = sorted({entry.counter for entry in entries if entry.problem is None})
    is_one = len(counters) == 1
    print_table([HEAD, *(_row(entry, is_one) for entry in entries)], right=NUMBERS)
    _print_counters(counters)
    for entry in entries:
        if entry.problem is not None:
            print_line(ERROR.text(f"{entry.id}: {entry.problem}"))
    return 0


def _row(entry: Entry, is_one: bool) -> tuple[str, ...]:
    """Return the cells of a session; where there are several counters, each figure says its own."""
    if entry.problem is not None:
        return (entry.id, entry.title, "", "", "", "", "", "damaged", "")
    figures = (entry.messages, entry.visible, entry.batches)
    tokens = f"{entry.tokens:,}" + ("" if is_one else f" {entry.counter}")
    return (
        entry.id,
        _cut(entry.title),
        *(f"{figure:,}" for figure in figures),
        tokens,
        _cut(", ".join(entry.tags)),
        entry.status,
        when(entry.updated),
    )


def _cut(text: str) -> str:
    return fit(visible(text), WIDEST).rstrip()


def when(milliseconds: int) -> str:
    """Return a moment as people here write it; one that no calendar has is left open."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return "?"


def _print_counters(counters: Sequence[str]) -> None:
    if counters:
        told = (one if is_exact(one) else f"{one}, an estimate" for one in counters)
        print_line(f"tokens by {'; '.join(told)}")
