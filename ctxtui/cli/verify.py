"""``ctxtui verify``: whether sessions and files are whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxtui.cli.inputs import check_stdin, is_session, open_conversation, targets_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import Row, choose_sessions
from ctxtui.cli.streams import print_errors
from ctxtui.core.curation.purging import Leftovers, leftovers_in
from ctxtui.core.errors import Refused
from ctxtui.core.storage import Library, StorageError
from ctxtui.files.reading import check_readable
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import find_session, open_library
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.numbers import shown_indices
from ctxtui.text.plurals import plural


def arguments(parser: Parser) -> None:
    targets_argument(parser)
    parser.option("--json", "print the findings as JSON")


def run(args: Namespace) -> int:
    """Check sessions and files; 1 means that something is wrong with one of them."""
    check_stdin(*args.names)
    files = [name for name in dict.fromkeys(args.names) if not is_session(name)]
    sessions = [name for name in args.names if is_session(name)]
    library = open_library(args.library)
    rows = []
    if sessions or args.where is not None or not files:
        for name in files:
            check_readable(name)
        ids = [find_session(library, name) for name in sessions]
        for entry in choose_sessions(library, ids, args.where, or_all=True):
            rows.append(_check_session(library, entry.id, entry.title))
            if not args.json:
                _print_session(rows[-1])
    checked, unread = _check_files(files, is_json=args.json)
    bad = sum(not row["ok"] for row in (*rows, *checked))
    if args.json:
        print_json({"sessions": rows, "files": checked})
    elif rows or not files:
        bad_sessions = sum(not row["ok"] for row in rows)
        print_line(f"{plural(len(rows), 'session')}, {bad_sessions} with something wrong")
        if old := sum(any(row["leftovers"].values()) for row in rows):
            print_line(
                f"{plural(old, 'session')} with notes of formats that hold removed text or may; "
                "ctxtui squash --purge drops them"
            )
    return 1 if bad or unread else 0


def _check_session(library: Library, id: str, title: str) -> Row:
    try:
        wrong = library.verify(id)
    except StorageError as error:
        wrong = [str(error)]
    try:
        left = leftovers_in(library, id)
    except (Refused, OSError):
        left = Leftovers()  # The session can't be read, which is a finding already.
    row = {"id": id, "title": title, "ok": not wrong, "findings": wrong}
    return {**row, "leftovers": left._asdict()}


def _check_files(names: Sequence[str], *, is_json: bool) -> tuple[list[Row], int]:
    """Check the conversations of files; return a row for each, and how many can't be read."""
    rows: list[Row] = []
    unread = 0
    for name in names:
        try:
            conversation = open_conversation(name).conversation
        except (Unreadable, Refused) as problem:
            if len(names) == 1:
                raise
            print_errors([str(problem)])
            unread += 1
            continue
        wrong = conversation.check()
        rows.append({"name": name, "ok": not wrong, "findings": wrong})
        if is_json:
            continue
        for sentence in wrong:
            print_line(ERROR.text(f"{name}: {sentence}"))
        if not wrong:
            sizes = f"{plural(len(conversation.log), 'message')}, "
            sizes += plural(len(conversation.revisions), "revision")
            print_line(PASSED.text(f"{name}: every invariant holds ({sizes})"))
    return rows, unread


def _print_session(row: Row) -> None:
    name, left = f"{row['id']}  {row['title']}", Leftovers(**row["leftovers"])
    if row["ok"] and not left.all:
        print_line(PASSED.text(f"{name}: fine"))
    for sentence in row["findings"]:
        print_line(ERROR.text(f"{name}: {sentence}"))
    for sentence in _sentences(left):
        print_line(WARNING.text(f"{name}: {sentence}"))


def _sentences(left: Leftovers) -> Iterator[str]:
    """Yield in words which messages hold removed text, and never the text."""
    for raws, one, many, words in (
        (left.edited, "holds", "hold", "text in the notes of a format that an edit took out"),
        (
            *(left.suspect, "has", "have"),
            "notes of a format with text that is not in the message, removed or never there",
        ),
    ):
        if raws:
            verb = one if len(raws) == 1 else many
            yield f"{plural(len(raws), 'message')} ({shown_indices(raws)}) {verb} {words}"
