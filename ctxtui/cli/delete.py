"""``ctxtui delete``: sessions go to the trash, come back from it, or are removed for good."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext, suppress

from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import (
    NO_MATCH,
    WAIT_SECONDS,
    Row,
    check_choice,
    check_where,
    chosen,
    for_each,
    sessions_arguments,
)
from ctxtui.cli.streams import saved_output
from ctxtui.core.curation.digest import SessionRow
from ctxtui.core.curation.purging import forget
from ctxtui.core.curation.query import choose, read_query
from ctxtui.core.storage import Entry, Library, NotFound
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import open_library


def arguments(parser: Parser) -> None:
    sessions_arguments(parser)
    way = parser.add_mutually_exclusive_group()
    purge = "remove them for good, also from the trash; without SESSION, empty the trash"
    parser.option("--purge", purge, way)
    parser.option("--restore", "take them out of the trash again", way)
    parser.option("--json", "print what became of each as JSON")


def run(args: Namespace) -> int:
    """Delete or restore every session that can be; 1 means that some could not."""
    library = open_library(args.library)
    entries = _entries(library, args)

    def act(entry: Entry) -> Row:
        title = None if entry.problem is not None else entry.title
        return {"id": entry.id, "title": title, "became": _act(library, entry.id, args)}

    def show(row: Row) -> None:
        if not args.json:
            named = f"{row['id']}  {row['title']}" if row["title"] else row["id"]
            print_line(f"{named}: {row['became']}")

    with saved_output():
        done, code = for_each(entries, act, show)
        if args.purge and done:
            forget(library, [row["id"] for row in done])
        if args.json:
            print_json({"sessions": done})
        elif not entries:
            is_all = args.purge and args.where is None
            print_line("the trash is empty" if is_all else NO_MATCH)
    return code


def _entries(library: Library, args: Namespace) -> list[Entry]:
    """Return the sessions meant, all of them known, before anything happens to one."""
    names, where = args.sessions, args.where
    check_where(where, "delete")
    if args.restore:
        return _in_trash(library, args)
    if not args.purge or where is not None:
        return chosen(library, args)
    trashed = {entry.id: entry for entry in library.trash.entries()}
    if not names:
        return list(trashed.values())
    return list(dict.fromkeys(_anywhere(library, name, trashed) for name in names))


def _anywhere(library: Library, name: str, trashed: Mapping[str, Entry]) -> Entry:
    """Return a session by id or title, in the library or else in the trash."""
    if name in trashed:
        return trashed[name]
    try:
        return choose(library, [name])[0]
    except NotFound as missing:
        try:
            return trashed[library.trash.find(name)]
        except NotFound:
            raise missing from None


def _in_trash(library: Library, args: Namespace) -> list[Entry]:
    """Return the sessions of the trash that are meant."""
    check_choice(args.sessions, args.where)
    trashed = {entry.id: entry for entry in library.trash.entries()}
    if args.where is None:
        ids = dict.fromkeys(library.trash.find(name) for name in args.sessions)
        return [trashed[id] for id in ids]
    where = read_query(args.where)
    if where.needs_digest:
        raise Unreadable("what is in the trash can be chosen only by what a list says of it")
    return [entry for entry in trashed.values() if where.matches(SessionRow(entry))]


def _act(library: Library, id: str, args: Namespace) -> str:
    """Do to a session what was asked; return what became of it."""
    if args.restore:
        library.restore(id)
        return "restored"
    is_emptying = args.purge and not args.sessions and args.where is None
    if not is_emptying:  # When the trash is emptied, a session of the same id elsewhere stays.
        with suppress(NotFound) if args.purge else nullcontext():
            library.delete(id, wait=WAIT_SECONDS)
    if not args.purge:
        return "in the trash"
    library.purge(id)
    return "removed for good"
