"""``ctxtui list``: the sessions of the library."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ctxtui.cli.inputs import library_argument, where_argument
from ctxtui.cli.output import print_json, print_line, print_table, progress
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.digest import Digest, SessionRow
from ctxtui.core.curation.duplicates import Duplicate
from ctxtui.core.curation.query import read_query
from ctxtui.core.engine.tokens import is_exact
from ctxtui.files.sessions import open_library
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.lines import fit
from ctxtui.text.symbols import printable

HEAD = (
    *("id", "title", "format", "messages", "visible", "batches", "tokens", "lint"),
    *("alike", "tags", "status", "updated"),
)
NUMBERS = range(3, 7)
LINT_KEYS = ("profile", "errors", "warnings", "rules")
ALIKE = HEAD.index("alike")
WIDEST = 40
"""Cells that a title or the tags may take; all of them are in the JSON."""


def arguments(parser: Parser) -> None:
    where_argument(parser)
    library_argument(parser)
    parser.option("--json", "print the sessions as JSON")


def run(args: Namespace) -> int:
    """Print the sessions, the one changed last first."""
    library = open_library(args.library)
    where = read_query(args.where or "")
    with Catalog(library) as catalog:
        with progress("sessions", 1, 1) as watch:
            catalog.learn(step=watch.step)
        found = catalog.rows()
    rows = [row for row in found if where.matches(row)]
    if args.json:
        print_json({"sessions": [_data(row) for row in rows]})
    elif not found:
        print_line(f"no session in {library.folder}; ctxtui import FILE makes one")
    elif not rows:
        print_line(f"none of {len(found):,} sessions matches")
    else:
        _print(rows)
    return 0


def _data(row: SessionRow) -> dict[str, Any]:
    """Return a session as JSON; what could not be found out is null."""
    digest, alike = row.digest, row.duplicate
    return {
        **row.entry.to_dict(),
        "warningCount": len(row.entry.warnings),
        "format": None if digest is None else digest.format or None,
        "lint": None if digest is None else {key: getattr(digest, key) for key in LINT_KEYS},
        "personal": None if digest is None else dict(digest.personal),
        "trainable": None if digest is None else digest.trainable,
        "fields": None if digest is None else list(digest.fields),
        "alike": None if alike is None else {"group": alike.group + 1, "size": alike.size},
    }


def _print(rows: Sequence[SessionRow]) -> None:
    entries = [row.entry for row in rows]
    counters = sorted({entry.counter for entry in entries if entry.problem is None})
    is_one = len(counters) == 1
    table = [HEAD, *(_cells(row, is_one) for row in rows)]
    if not any(row.duplicate for row in rows):
        table = [(*cells[:ALIKE], *cells[ALIKE + 1 :]) for cells in table]
    print_table(table, right=NUMBERS)
    if counters:
        names = (one if is_exact(one) else f"{one}, an estimate" for one in counters)
        print_line(f"tokens by {'; '.join(names)}")
    for entry in entries:
        if entry.problem is not None:
            print_line(ERROR.text(f"{entry.id}: {entry.problem}"))


def _cells(row: SessionRow, is_one: bool) -> tuple[str, ...]:
    """Return the cells of a session; where there are several counters, each figure says its own."""
    entry = row.entry
    if entry.problem is not None:
        return (entry.id, entry.title, *[""] * (len(HEAD) - 4), "damaged", "")
    figures = (entry.messages, entry.visible, entry.batches)
    tokens = f"{entry.tokens:,}" + ("" if is_one else f" {entry.counter}")
    return (
        entry.id,
        _cut(entry.title),
        "" if row.digest is None else row.digest.format,
        *(f"{figure:,}" for figure in figures),
        tokens,
        _lint(row.digest),
        _alike(row.duplicate),
        _cut(", ".join(entry.tags)),
        entry.status,
        when(entry.updated),
    )


def _lint(digest: Digest | None) -> str:
    if digest is None:
        return "?"
    found = [(ERROR, digest.errors), (WARNING, digest.warnings)]
    return " ".join(sign.text(f"{count:,}") for sign, count in found if count) or PASSED.glyph


def _alike(alike: Duplicate | None) -> str:
    return "" if alike is None else f"{alike.group + 1} ({alike.size:,})"


def _cut(text: str) -> str:
    return fit(printable(text), WIDEST).rstrip()


def when(milliseconds: int) -> str:
    """Return a moment as people here write it; one that no calendar has is left open."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError, OSError):
        return "?"
