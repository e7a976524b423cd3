"""``ctxtui squash``: a new conversation of what is visible, without history."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ctxtui.cli.inputs import is_session, open_target, targets_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import WAIT_SECONDS, Row, check_where, choose_sessions, for_each
from ctxtui.cli.streams import print_errors, saved_output
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.purging import Purging, squash_session, without_fields
from ctxtui.core.formats import WRITABLE, format_named
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.storage import Library
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import find_session, open_library
from ctxtui.files.writing import write_whole
from ctxtui.text.plurals import plural


def arguments(parser: Parser) -> None:
    targets_argument(parser, "SESSION|FILE")
    parser.option("--purge", "remove the old sessions for good; the new ones take their place")
    parser.option("--drop-fields", "drop other fields of the file: labels, scores, unknown keys")
    parser.option("-o --out OUT", "write a file; else a session makes a new one, a file is printed")
    parser.option("--to", "the format of OUT; else FILE's own", choices=WRITABLE)
    parser.option("--json", "print what was made as JSON")


def run(args: Namespace) -> int:
    """Squash the conversations; 1 means that some sessions were refused."""
    names = list(dict.fromkeys(args.names))
    files = [name for name in names if not is_session(name)]
    if not files and args.out is None:
        if args.to is not None:
            raise Unreadable("--to needs -o: a session stays a session, only a file has a format")
        return _beside(args, names)
    if args.purge or args.where is not None:
        option = "--purge" if args.purge else "--where"
        raise Unreadable(f"{option} is for sessions, not for files and -o")
    if len(names) > 1:
        what = "a file" if files else "-o"
        raise Unreadable(f"{what} needs one conversation at a time, and {len(names)} are named")
    return _to_file(args, names[0])


def _beside(args: Namespace, names: list[str]) -> int:
    """Make a session beside each, or in its place; all are found before anything is made."""
    check_where(args.where, "purge" if args.purge else "squash")
    library = open_library(args.library)
    # A name that is no session may be meant as a file, which is told then.
    ids = [find_session(library, name) for name in names]
    entries = choose_sessions(library, ids, args.where)

    def report(row: Row) -> None:
        if not args.json:
            counts = f"{row['messages']:,} of {plural(row['rawMessages'], 'message')}"
            became = ", which is removed for good" if row["purged"] else ""
            print_line(f"{row['session']}  {row['title']}: {counts}, from {row['from']}{became}")
            if row["kept"]:
                print_line(f"  other fields kept: {', '.join(row['kept'])}")
            if row["cleaned"]:
                count = plural(row["cleaned"], "message")
                print_line(f"  dropped what formats kept of {count}, which could hold removed text")

    with saved_output(), Catalog(library), Purging(library, WAIT_SECONDS) as purging:
        made, code = for_each(entries, lambda one: _squash(library, one.id, args, purging), report)
        if args.json:
            print_json({"squashed": made})
    trashed = len(library.trash.ids()) if args.purge else 0
    if trashed:
        print_errors(
            [f"the trash holds {plural(trashed, 'session')}; ctxtui delete --purge empties it"]
        )
    return code


def _squash(library: Library, id: str, args: Namespace, purging: Purging) -> Row:
    has_fields = not args.drop_fields
    if args.purge:
        made = purging.squash(id, has_fields=has_fields)
    else:
        made = squash_session(library, id, has_fields=has_fields)
    print_errors(made.notes)
    row = _row(id, made.new, made.title, made.messages, made.raw_messages)
    return {**row, "purged": made.is_purged, "kept": list(made.kept), "cleaned": made.cleaned}


def _row(origin: str, session: str | None, title: Any, messages: int, raw_messages: int) -> Row:
    return {
        **{"from": origin, "session": session, "title": title},
        **{"messages": messages, "rawMessages": raw_messages},
        **{"written": None, "purged": False, "kept": [], "cleaned": 0},
    }


def _to_file(args: Namespace, name: str) -> int:
    """Write or print the new conversation; the old one is not changed."""
    opened = open_target(name, args.library)
    meta = opened.conversation.meta
    made = opened.conversation.squash(meta=without_fields(meta) if args.drop_fields else None)
    written = format_named(args.to or opened.format).write(made)
    print_errors(sentences(written.warnings))
    text = written.text
    is_kept = args.out not in (None, "-")
    if is_kept:
        write_whole(Path(args.out), text)
    elif not args.json:
        sys.stdout.write(text)
    row = _row(name, None, made.meta.get("title"), len(made.log), len(opened.conversation.log))
    row["written"] = args.out if is_kept else None
    if args.json:
        with saved_output() if is_kept else nullcontext():
            print_json({"squashed": [row]})
    elif is_kept:
        counts = f"{row['messages']:,} of {plural(len(opened.conversation.log), 'message')}"
        print_errors([f"squashed {name}: {counts}, written to {args.out}"])
    return 0
