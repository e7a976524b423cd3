"""``ctxtui replace``: what a pattern finds gives way to something else, in many sessions."""

from __future__ import annotations

from argparse import SUPPRESS
from collections.abc import Sequence
from typing import Any

from ctxtui.cli.inputs import library_argument, where_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import WAIT_SECONDS, Row, check_where, choose_sessions, for_each
from ctxtui.cli.streams import print_errors, saved_output
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.patterns import PATTERNS, Pattern, named_patterns, own_pattern
from ctxtui.core.curation.purging import in_spool, in_trash
from ctxtui.core.curation.replacing import (
    EVERYWHERE,
    HIDDEN,
    OTHER_ROLES,
    PURGE,
    REMEDIES,
    FoundHits,
    HitExcerpt,
    Remedy,
    Staying,
    Stays,
    beside,
    beside_messages,
    by_message,
    excerpts,
    find_in,
    meant,
    replace_in,
)
from ctxtui.core.curation.texts import TextWalk
from ctxtui.core.errors import Refused
from ctxtui.core.storage import Entry, Library
from ctxtui.core.values.models import ROLES
from ctxtui.files.reading import spelled
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import open_library
from ctxtui.text.numbers import shown_indices
from ctxtui.text.plurals import plural

LEFT = "left out"


def arguments(parser: Parser) -> None:
    about = "what to find, its replacement, and sessions; with --what, sessions only"
    parser.add_argument(
        "words", metavar="PATTERN TEXT SESSION", type=spelled, nargs="*", help=about
    )
    parser.option("--what LIST", f"find these instead, with commas between: {', '.join(PATTERNS)}")
    parser.option("--regex", r"PATTERN is a regular expression; TEXT may use its groups, as \1")
    parser.option("--case", "match case; else it is ignored")
    role = "only in messages of this role, and nothing outside of messages; repeatable"
    parser.option("--role", role, action="append", choices=ROLES)
    parser.option("--everywhere", "also in names of fields, ids, types and numbers")
    parser.option("--titles", SUPPRESS)  # It is what is done now.
    parser.option("--dry-run", "show every hit, before and after; change nothing")
    where_argument(parser)
    library_argument(parser)
    parser.option("--json", "print hits and figures as JSON")


def run(args: Namespace) -> int:
    """Replace, or show what would be; 1 means that some sessions were refused."""
    what, names = _asked(args)
    if not args.dry_run:
        check_where(args.where)
    library = open_library(args.library)
    entries = choose_sessions(library, names, args.where)
    roles = args.role or ROLES
    if args.dry_run:
        return _dry_run(library, entries, what, roles, args)
    with saved_output(), Catalog(library):
        return _replace(library, entries, what, roles, args)


def _asked(args: Namespace) -> tuple[list[Pattern], list[str]]:
    """Return what is looked for, and the names of sessions."""
    if args.what is not None:
        if args.regex or args.case:
            raise Unreadable("--regex and --case go with a PATTERN of your own, not with --what")
        return named_patterns(args.what), args.words
    if len(args.words) < 2:  # noqa: PLR2004 - PATTERN and TEXT
        raise Unreadable("a PATTERN and a TEXT are needed, or --what with built-in patterns")
    pattern, text, *names = args.words
    made = own_pattern(pattern, text, is_regex=args.regex, case_sensitive=args.case)
    return [made], names


