"""Which sessions a command is about, and doing something to each of them.

``SESSION…`` names them by id or title; ``--where`` chooses those of which something is so. One that
is bad never stops the others: it is told, and the exit code says so.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ctxtui.cli.output import print_problems
from ctxtui.cli.progress import progress
from ctxtui.cli.sessions import library_argument, take
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.where import choose
from ctxtui.core.errors import Refused
from ctxtui.core.storage import Entry, Library, Session, StorageError
from ctxtui.files.fences import Unreadable
from ctxtui.files.reading import spelled
from ctxtui.files.sessions import leave, open_library

Told = dict[str, Any]
"""What is told of one session, as JSON has it."""


def session_arguments(parser: ArgumentParser, about: str = "the id or title of a session") -> None:
    """Declare the sessions a command is about: their names, or what must be so of them."""
    parser.add_argument("sessions", metavar="SESSION", type=spelled, nargs="*", help=about)
    where_argument(parser)
    library_argument(parser)


def target_arguments(parser: ArgumentParser) -> None:
    """Declare the conversations a command is about: in files, or sessions."""
    parser.add_argument(
        "names",
        metavar="FILE|SESSION",
        nargs="*",
        help="conversations in files, or ids or titles of sessions; - reads standard input",
    )
    where_argument(parser)
    library_argument(parser)


def where_argument(parser: ArgumentParser) -> None:
    """Declare how sessions are chosen by what is so of them; they may stand among options."""
    parser.set_defaults(mixed=True)
    parser.add_argument(
        "--where",
        metavar="WHERE",
        help="choose sessions instead of naming them, as 'status:accepted tag:x lint:error'",
    )


def chosen(library: Library, asked: Namespace, *, or_all: bool = False) -> list[Entry]:
    """Return the sessions that are meant; refuse names beside ``--where``, and neither of them."""
    return chosen_of(library, asked.sessions, asked.where, or_all=or_all)


def chosen_of(
    library: Library, names: Sequence[str], where: str | None, *, or_all: bool = False
) -> list[Entry]:
    """Return the sessions of some names, or those that ``where`` chooses; or all, if allowed."""
    must_choose(names, where, or_all=or_all)
    with progress("sessions", 1, 1) as watch:
        return choose(library, names, "" if where is None and not names else where, watch)


def must_choose(names: Sequence[str], where: str | None, *, or_all: bool = False) -> None:
    """Refuse names beside ``--where``, and neither of them."""
    if names and where is not None:
        raise Unreadable(
            f"sessions are named or chosen by --where, not both ({names[0]!r} is a name)"
        )
    if not names and where is None and not or_all:
        raise Unreadable("no session is named; name some, or choose them with --where")


def must_say(where: str | None, done: str = "change") -> None:
    """Refuse a ``--where`` that is blank before something is done to sessions.

    It chooses all of them, which is more likely a variable that was empty than what was meant.
    """
    if where is not None and not where.strip():
        raise Unreadable(
            f"--where {where!r} says nothing that must be so, and a slip would {done} all; "
            "-has:problem is every session that can be read"
        )


def targets(asked: Namespace) -> list[str]:
    """Return the files and sessions that are meant, each once, by name or by id."""
    names = list(dict.fromkeys(asked.names))
    if names and asked.where is None:
        return names
    return [one.id for one in chosen_of(open_library(asked.library), names, asked.where)]


def for_each(
    entries: Iterable[Entry], act: Callable[[Entry], Told], told: Callable[[Told], None]
) -> tuple[list[Told], int]:
    """Do something to each session; return what is told of those it worked for, and a code.

    ``told`` prints it at once, so that whoever stops the command knows what is done. 1 means that
    some were refused, each with its sentence on standard error.
    """
    done: list[Told] = []
    code = 0
    for entry in entries:
        try:
            row = act(entry)
        except (Refused, OSError) as problem:
            print_problems([f"{entry.id}  {entry.title}: {problem}"])
            code = 1
            continue
        done.append(row)
        told(row)
    return done, code


@contextmanager
def taken(library: Library, id: str) -> Iterator[Session]:
    """Lend a session to be changed; a damaged one, of which there is a copy now, is refused."""
    session = take(library, id)
    try:
        if session.id != id:
            raise StorageError(
                f"session {id} is damaged and stays as it is; what could be read is in session "
                f"{session.id}"
            )
        yield session
    finally:
        leave(session)


@contextmanager
def noting(library: Library) -> Iterator[Library]:
    """Lend a library whose catalog learns what is saved, so that nothing is to be found out again.

    A library that has no catalog needs none for this.
    """
    with Catalog(library):
        yield library
