"""``ctxtui verify``: whether sessions are whole."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from core.storage import StorageError
from ctxtui.cli.choosing import chosen, session_arguments
from ctxtui.cli.output import print_json, print_line
from ctxtui.files.sessions import open_library
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.words import plural


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    session_arguments(parser, "an id or title; all sessions if none")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(asked: Namespace) -> int:
    """Check the sessions; 1 means that something is wrong with one of them."""
    library = open_library(asked.library)
    rows = []
    for entry in chosen(library, asked, or_all=True):
        id, title = entry.id, entry.title
        try:
            wrong = library.verify(id)
        except StorageError as error:
            wrong = [str(error)]
        rows.append({"id": id, "title": title, "ok": not wrong, "findings": wrong})
        if not asked.json:
            _print(id, title, wrong)
    bad = sum(not row["ok"] for row in rows)
    if asked.json:
        print_json({"sessions": rows})
    else:
        print_line(f"{plural(len(rows), 'session')}, {bad} with something wrong")
    return 1 if bad else 0


def _print(id: str, title: str, wrong: list[str]) -> None:
    if not wrong:
        print_line(PASSED.text(f"{id}  {title}: fine"))
    for sentence in wrong:
        print_line(ERROR.text(f"{id}  {title}: {sentence}"))