def _replace(
    library: Library,
    entries: Sequence[Entry],
    what: Sequence[Pattern],
    roles: Sequence[str],
    args: Namespace,
) -> int:
    stays = Stays()

    def act(entry: Entry) -> Row:
        nonlocal stays
        done = replace_in(
            library, entry.id, what, roles, everywhere=args.everywhere, wait=WAIT_SECONDS
        )
        stays = stays + done.stays
        if not args.json and (done.hits or done.stays.places):
            phrases = [f"{plural(done.hits, 'hit')} in {plural(done.messages, 'message')}"]
            phrases += [f"{', '.join(done.beside)} changed"] if done.beside else []
            phrases += ["in review again"] if done.goes_back else []
            print_line(f"{done.id}  {done.title}: {'; '.join(phrases)}")
            _print_staying(done.stays)
        return {
            "session": done.id,
            "title": done.title,
            "hits": done.hits,
            "messages": done.messages,
            "tokensBefore": done.tokens_before,
            "tokensAfter": done.tokens_after,
            "beside": list(done.beside),
            "inReviewAgain": done.goes_back,
            "stays": _stays(done.stays),
        }

    every, code = for_each(entries, act, lambda _: None)
    rows = [row for row in every if row["hits"]]
    hits, messages = (sum(row[key] for row in rows) for key in ("hits", "messages"))
    beside, again = (sum(bool(row[key]) for row in rows) for key in ("beside", "inReviewAgain"))
    outside = in_trash(library, what).hits, in_spool(library, what)
    if args.json:
        changed = [row for row in every if row["hits"] or row["stays"]["places"]]
        print_json({"sessions": changed, "stays": _sums(stays, hits, *outside), **NOT_SEARCHED})
        return code
    refused = len(entries) - len(every)
    print_line(
        f"{plural(hits, 'hit')} replaced in {plural(messages, 'message')} of {len(rows):,} of "
        f"{plural(len(entries), 'session')}{f'; {refused:,} refused' if refused else ''}"
        + (f"; beside messages in {plural(beside, 'session')}" if beside else "")
    )
    if again:
        print_line(f"{plural(again, 'session')} had been accepted, now in review again")
    _print_sums_of_staying(stays, *outside)
    if rows:
        hidden = "the old text is hidden, not gone"
        print_line(f"{hidden}: UNDO brings it back, squash --purge removes it")
    return code


def _dry_run(
    library: Library,
    entries: Sequence[Entry],
    what: Sequence[Pattern],
    roles: Sequence[str],
    args: Namespace,
) -> int:
    found: list[FoundHits] = []
    code = 0
    for entry in entries:
        try:
            one = find_in(library, entry.id, what, roles, everywhere=args.everywhere)
        except Refused as problem:
            print_errors([f"{entry.id}  {entry.title}: {problem}"])
            code = 1
            continue
        found.append(one)
        if not args.json:
            _print_session(library, one)
    outside = in_trash(library, what).hits, in_spool(library, what)
    if args.json:
        stays = sum((one.stays for one in found), Stays())
        log = sum(len(meant(one.hits)) for one in found)
        rows = [_row(one) for one in found]
        print_json({"sessions": rows, "stays": _sums(stays, log, *outside), **NOT_SEARCHED})
    else:
        _print_figures(found, outside)
    return code


def _print_session(library: Library, found: FoundHits) -> None:
    if not found.hits and not found.stays.places:
        return
    print_line(f"{found.id}  {found.title}")
    with library.open(found.id, read_only=True) as session:
        talk, details = session.conversation, session.details
    places = beside_messages(talk, details, TextWalk())
    for excerpt in excerpts(places, beside(found.hits)):
        _print_excerpt(excerpt)
    for raw, some in by_message(found.hits):
        for excerpt in excerpts(TextWalk().message(talk.log[raw]), some, talk.log[raw]):
            _print_excerpt(excerpt)
    _print_staying(found.stays)


def _print_staying(stays: Stays) -> None:
    """Print where something stays in a session, the messages of the same place together."""
    by_place: dict[tuple[Remedy, str], list[Staying]] = {}
    for one in stays.places:
        by_place.setdefault((one.remedy, one.where), []).append(one)
    for remedy, where in sorted(by_place, key=lambda key: REMEDIES.index(key[0])):
        some = by_place[remedy, where]
        raws = [one.raw for one in some if one.raw is not None]
        hits = plural(sum(one.hits for one in some), "hit")
        print_line(f"  stays: {hits}: {_place(where, raws)}; {WAYS[remedy]}")
    if stays.sealed:
        print_line(f"  not searched: {plural(stays.sealed, 'encrypted or encoded part')}")


def _place(where: str, raws: Sequence[int]) -> str:
    if not raws:
        return where
    called = where if where == HIDDEN else f"{where}, message"
    return f"{called}{'s' if len(raws) > 1 else ''} {shown_indices(raws)}"


