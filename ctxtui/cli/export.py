"""``ctxtui export``: sessions become files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from core.storage import Library
from ctxtui.cli.output import print_problems
from ctxtui.cli.outputs import output_arguments, write_out
from ctxtui.cli.sessions import left_out, library_argument, look
from ctxtui.files.converting import Taken
from ctxtui.files.reading import spelled
from ctxtui.files.sessions import open_library


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "sessions", metavar="SESSION", type=spelled, nargs="+", help="the id or title of a session"
    )
    output_arguments(parser, "that of OUT's ending, else native, which keeps the whole history")
    library_argument(parser)


def run(asked: Namespace) -> int:
    """Write the sessions; 1 means that some are not fit for training, and left out."""
    library = open_library(asked.library)
    ids = list(dict.fromkeys(library.find(name) for name in asked.sessions))
    report = write_out(asked, _taken(library, ids), "native")
    return 1 if report.left_out else 0


def _taken(library: Library, ids: list[str]) -> Iterator[Taken]:
    for id in ids:
        session = look(library, id)
        print_problems(f"{id}: {sentence}" for sentence in left_out(session))
        yield Taken(session.conversation, f"session {id}", id)
