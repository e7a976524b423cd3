"""``ctxtui split``: two sessions of one, at a visible position."""

from __future__ import annotations

from ctxtui.cli.inputs import library_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import WAIT_SECONDS
from ctxtui.cli.streams import saved_output
from ctxtui.core.curation.purging import split_session
from ctxtui.files.reading import spelled
from ctxtui.files.sessions import find_session, open_library
from ctxtui.text.plurals import plural


def arguments(parser: Parser) -> None:
    about = "the id or title of a session"
    parser.add_argument("session", metavar="SESSION", type=spelled, help=about)
    about = "the visible message that begins the second session, from 0"
    parser.add_argument("position", metavar="POSITION", type=int, help=about)
    parser.option("--with-system", "begin the second session with the system messages too")
    way = parser.add_mutually_exclusive_group()
    parser.option("--delete", "move the old session to the trash", way)
    parser.option("--purge", "remove the old session for good", way)
    library_argument(parser)
    parser.option("--json", "print what was made as JSON")


def run(args: Namespace) -> int:
    """Make the two sessions; what is told of them is on disk."""
    library = open_library(args.library)
    id = find_session(library, args.session)
    with saved_output():
        halves = split_session(
            library,
            id,
            args.position,
            with_system=args.with_system,
            is_purging=args.purge,
            wait=WAIT_SECONDS,
        )
        if args.delete:
            library.delete(id, wait=WAIT_SECONDS)
        rows = [{"from": id, "session": one.id, **one._asdict()} for one in halves]
        if args.json:
            print_json({"made": [{k: v for k, v in row.items() if k != "id"} for row in rows]})
            return 0
        for one in halves:
            wrong = f", {plural(one.errors, 'lint error')}" if one.errors else ""
            print_line(f"{one.id}  {one.title}: {plural(one.messages, 'message')}{wrong}")
        became = "in the trash" if args.delete else "removed for good" if args.purge else "stays"
        print_line(f"{id}: {became}")
    return 0
