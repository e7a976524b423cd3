"""Commands about sessions: which ones are meant, and changing each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ctxtui.cli.inputs import library_argument, where_argument
from ctxtui.cli.output import print_json, print_line, progress
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_errors, saved_output
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.query import choose
from ctxtui.core.errors import Refused
from ctxtui.core.storage import STATUSES, Entry, Library, Session, StorageError
from ctxtui.files.reading import spelled
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import leave, open_library

WAIT_SECONDS = 10.0
"""How long a command waits for another program that has a session open."""
NO_MATCH = "no session matches"
Row = dict[str, Any]
"""What became of one session, as JSON has it."""
SessionChange = Callable[[Session], Row]
"""Changes a session, and returns what to report beside its id and title."""
After = Callable[[Library, list[Row]], Iterable[str]]
"""Completes the rows of all sessions that were changed, and returns lines to print."""


def sessions_arguments(parser: Parser, about: str = "the id or title of a session") -> None:
    """Declare the sessions a command is about: their names, or a query."""
    parser.add_argument("sessions", metavar="SESSION", type=spelled, nargs="*", help=about)
    where_argument(parser)
    library_argument(parser)


def chosen(library: Library, args: Namespace, *, or_all: bool = False) -> list[Entry]:
    """Return the sessions that the arguments name, or that ``--where`` chooses."""
    return choose_sessions(library, args.sessions, args.where, or_all=or_all)


def choose_sessions(
    library: Library, names: Sequence[str], where: str | None, *, or_all: bool = False
) -> list[Entry]:
    """Return the sessions of some names, or those that ``where`` chooses; or all, if allowed."""
    check_choice(names, where, or_all=or_all)
    with progress("sessions", 1, 1) as watch:
        return choose(library, names, "" if where is None and not names else where, watch.step)


def check_choice(names: Sequence[str], where: str | None, *, or_all: bool = False) -> None:
    """Refuse names beside ``--where``, and neither of them."""
    if names and where is not None:
        raise Unreadable(
            f"sessions are named or chosen by --where, not both ({names[0]!r} is a name)"
        )
    if not names and where is None and not or_all:
        raise Unreadable("no session is named; name some, or choose them with --where")


def check_where(where: str | None, verb: str = "change") -> None:
    """Refuse a blank ``--where`` before sessions are changed: more likely an empty variable."""
    if where is not None and not where.strip():
        raise Unreadable(
            f"--where {where!r} would {verb} every session; "
            "-has:problem matches every session that can be read"
        )


def for_each(
    entries: Iterable[Entry], act: Callable[[Entry], Row], show: Callable[[Row], None]
) -> tuple[list[Row], int]:
    """Do something to each session; return the rows of those it worked for, and an exit code.

    ``show`` prints each row at once, so that a user who stops the command knows what is done. 1
    means that some were refused, each with its sentence on standard error.
    """
    rows: list[Row] = []
    code = 0
    for entry in entries:
        try:
            row = act(entry)
        except (Refused, OSError) as problem:
            print_errors([f"{entry.id}  {entry.title}: {problem}"])
            code = 1
            continue
        rows.append(row)
        show(row)
    return rows, code


@contextmanager
def changing(library: Library, id: str) -> Iterator[Session]:
    """Open a session to change it, once other programs have closed it; refuse a damaged one."""
    session = library.open(id, wait=WAIT_SECONDS)
    print_errors(session.notes)
    try:
        if session.id != id:
            raise StorageError(
                f"session {id} is damaged and was not changed; what could be read is in session "
                f"{session.id}"
            )
        yield session
    finally:
        leave(session)


def left_out(session: Session) -> list[str]:
    """Return what the library knows of a session that a file of its conversation can't hold."""
    details = session.details
    known = [session.conversation.meta.get("title")]
    if details.source is not None:
        known.append(Path(details.source.path).name)
    facts = {
        "title": details.title not in known,
        "tags": details.tags,
        "review status": details.status != STATUSES[0],
        "note": details.note,
        "notes about messages": details.remarks,
    }
    names = [name for name, is_set in facts.items() if is_set]
    return [f"left out, because only the library stores it: {', '.join(names)}"] if names else []


def describing_arguments(parser: Parser) -> None:
    """Declare the sessions of a command that changes their status, tags or notes."""
    sessions_arguments(parser)
    parser.option("--json", "print what became of each as JSON")


def describe_each(
    args: Namespace,
    change: SessionChange,
    words: Callable[[Row], str],
    after: After = lambda _, __: (),
) -> int:
    """Change every session that can be; 1 means that some could not."""
    check_where(args.where)
    library = open_library(args.library)
    entries = chosen(library, args)

    def act(entry: Entry) -> Row:
        with changing(library, entry.id) as session:
            return {"id": session.id, "title": session.title, **change(session)}

    def show(row: Row) -> None:
        if not args.json:
            print_line(f"{row['id']}  {row['title']}: {words(row)}")

    with saved_output(), Catalog(library):
        rows, code = for_each(entries, act, show)
        lines = list(after(library, rows))
        if args.json:
            print_json({"sessions": rows})
        elif not entries:
            print_line(NO_MATCH)
        else:
            for line in lines:
                print_line(line)
    return code
