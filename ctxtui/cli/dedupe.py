"""``ctxtui dedupe``: sessions that are the same, or nearly, in groups."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from ctxtui.cli.output import print_json, print_line, progress
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import Row, changing, chosen, for_each, sessions_arguments
from ctxtui.cli.streams import print_errors, saved_output
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.verdicts import DuplicateGroup, find_duplicates
from ctxtui.core.storage import Entry, Library
from ctxtui.files.sessions import open_library
from ctxtui.text.plurals import plural

REJECTED = "rejected"


def arguments(parser: Parser) -> None:
    sessions_arguments(parser)
    near = "also those that share so much of their words, from 0.5 to 1; else identical ones"
    parser.option("--near SHARE", near, type=float, default=1.0)
    way = parser.add_mutually_exclusive_group()
    parser.option("--tag TAG", "tag all but the first of each group", way)
    parser.option("--reject", "reject all but the first of each group", way)
    parser.option("--json", "print the groups as JSON")


def run(args: Namespace) -> int:
    """Print the groups, and tag or reject what is more than once; 1 means that some refused."""
    library = open_library(args.library)
    entries = chosen(library, args, or_all=True)
    with progress("sessions", 1, 1) as watch:
        found = find_duplicates(library, entries, args.near, watch.step)
    print_errors(f"{id}: {problem}" for id, problem in found.problems.items())
    code = 1 if found.problems else 0
    with saved_output() if args.tag or args.reject else nullcontext(), Catalog(library):
        done: set[str] = set()
        if args.tag or args.reject:
            extra = [entry for group in found.groups for entry in group.extra]
            rows, refused = for_each(extra, lambda one: _act(library, one, args), lambda _: None)
            done, code = {row["session"] for row in rows}, code or refused
        if args.json:
            print_json({"groups": [_row(group, args, done) for group in found.groups]})
        else:
            _print(found.groups, args, done, len(entries))
    return code


def _act(library: Library, entry: Entry, args: Namespace) -> Row:
    """Tag or reject a session that is more than once."""
    with changing(library, entry.id) as session:
        if args.reject:
            session.describe(status=REJECTED)
        elif args.tag not in session.details.tags:
            session.describe(tags=(*session.details.tags, args.tag))
    return {"session": entry.id}


def _print(groups: Sequence[DuplicateGroup], args: Namespace, done: set[str], count: int) -> None:
    for group in groups:
        print_line(f"group {group.number}: {plural(len(group.members), 'session')}")
        for entry, similarity in group.members:
            became = f"  → {_became(args)}" if entry.id in done else ""
            print_line(f"  {_share(similarity)}  {entry.id}  {entry.title}  {entry.status}{became}")
        if group.is_conflicting:
            print_line(f"  ▲ {' and '.join(group.verdicts)} in one group")
    extra = sum(len(group.extra) for group in groups)
    print_line(
        f"{plural(len(groups), 'group')} among {plural(count, 'session')}, "
        f"{extra:,} of them more than once"
    )


def _share(similarity: float) -> str:
    """Return how like the first one a session is, in a column; nearly the same is not the same."""
    return "   =" if similarity == 1 else f"{min(similarity, 0.99):4.2f}"


def _became(args: Namespace) -> str:
    return REJECTED if args.reject else f"tagged {args.tag}"


def _row(group: DuplicateGroup, args: Namespace, done: set[str]) -> dict[str, Any]:
    return {
        "group": group.number,
        "torn": group.is_conflicting,
        "sessions": [
            {
                "session": entry.id,
                "title": entry.title,
                "likeness": similarity,
                "status": entry.status,
                "became": _became(args) if entry.id in done else None,
            }
            for entry, similarity in group.members
        ],
    }
