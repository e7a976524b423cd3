"""``ctxtui export``: sessions become files."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from core import Conversation
from core.formats import WRITABLE, Layout, format_named
from core.formats.remarks import Remarks
from core.storage import Library
from ctxtui.cli.output import print_problems
from ctxtui.cli.sessions import left_out, library_argument, look
from ctxtui.files.reading import Unreadable, spelled
from ctxtui.files.sessions import open_library
from ctxtui.files.writing import write_whole

LINES = ".jsonl"
"""How the name of a file ends that has a conversation in each line."""


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "sessions", metavar="SESSION", type=spelled, nargs="+", help="the id or title of a session"
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="OUT",
        help="the file it goes to (several sessions: NAME.jsonl), or a folder for a file each; "
        "else it is printed",
    )
    parser.add_argument(
        "--to",
        choices=WRITABLE,
        default="native",
        help="the format; native, which keeps the whole history, unless another is named",
    )
    library_argument(parser)


def run(asked: Namespace) -> int:
    """Write the sessions; whatever a file can't hold is said."""
    library = open_library(asked.library)
    ids = list(dict.fromkeys(library.find(name) for name in asked.sessions))
    out = None if asked.out in (None, "-") else Path(asked.out)
    is_folder = out is not None and out.is_dir()
    if len(ids) > 1 and not is_folder:
        if out is None or not out.name.endswith(LINES):
            raise Unreadable(
                f"{len(ids)} sessions need -o with a folder that exists or a file NAME{LINES}, "
                f"not {asked.out or 'none'}"
            )
        return _together(library, ids, asked.to, out)
    for id in ids:
        text = _text(library, id, asked.to)
        if out is None:
            sys.stdout.write(text)
        else:
            path = out / f"{id}.json" if is_folder else out
            write_whole(path, text)
            print_problems([f"{id} is written to {path}"])
    return 0


def _together(library: Library, ids: list[str], to: str, out: Path) -> int:
    """Write several sessions to one file, each in a line of its own."""
    remarks, chosen = Remarks("session"), format_named(to)

    def conversations() -> Iterator[Conversation]:
        for number, id in enumerate(ids, 1):
            session = look(library, id)
            for sentence in left_out(session):
                remarks.add(sentence, number)
            yield session.conversation

    found = conversations()
    write_whole(out, "".join(chosen.write_all(found, Layout.LINES, remarks)))
    print_problems([*remarks.sentences(), f"{len(ids):,} sessions are written to {out}"])
    return 0


def _text(library: Library, id: str, to: str) -> str:
    """Return a session as the text of a file, and say what is left out."""
    session = look(library, id)
    written = format_named(to).write(session.conversation)
    print_problems([*written.problems, *left_out(session)])
    return written.text
