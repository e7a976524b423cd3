"""``ctxtui import``: files become sessions of the library."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ctxtui.cli.inputs import check_stdin, library_argument
from ctxtui.cli.output import print_json, print_line, progress
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import WAIT_SECONDS
from ctxtui.cli.streams import print_errors, saved_output
from ctxtui.core.engine.meta_fields import other_fields
from ctxtui.core.formats import READABLE
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.storage import ImportSource, Library, Session
from ctxtui.files.opening import may_hold_several, open_source, parse_conversations
from ctxtui.files.reading import found_files
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import FileWarnings, new_session, open_library, source_of
from ctxtui.progress import TaskProgress
from ctxtui.text.plurals import fields_words, plural


def arguments(parser: Parser) -> None:
    files = "files, folders or patterns such as 'logs/*.jsonl'; - reads standard input"
    parser.add_argument("files", metavar="FILE", nargs="+", help=files)
    parser.option("--from", "their format; else it is detected", dest="format", choices=READABLE)
    library_argument(parser)
    parser.option("--json", "print the sessions as JSON")


class Imported(NamedTuple):
    """A session that holds what a file says, made now or earlier."""

    id: str
    title: str
    messages: int
    fields: tuple[str, ...] = ()
    """The names of what the file had beside the messages; not known of earlier ones."""
    format: str | None = None
    """How the file was read; not known of earlier ones."""


class NotKept(Exception):  # noqa: N818 - it says what happened
    """A file was read but could not be saved in the library."""


class Importer:
    """Takes files in one by one; what it returns is on disk."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known = {
            ImportSource(entry.source, entry.content or "", entry.part): Imported(
                entry.id, entry.title, entry.messages
            )
            for entry in reversed(library.list())
            if entry.source is not None
        }
        self.problems: list[str] = []

    def take(
        self, name: str, format: str | None = None, watch: TaskProgress | None = None
    ) -> Iterator[tuple[Imported, bool]]:
        """Yield the session of each conversation of a file, and whether it was there already.

        An import that was stopped continues where it was.
        """
        data = open_source(name, watch)
        source = None if name == "-" else source_of(name, data)
        if source in self._known and not may_hold_several(name, data):
            yield self._known[source], True
            return
        whole, first = FileWarnings(data), None
        for part, opened in enumerate(parse_conversations(name, data, format)):
            key = source and source._replace(part=part)
            if key in self._known:
                whole.tell(opened, part)
                yield self._known[key], True
                continue
            session = new_session(self._library, opened, source, part, data)
            imported = self._kept(name, session)._replace(format=opened.format)
            whole.tell(opened, part)
            first = first or imported.id
            self.report(f"{name}: {problem}" for problem in sentences(opened.warnings))
            if key:
                self._known[key] = imported
            yield imported, False
        self.report(f"{name}: {problem}" for problem in sentences(data.warnings))
        if first and (rest := whole.rest()):
            with self._library.open(first, wait=WAIT_SECONDS) as session:
                session.warn(rest)
                session.sync()

    def _kept(self, name: str, session: Session) -> Imported:
        """Close a new session; it counts only if all of it is on disk."""
        if not session.is_saved:
            session.abandon()
            raise NotKept(f"{name}: {session.problem}")
        session.close()
        talk = session.conversation
        return Imported(session.id, session.title, len(talk.log), tuple(other_fields(talk.meta)))

    def report(self, problems: Iterable[str]) -> None:
        """Print problems, and remember them for the end."""
        found = list(problems)
        print_errors(found)
        self.problems += found


def run(args: Namespace) -> int:
    """Import every file that can be; 1 means that some were not, 2 that none could be read."""
    check_stdin(*args.files)
    importer = Importer(open_library(args.library))
    with saved_output():
        return _run(importer, args)


def _run(importer: Importer, args: Namespace) -> int:
    """Import all files, whether or not what is told of one can be written."""
    found: list[Imported] = []
    failed, unkept, known = list[str](), 0, 0
    files = found_files(args.files)
    for number, name in enumerate(files, 1):
        try:
            with progress(name, number, len(files)) as watch:
                for one, is_known in importer.take(name, args.format, watch):
                    found.append(one)
                    known += is_known
                    _say(one, is_known, name, args.json)
        except Unreadable as problem:
            failed.append(name)
            importer.report([str(problem)])
        except NotKept as problem:
            unkept += 1
            importer.report([str(problem)])
    if not args.json and (len(files) > 1 or len(found) > 1):
        print_errors([_summary(len(files), found, known, failed, unkept)])
    if args.json:
        sessions = list(dict.fromkeys(found))
        print_json({"sessions": list(map(_data, sessions)), "problems": importer.problems})
    if len(failed) == len(files):
        return 2
    return 1 if failed or unkept else 0


def _data(one: Imported) -> dict[str, object]:
    """Return a session as JSON; of an earlier one, only a list knows its other fields."""
    return {"id": one.id, "title": one.title, "messages": one.messages}


MOST_NAMED = 10
"""Files that were refused and are named in the summary; each has a sentence of its own, too."""


def _summary(
    files: int, found: Sequence[Imported], known: int, refused: Sequence[str], unkept: int
) -> str:
    """Return the outcome of all files in one sentence: what was read, by format, and what not."""
    made = plural(len(found) - known, "session")
    formats = Counter(one.format for one in found if one.format)
    if len(formats) > 1:
        made += f" ({', '.join(f'{n:,} {name}' for name, n in formats.most_common())})"
    parts = [f"{plural(files, 'file')}: {made} made"]
    if known:
        parts.append(f"{known:,} in the library already")
    if failed := len(refused) + unkept:
        parts.append(f"{plural(failed, 'file')} not imported")
    phrases = [", ".join(parts)]
    if refused:
        more = len(refused) - MOST_NAMED
        names = ", ".join(Path(name).name for name in refused[:MOST_NAMED])
        phrases.append(f"refused: {names}{f' and {more:,} more' if more > 0 else ''}")
    if fields := [name for one in found for name in one.fields]:
        phrases.append(fields_words([name for name, _ in Counter(fields).most_common()]))
    return "; ".join(phrases)


def _say(one: Imported, is_known: bool, name: str, as_json: bool) -> None:
    """Print a session at once, so that a user who stops the command knows what is done."""
    if is_known:
        sentence = f"{name} is in the library already, as {one.id}"
        if as_json:
            print_errors([sentence])
        else:
            print_line(f"{one.id}  {one.title}: {sentence}")
    elif not as_json:
        counts = plural(one.messages, "message")
        counts += f", {fields_words(one.fields)}" if one.fields else ""
        print_line(f"{one.id}  {one.title}: {counts}")
    sys.stdout.flush()
