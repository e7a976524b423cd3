"""``ctxtui verify``: whether sessions are whole."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from ctxtui.cli.inputs import chosen, session_arguments
from ctxtui.cli.output import print_json, print_line
from ctxtui.core.curation.purging import Leftovers, leftovers_in
from ctxtui.core.errors import Refused
from ctxtui.core.storage import Library, StorageError
from ctxtui.files.sessions import open_library
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.numbers import shown_indices
from ctxtui.text.plurals import plural


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    session_arguments(parser, "an id or title; all sessions if none")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(asked: Namespace) -> int:
    """Check the sessions; 1 means that something is wrong with one of them."""
    library = open_library(asked.library)
    rows: list[dict[str, Any]] = []
    for entry in chosen(library, asked, or_all=True):
        id, title = entry.id, entry.title
        try:
            wrong = library.verify(id)
        except StorageError as error:
            wrong = [str(error)]
        left = _leftovers(library, id)
        rows.append(
            {
                "id": id,
                "title": title,
                "ok": not wrong,
                "findings": wrong,
                "leftovers": left._asdict(),
            }
        )
        if not asked.json:
            _print(id, title, wrong, left)
    bad = sum(not row["ok"] for row in rows)
    if asked.json:
        print_json({"sessions": rows})
    else:
        print_line(f"{plural(len(rows), 'session')}, {bad} with something wrong")
        old = sum(any(row["leftovers"].values()) for row in rows)
        if old:
            print_line(
                f"{plural(old, 'session')} with notes of formats that hold removed text or may; "
                "ctxtui squash --purge drops them"
            )
    return 1 if bad else 0


def _leftovers(library: Library, id: str) -> Leftovers:
    """Return which messages still hold removed text; none of a session that can't be read."""
    try:
        return leftovers_in(library, id)
    except (Refused, OSError):
        return Leftovers()


def _print(id: str, title: str, wrong: list[str], left: Leftovers) -> None:
    if not wrong and not left.all:
        print_line(PASSED.text(f"{id}  {title}: fine"))
    for sentence in wrong:
        print_line(ERROR.text(f"{id}  {title}: {sentence}"))
    for sentence in _sentences(left):
        print_line(WARNING.text(f"{id}  {title}: {sentence}"))


def _sentences(left: Leftovers) -> Iterator[str]:
    """Yield in words which messages hold removed text, and never the text."""
    for raws, one, many, words in (
        (left.edited, "holds", "hold", "text in the notes of a format that an edit took out"),
        (
            *(left.suspect, "has", "have"),
            "notes of a format with text that is not in the message, removed or never there",
        ),
    ):
        if raws:
            verb = one if len(raws) == 1 else many
            yield f"{plural(len(raws), 'message')} ({shown_indices(raws)}) {verb} {words}"
