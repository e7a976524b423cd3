"""What commands that judge, tag and note share: each session is changed, and told as it is then."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable

from ctxtui.cli.choosing import Told, chosen, for_each, must_say, noting, session_arguments, taken
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.streams import saved_output
from ctxtui.core.storage import Entry, Library, Session
from ctxtui.files.sessions import open_library

Change = Callable[[Session], Told]
"""Changes a session, and returns what is to be told beside its id and title."""
After = Callable[[Library, list[Told]], Iterable[str]]
"""Completes what is told of all sessions that were changed, and returns lines that say it."""


def nothing_more(library: Library, rows: list[Told]) -> Iterable[str]:
    """Tell nothing beside what was told of each."""
    return ()


def describing_arguments(parser: ArgumentParser) -> None:
    """Declare the sessions, and how they are told."""
    session_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print what became of each as JSON")


def describe_each(
    asked: Namespace, change: Change, told: Callable[[Told], str], after: After = nothing_more
) -> int:
    """Change every session that can be; 1 means that some could not."""
    must_say(asked.where)
    library = open_library(asked.library)
    entries = chosen(library, asked)

    def show(row: Told) -> None:
        if not asked.json:
            print_line(f"{row['id']}  {row['title']}: {told(row)}")

    with saved_output(), noting(library):
        rows, code = for_each(entries, lambda entry: _changed(library, entry, change), show)
        lines = list(after(library, rows))
        if asked.json:
            print_json({"sessions": rows})
        elif not entries:
            print_line("no session is so")
        else:
            for line in lines:
                print_line(line)
    return code


def _changed(library: Library, entry: Entry, change: Change) -> Told:
    with taken(library, entry.id) as session:
        return {"id": session.id, "title": session.title, **change(session)}
