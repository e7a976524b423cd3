"""``ctxtui delete``: sessions go to the trash, come back from it, or are removed for good."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from core.curation.purging import forget
from core.storage import Library, NotFound, StorageError
from ctxtui.cli import sessions
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.streams import saved_output
from ctxtui.files.reading import Unreadable, spelled
from ctxtui.files.sessions import open_library

TRASHED = "in the trash"
PURGED = "removed for good"
RESTORED = "restored"


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "sessions",
        metavar="SESSION",
        type=spelled,
        nargs="*",
        help="an id or title; in the trash, an id",
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--purge",
        action="store_true",
        help="remove them for good, also from the trash; without SESSION, empty the trash",
    )
    way.add_argument("--restore", action="store_true", help="take them out of the trash again")
    sessions.library_argument(parser)
    parser.add_argument("--json", action="store_true", help="print what became of each as JSON")


def run(asked: Namespace) -> int:
    """Delete or restore every session that can be; 1 means that some could not."""
    library = open_library(asked.library)
    if not asked.sessions and not asked.purge:
        raise Unreadable("no session is named; only --purge works without, and empties the trash")
    ids = _ids(library, asked)
    with saved_output():
        return _run(library, ids, asked)


def _run(library: Library, ids: list[str], asked: Namespace) -> int:
    """Act on all sessions, whether or not what is told of one can be written."""
    known = sessions.titles(library)
    code = 0
    done: list[dict[str, str | None]] = []
    for id in ids:
        try:
            became = _act(asked)(library, id)
        except StorageError as error:
            print_problems([str(error)])
            code = 1
            continue
        # What comes out of the trash has a title again.
        title = known.get(id) or sessions.titles(library).get(id)
        done.append({"id": id, "title": title, "became": became})
        if not asked.json:
            print_line(f"{id}  {title}: {became}" if title else f"{id}: {became}")
    if asked.purge and done:
        forget(library, [str(row["id"]) for row in done])
    if asked.json:
        print_json({"sessions": done})
    elif not ids:
        print_line("the trash is empty")
    return code


def _ids(library: Library, asked: Namespace) -> list[str]:
    """Return the sessions meant, all of them known, before anything happens to one."""
    trashed = library.trash.ids()
    if not asked.sessions:
        return trashed
    found = []
    for name in asked.sessions:
        if name in trashed and (asked.restore or asked.purge):
            found.append(name)
        elif asked.restore:
            raise NotFound(f"there is no session {name} in the trash")
        else:
            found.append(library.find(name))
    return list(dict.fromkeys(found))


def _act(asked: Namespace) -> Callable[[Library, str], str]:
    if asked.restore:
        return _restore
    return _purge if asked.purge else _delete


def _restore(library: Library, id: str) -> str:
    library.restore(id)
    return RESTORED


def _delete(library: Library, id: str) -> str:
    library.delete(id, wait=sessions.WAIT_SECONDS)
    return TRASHED


def _purge(library: Library, id: str) -> str:
    if id not in library.trash.ids():
        library.delete(id, wait=sessions.WAIT_SECONDS)
    library.purge(id)
    return PURGED