def _print_excerpt(excerpt: HitExcerpt) -> None:
    hit = excerpt.hits[0]
    head = f"{'' if hit.position is None else hit.position:>6}  {hit.role:<9}"
    label = f"{excerpt.label}  " if excerpt.label else ""
    print_line(f"{head} - {label}{_line(excerpt.old)}")
    doubts = [one for one in excerpt.hits if one.doubt]
    if len(doubts) < len(excerpt.hits):
        print_line(f"{'':<{len(head)}} + {label}{_line(excerpt.new)}")
    for one in doubts:
        print_line(f"{'':<{len(head)}}   {LEFT}: {one.before} is {one.doubt}")


def _line(text: str) -> str:
    return text.replace("\r\n", "⏎").replace("\n", "⏎")


def _print_figures(found: Sequence[FoundHits], outside: tuple[int, int]) -> None:
    touched = [one for one in found if meant(one.hits)]
    hits = [hit for one in touched for hit in meant(one.hits)]
    messages = sum(len(by_message(meant(one.hits))) for one in touched)
    places = len(beside(hits))
    doubts = sum(bool(hit.doubt) for one in found for hit in one.hits)
    visible = sum(one.visible for one in found)
    print_line(
        f"dry run, nothing is changed: {plural(len(hits), 'hit')} in {messages:,} of "
        f"{plural(visible, 'visible message')}, {len(touched):,} of "
        f"{plural(len(found), 'session')}"
        + (f"; {places:,} of them beside messages" if places else "")
        + (f"; {doubts:,} {LEFT}" if doubts else "")
    )
    before, after = (sum(getattr(one, key) for one in found) for key in ("tokens", "tokens_after"))
    print_line(f"tokens {before:,} → {after:,}")
    errors, errors_after = sum(one.errors for one in found), sum(one.errors_after for one in found)
    if errors != errors_after:
        print_line(f"lint errors {errors:,} → {errors_after:,}")
    again = sum(one.goes_back for one in found)
    if again:
        print_line(f"{plural(again, 'accepted session')} would go back to in review")
    if hits:
        log = f"stays: {len(hits):,} in the log and journal of these sessions"
        print_line(f"{log}, so that UNDO can bring it back; squash --purge removes it")
    _print_sums_of_staying(sum((one.stays for one in found), Stays()), *outside)


def _print_sums_of_staying(stays: Stays, trash: int, spool: int) -> None:
    for remedy in REMEDIES:
        if count := stays.total(remedy):
            print_line(f"stays: {count:,} in {SUMS[remedy]}; {WAYS[remedy]}")
    if trash:
        print_line(f"stays: {trash:,} in the trash; ctxtui delete --purge empties it")
    if spool:
        calls = f"stays: {spool:,} in recorded calls that are in no session yet"
        print_line(f"{calls}; ctxtui capture --recover stores them as sessions")
    line = "not searched: the history of changes, which squash --purge removes"
    if stays.sealed:
        line += f", and {plural(stays.sealed, 'encrypted or encoded part')}"
    print_line(line)


SUMS: dict[Remedy, str] = {
    EVERYWHERE: "names of fields, numbers, ids and types",
    PURGE: "hidden messages, recorded calls and where the sessions come from",
    OTHER_ROLES: "messages of other roles, ids and beside messages",
}
WAYS: dict[Remedy, str] = {
    EVERYWHERE: "replace --everywhere changes it",
    PURGE: "squash --purge removes it",
    OTHER_ROLES: "replace without --role changes it",
}


NOT_SEARCHED = {"notSearched": ["history"]}
"""What JSON says of earlier changes: operations, labels and names that are no longer in force."""


def _sums(stays: Stays, log: int, trash: int, spool: int) -> dict[str, int]:
    sums: dict[str, int] = {remedy: stays.total(remedy) for remedy in REMEDIES}
    return {"log": log, **sums, "trash": trash, "spool": spool, "sealed": stays.sealed}


def _stays(stays: Stays) -> dict[str, Any]:
    return {"places": [one._asdict() for one in stays.places], "sealed": stays.sealed}


def _row(found: FoundHits) -> dict[str, Any]:
    return {
        "session": found.id,
        "title": found.title,
        "status": found.status,
        "hits": [{**hit._asdict(), "path": list(hit.path)} for hit in found.hits],
        "tokensBefore": found.tokens,
        "tokensAfter": found.tokens_after,
        "errorsBefore": found.errors,
        "errorsAfter": found.errors_after,
        "inReviewAgain": found.goes_back,
        "stays": _stays(found.stays),
    }
