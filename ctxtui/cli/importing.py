"""``ctxtui import``: files become sessions of the library."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from core.formats import READABLE
from core.storage import Library, Session, Source
from ctxtui.cli.inputs import check_inputs
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.progress import progress
from ctxtui.cli.sessions import library_argument
from ctxtui.cli.streams import saved_output
from ctxtui.files.finding import found_files
from ctxtui.files.opening import may_hold_several, open_source, parse_conversations
from ctxtui.files.reading import Unreadable
from ctxtui.files.sessions import new_session, open_library, source_of
from ctxtui.progress import Watch
from ctxtui.words import plural


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="files, folders, or patterns such as 'logs/*.jsonl'; - reads standard input",
    )
    parser.add_argument(
        "--from",
        dest="format",
        choices=READABLE,
        help="the format of the files; else it is detected",
    )
    library_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the sessions as JSON")


class Imported(NamedTuple):
    """A session that holds what a file says, made now or earlier."""

    id: str
    title: str
    messages: int


class NotKept(Exception):  # noqa: N818 - it says what happened
    """A file was read but could not be saved in the library."""


class Importer:
    """Takes files in one by one; what it returns is on disk."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known = {
            Source(entry.source, entry.content or "", entry.part): Imported(
                entry.id, entry.title, entry.messages
            )
            for entry in reversed(library.list())
            if entry.source is not None
        }
        self.problems: list[str] = []

    def take(
        self, name: str, format: str | None = None, watch: Watch | None = None
    ) -> Iterator[tuple[Imported, bool]]:
        """Yield the session of each conversation of a file, and whether it was there already.

        One that was stopped in the middle goes on where it was.
        """
        data = open_source(name, watch)
        source = None if name == "-" else source_of(name, data)
        if source in self._known and not may_hold_several(name, data):
            yield self._known[source], True
            return
        for part, opened in enumerate(parse_conversations(name, data, format)):
            key = source and source._replace(part=part)
            if key in self._known:
                yield self._known[key], True
                continue
            session = new_session(self._library, opened, source, part)
            imported = self._kept(name, session)
            self.tell(f"{name}: {problem}" for problem in opened.problems)
            if key:
                self._known[key] = imported
            yield imported, False
        self.tell(f"{name}: {problem}" for problem in data.problems)

    def _kept(self, name: str, session: Session) -> Imported:
        """Close a new session; it counts only if all of it is on disk."""
        if not session.is_saved:
            session.abandon()
            raise NotKept(f"{name}: {session.problem}")
        session.close()
        return Imported(session.id, session.title, len(session.conversation.log))

    def tell(self, problems: Iterable[str]) -> None:
        """Print problems, and remember them for the end."""
        told = list(problems)
        print_problems(told)
        self.problems += told


def run(asked: Namespace) -> int:
    """Import every file that can be; 1 means that some were not, 2 that none could be read."""
    check_inputs(*asked.files)
    importer = Importer(open_library(asked.library))
    with saved_output():
        return _run(importer, asked)


def _run(importer: Importer, asked: Namespace) -> int:
    """Import all files, whether or not what is told of one can be written."""
    found: list[Imported] = []
    unread = unkept = known = 0
    files = found_files(asked.files)
    for number, name in enumerate(files, 1):
        try:
            with progress(name, number, len(files)) as watch:
                for one, is_known in importer.take(name, asked.format, watch):
                    found.append(one)
                    known += is_known
                    _say(one, is_known, name, asked.json)
        except Unreadable as problem:
            unread += 1
            importer.tell([str(problem)])
        except NotKept as problem:
            unkept += 1
            importer.tell([str(problem)])
    if not asked.json and (len(files) > 1 or len(found) > 1):
        print_problems([_summary(len(files), unread + unkept, len(found) - known, known)])
    if asked.json:
        sessions = list(dict.fromkeys(found))
        print_json({"sessions": [one._asdict() for one in sessions], "problems": importer.problems})
    if unread == len(files):
        return 2
    return 1 if unread or unkept else 0


def _summary(files: int, failed: int, made: int, known: int) -> str:
    """Return what came of all files, in one sentence."""
    parts = [f"{plural(files, 'file')}: {plural(made, 'session')} made"]
    if known:
        parts.append(f"{known:,} in the library already")
    if failed:
        parts.append(f"{plural(failed, 'file')} not imported")
    return ", ".join(parts)


def _say(one: Imported, is_known: bool, name: str, as_json: bool) -> None:
    """Print a session at once, so that whoever stops the command knows what is done."""
    if is_known:
        sentence = f"{name} is in the library already, as {one.id}"
        if as_json:
            print_problems([sentence])
        else:
            print_line(f"{one.id}  {one.title}: {sentence}")
    elif not as_json:
        print_line(f"{one.id}  {one.title}: {plural(one.messages, 'message')}")
    sys.stdout.flush()
