"""``ctxtui replace``: what a pattern finds gives way to something else, in many sessions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from core.curation.editing import Found, look_for, replace_in
from core.curation.excerpts import Excerpt, Piece, excerpts
from core.curation.patterns import PATTERNS, Pattern, named_patterns, own_pattern
from core.curation.purging import in_trash
from core.curation.replacing import ReplaceHit, Stays, by_message, meant
from core.errors import Refused
from core.storage import Entry, Library
from core.values.roles import ROLES
from ctxtui.cli.choosing import Told, chosen_of, for_each, must_say, noting, where_argument
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.sessions import WAIT_SECONDS, library_argument, look
from ctxtui.cli.streams import saved_output
from ctxtui.files.reading import Unreadable, spelled
from ctxtui.files.sessions import open_library
from ctxtui.words import plural

LEFT = "left out"


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "words",
        metavar="PATTERN TEXT SESSION",
        type=spelled,
        nargs="*",
        help="what is looked for, what shall stand there, and ids or titles of sessions; with "
        "--what, sessions only",
    )
    parser.add_argument(
        "--what",
        metavar="LIST",
        help=f"look for these instead: {', '.join(PATTERNS)}, with commas between; each gives way "
        "to its name in brackets",
    )
    parser.add_argument(
        "--regex",
        action="store_true",
        help=r"PATTERN is a regular expression, and TEXT may name its groups, as \1",
    )
    parser.add_argument(
        "--case", action="store_true", help="tell capital from small letters; else they are alike"
    )
    parser.add_argument(
        "--role",
        action="append",
        choices=ROLES,
        help="only in messages of this role; may be given several times",
    )
    parser.add_argument(
        "--titles", action="store_true", help="also in titles, tags and notes of the sessions"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show every hit, before and after; change nothing"
    )
    where_argument(parser)
    library_argument(parser)
    parser.add_argument("--json", action="store_true", help="print hits and figures as JSON")


def run(asked: Namespace) -> int:
    """Replace, or show what would be; 1 means that some sessions were refused."""
    what, names = _asked(asked)
    if not asked.dry_run:
        must_say(asked.where)
    library = open_library(asked.library)
    entries = chosen_of(library, names, asked.where)
    roles = asked.role or ROLES
    if asked.dry_run:
        return _dry_run(library, entries, what, roles, asked)
    with saved_output(), noting(library):
        return _replace(library, entries, what, roles, asked)


def _asked(asked: Namespace) -> tuple[list[Pattern], list[str]]:
    """Return what is looked for, and the names of sessions."""
    if asked.what is not None:
        if asked.regex or asked.case:
            raise Unreadable("--regex and --case go with a PATTERN of your own, not with --what")
        return named_patterns(asked.what), asked.words
    if len(asked.words) < 2:  # noqa: PLR2004 - PATTERN and TEXT
        raise Unreadable("a PATTERN and a TEXT are needed, or --what with built-in patterns")
    pattern, text, *names = asked.words
    made = own_pattern(pattern, text, is_regex=asked.regex, case_sensitive=asked.case)
    return [made], names


def _replace(
    library: Library,
    entries: Sequence[Entry],
    what: Sequence[Pattern],
    roles: Sequence[str],
    asked: Namespace,
) -> int:
    def act(entry: Entry) -> Told:
        done = replace_in(
            library, entry.id, what, roles, with_details=asked.titles, wait=WAIT_SECONDS
        )
        if done is None:
            return {"session": entry.id, "title": entry.title, "hits": 0}
        return {
            "session": done.id,
            "title": done.title,
            "hits": done.hits,
            "messages": done.messages,
            "tokensBefore": done.tokens_before,
            "tokensAfter": done.tokens_after,
            "about": list(done.about),
            "inReviewAgain": done.goes_back,
        }

    def told(row: Told) -> None:
        if not asked.json and len(row) > 3:  # noqa: PLR2004 - something was done
            print_line(f"{row['session']}  {row['title']}: {_done(row)}")

    done, code = for_each(entries, act, told)
    rows = [row for row in done if "messages" in row]
    if asked.json:
        print_json({"sessions": rows, "stays": None})
        return code
    hits, messages = (sum(row[key] for row in rows) for key in ("hits", "messages"))
    refused = len(entries) - len(done)
    print_line(
        f"{plural(hits, 'hit')} replaced in {plural(messages, 'message')} of {len(rows):,} of "
        f"{plural(len(entries), 'session')}{f'; {refused:,} refused' if refused else ''}"
    )
    again = sum(row["inReviewAgain"] for row in rows)
    if again:
        print_line(f"{plural(again, 'session')} had been accepted, now in review again")
    if rows:
        print_line(
            "the old text is hidden, not gone: UNDO brings it back, squash --purge removes it"
        )
    return code


def _done(row: Told) -> str:
    told = [f"{plural(row['hits'], 'hit')} in {plural(row['messages'], 'message')}"]
    told += [f"{', '.join(row['about'])} changed"] if row["about"] else []
    told += ["in review again"] if row["inReviewAgain"] else []
    return "; ".join(told)


def _dry_run(
    library: Library,
    entries: Sequence[Entry],
    what: Sequence[Pattern],
    roles: Sequence[str],
    asked: Namespace,
) -> int:
    found: list[Found] = []
    code = 0
    for entry in entries:
        try:
            one = look_for(library, entry.id, what, roles, with_details=asked.titles)
        except Refused as problem:
            print_problems([f"{entry.id}  {entry.title}: {problem}"])
            code = 1
            continue
        found.append(one)
        if not asked.json:
            _print_session(library, one)
    trash = in_trash(library, what)
    if asked.json:
        print_json({"sessions": [_row(one) for one in found], "stays": _stays(found, trash.hits)})
    else:
        _print_sums(found, trash.hits)
    return code


def _print_session(library: Library, found: Found) -> None:
    if not found.hits and not found.about:
        return
    print_line(f"{found.id}  {found.title}")
    for name, new in found.about.items():
        print_line(f"  {name} + {_about(new)}")
    log = look(library, found.id).conversation.log
    for raw, some in by_message(found.hits):
        for excerpt in excerpts(log[raw], some):
            _print_excerpt(excerpt)


def _about(new: Any) -> str:
    """Return what would be said about a session: a text, tags, or notes about messages."""
    if isinstance(new, str):
        return new
    return ", ".join(one if isinstance(one, str) else f"{one[0]}: {one[1]}" for one in new)


def _print_excerpt(excerpt: Excerpt) -> None:
    hit = excerpt.hits[0]
    head = f"{hit.position:>6}  {hit.role:<9}"
    label = f"{excerpt.label}  " if excerpt.label else ""
    print_line(f"{head} - {label}{_line(excerpt.old)}")
    wanted = [Piece(p.hit.before if p.hit and p.hit.doubt else p.text) for p in excerpt.new]
    doubts = [one for one in excerpt.hits if one.doubt]
    if len(doubts) < len(excerpt.hits):
        print_line(f"{'':<{len(head)}} + {label}{_line(wanted)}")
    for one in doubts:
        print_line(f"{'':<{len(head)}}   {LEFT}: {one.before} is {one.doubt}")


def _line(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces).replace("\r\n", "⏎").replace("\n", "⏎")


def _print_sums(found: Sequence[Found], trash: int) -> None:
    touched = [one for one in found if meant(one.hits)]
    hits = [hit for one in touched for hit in meant(one.hits)]
    messages = sum(len({hit.raw for hit in meant(one.hits)}) for one in touched)
    doubts = sum(bool(hit.doubt) for one in found for hit in one.hits)
    visible = sum(one.visible for one in found)
    print_line(
        f"dry run, nothing is changed: {plural(len(hits), 'hit')} in {messages:,} of "
        f"{plural(visible, 'visible message')}, {len(touched):,} of "
        f"{plural(len(found), 'session')}" + (f"; {doubts:,} {LEFT}" if doubts else "")
    )
    before, after = (sum(getattr(one, key) for one in found) for key in ("tokens", "tokens_after"))
    print_line(f"tokens {before:,} → {after:,}")
    errors, errors_after = sum(one.errors for one in found), sum(one.errors_after for one in found)
    if errors != errors_after:
        print_line(f"lint errors {errors:,} → {errors_after:,}")
    again = sum(one.goes_back for one in found)
    if again:
        print_line(f"{plural(again, 'accepted session')} would go back to in review")
    stays = _stays(found, trash)
    for key, words in STAYS.items():
        if stays[key]:
            print_line(f"stays: {stays[key]:,} {words}")


STAYS = {
    "log": "in the log and journal of these sessions, so that UNDO can bring it back",
    "hidden": "in hidden messages, which are not looked at",
    "beside": "in names of fields, addresses, data and metadata of visible messages",
    "about": "in titles, tags and notes, and in what files said beside their messages",
    "calls": "in what was recorded of calls",
    "trash": "in the trash",
}


def _stays(found: Sequence[Found], trash: int) -> dict[str, int]:
    total = sum((one.stays for one in found), Stays())
    replaced = sum(len(meant(one.hits)) for one in found)
    return {"log": replaced, **total._asdict(), "trash": trash}


def _row(found: Found) -> dict[str, Any]:
    return {
        "session": found.id,
        "title": found.title,
        "status": found.status,
        "hits": [_hit(hit) for hit in found.hits],
        "about": {key: list(v) if isinstance(v, tuple) else v for key, v in found.about.items()},
        "tokensBefore": found.tokens,
        "tokensAfter": found.tokens_after,
        "errorsBefore": found.errors,
        "errorsAfter": found.errors_after,
        "inReviewAgain": found.goes_back,
        "stays": found.stays._asdict(),
    }


def _hit(hit: ReplaceHit) -> dict[str, Any]:
    return {**hit._asdict(), "path": list(hit.path)}
