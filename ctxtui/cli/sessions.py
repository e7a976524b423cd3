"""What commands do with the library: choose it, look at a session, or take one to write."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ctxtui.cli.inputs import open_conversation
from ctxtui.cli.output import print_problems
from ctxtui.core.storage import STATUSES, Library, Session
from ctxtui.files.opening import Opened
from ctxtui.files.sessions import find_session, is_file, open_library

WAIT_SECONDS = 10.0
"""Seconds in which another program may finish with a session that is to be changed."""


def library_argument(parser: ArgumentParser) -> None:
    """Declare how another library is chosen."""
    parser.add_argument(
        "--library",
        metavar="DIR",
        help="the library's folder; else that of CTXTUI_LIBRARY, else the usual one",
    )


def target_arguments(parser: ArgumentParser) -> None:
    """Declare the conversation a command is about."""
    parser.add_argument(
        "file",
        metavar="FILE|SESSION",
        help="a conversation in a file, or the id or title of a session; - reads standard input",
    )
    library_argument(parser)


def is_session(name: str) -> bool:
    """Tell whether a name can only mean a session: there is no such file."""
    return name != "-" and not is_file(name)


def open_target(asked: Namespace) -> Opened:
    """Return the conversation a command is about; a session is read without keeping others out."""
    if not is_session(asked.file):
        return open_conversation(asked.file)
    library = open_library(asked.library)
    session = look(library, find_session(library, asked.file))
    return Opened(session.conversation, "native", warnings=session.details.warnings)


def look(library: Library, id: str) -> Session:
    """Return a session that is closed again, and say what had to be done to read it."""
    with library.open(id, read_only=True) as session:
        print_problems(session.notes)
        return session


def take(library: Library, id: str) -> Session:
    """Return a session to be changed, when nobody else has it open any more."""
    session = library.open(id, wait=WAIT_SECONDS)
    print_problems(session.notes)
    return session


def titles(library: Library) -> dict[str, str]:
    """Return the title of every session by its id."""
    return {entry.id: entry.title for entry in library.list()}


def left_out(session: Session) -> list[str]:
    """Return what the library knows of a session and a file of its conversation does not say."""
    details = session.details
    usual = [session.conversation.meta.get("title")]
    if details.source is not None:
        usual.append(Path(details.source.path).name)
    facts = {
        "title": details.title not in usual,
        "tags": details.tags,
        "review status": details.status != STATUSES[0],
        "note": details.note,
        "notes about messages": details.remarks,
    }
    names = [name for name, is_there in facts.items() if is_there]
    return [f"left out, because only the library keeps it: {', '.join(names)}"] if names else []
