"""``ctxtui squash``: a new conversation of what is visible, without the history behind it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from core.formats import WRITABLE, format_named
from core.storage import Library, StorageError
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.sessions import is_session, library_argument, look, open_target
from ctxtui.cli.streams import saved_output
from ctxtui.files.reading import Unreadable
from ctxtui.files.sessions import find_session, open_library
from ctxtui.files.writing import write_whole
from ctxtui.models.squashing import squash_beside
from ctxtui.words import plural


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "names",
        metavar="SESSION|FILE",
        nargs="+",
        help="ids or titles of sessions, or one conversation in a file; - reads standard input",
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="OUT",
        help="the file the new conversation goes to; else a session makes one beside it, "
        "and that of a file is printed",
    )
    parser.add_argument("--to", choices=WRITABLE, help="the format of OUT; else FILE's own")
    library_argument(parser)
    parser.add_argument("--json", action="store_true", help="print what was made as JSON")


def run(asked: Namespace) -> int:
    """Squash the conversations; what is told of a session that was made is on disk."""
    names = list(dict.fromkeys(asked.names))
    files = [name for name in names if not is_session(name)]
    if not files and asked.out is None:
        if asked.to is not None:
            raise Unreadable("--to needs -o: a session stays a session, only a file has a format")
        return _beside(asked, names)
    if len(names) > 1:
        told = "files go" if files else "-o goes"
        raise Unreadable(f"{told} with one conversation at a time, and {len(names)} are named")
    return _to_file(asked, names[0])


def _beside(asked: Namespace, names: list[str]) -> int:
    """Make a session beside each, all of them found before anything is made."""
    library = open_library(asked.library)
    ids = list(dict.fromkeys(find_session(library, name) for name in names))
    with saved_output():
        made = [_squash(library, id) for id in ids]
        if asked.json:
            print_json({"squashed": made})
        for row in [] if asked.json else made:
            counts = f"{row['messages']:,} of {plural(row['rawMessages'], 'message')}"
            print_line(f"{row['session']}  {row['title']}: {counts}, from {row['from']}")
    return 0


def _squash(library: Library, id: str) -> dict[str, Any]:
    old = look(library, id)
    made = old.conversation.squash()
    session = squash_beside(library, made, old.title, old.details.tags)
    if not session.is_saved:
        session.abandon()
        raise StorageError(session.problem or "it can't be saved", field="session")
    with session:
        return {
            "from": id,
            "session": session.id,
            "title": session.title,
            "messages": len(made.log),
            "rawMessages": len(old.conversation.log),
            "written": None,
        }


def _to_file(asked: Namespace, name: str) -> int:
    """Write or print the new conversation; the one it comes from stays as it is."""
    opened = open_target(Namespace(file=name, library=asked.library))
    made = opened.conversation.squash()
    written = format_named(asked.to or opened.format).write(made)
    print_problems(written.problems)
    text = written.text
    is_kept = asked.out not in (None, "-")
    if is_kept:
        write_whole(Path(asked.out), text)
    elif not asked.json:
        sys.stdout.write(text)
    row = {
        "from": name,
        "session": None,
        "title": made.meta.get("title"),
        "messages": len(made.log),
        "rawMessages": len(opened.conversation.log),
        "written": asked.out if is_kept else None,
    }
    if asked.json:
        with saved_output() if is_kept else nullcontext():
            print_json({"squashed": [row]})
    elif is_kept:
        counts = f"{row['messages']:,} of {plural(len(opened.conversation.log), 'message')}"
        print_problems([f"squashed {name}: {counts}, written to {asked.out}"])
    return 0
