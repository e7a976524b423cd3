"""``ctxtui search``: where a text is, in all sessions or in some."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ctxtui.cli.inputs import library_argument, where_argument
from ctxtui.cli.output import print_json, print_line, progress
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_errors
from ctxtui.core.curation.catalog import HITS_EACH, MOST_HITS, Catalog, Hit
from ctxtui.core.curation.query import read_query
from ctxtui.core.values.models import read_count
from ctxtui.files.reading import spelled
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import open_library
from ctxtui.text.plurals import plural


def arguments(parser: Parser) -> None:
    parser.add_argument("text", metavar="TEXT", type=spelled, help="the text to find, in any case")
    where_argument(parser)
    parser.option("--limit N", f"hits at most; else {MOST_HITS}", type=int, default=MOST_HITS)
    library_argument(parser)
    parser.option("--json", "print the hits as JSON")


def run(args: Namespace) -> int:
    """Print the hits; 1 means that some sessions could not be looked into."""
    if not args.text:
        raise Unreadable("there is no text to look for")
    limit = read_count(args.limit, "limit")
    where = None if args.where is None else read_query(args.where)
    with Catalog(open_library(args.library)) as catalog:
        with progress("sessions", 1, 1) as watch:
            problems = catalog.learn(step=watch.step)
        print_errors(f"{id}: {problem}" for id, problem in problems.items())
        rows = {row.entry.id: row for row in catalog.rows() if not where or where.matches(row)}
        hits = catalog.search(args.text, limit=limit, among=rows)
    titles = {id: row.entry.title for id, row in rows.items()}
    if args.json:
        print_json({"text": args.text, "hits": [_data(hit, titles) for hit in hits]})
    else:
        _print(hits, titles, limit)
    return 1 if problems else 0


def _data(hit: Hit, titles: dict[str, str]) -> dict[str, object]:
    return {**hit._asdict(), "title": titles[hit.id]}


def _print(hits: Sequence[Hit], titles: dict[str, str], limit: int) -> None:
    for id, found in groupby(hits, key=lambda hit: hit.id):
        print_line(f"{id}  {titles[id]}")
        places = [hit for hit in found if hit.raw is not None or hit.field is not None]
        for hit in places:
            line = " ".join(f"{hit.before}«{hit.match}»{hit.after}".split())
            place = f"raw {hit.raw}" if hit.field is None else f"field {hit.field}"
            print_line(f"  {place}: {line}")
        if len(places) >= HITS_EACH:
            print_line("  …")
    more = ", and there may be more" if len(hits) >= limit else ""
    sessions = plural(len({hit.id for hit in hits}), "session")
    print_line(f"{plural(len(hits), 'hit')} in {sessions}{more}")
