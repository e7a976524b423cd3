"""``ctxtui calls``: what was really sent, call by call, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ctxtui.calls.drawing import (
    agreement_words,
    break_words,
    call_lines,
    difference_lines,
    fact_words,
    head_line,
)
from ctxtui.calls.models.call import CallPath, removed_of
from ctxtui.calls.models.sheet import CallSheet
from ctxtui.calls.words import SEEN_ALL, seen_words
from ctxtui.cli.inputs import is_session, open_target, target_argument
from ctxtui.cli.output import print_expectations, print_json, print_line, print_table
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_errors
from ctxtui.core import Conversation, Seen
from ctxtui.core.engine.calls import CallUsage
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.errors import Refused, format_value, out_of_range
from ctxtui.core.formats.bodies import run_calls
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.policies.figures import FigureExpectation
from ctxtui.core.requests.findings import FINDING_KINDS, RunCall, findings_in
from ctxtui.core.values.numbers import count_in
from ctxtui.files.opening import open_source, parse_conversations
from ctxtui.inspector.models.lint import count_profiles
from ctxtui.text.plurals import plural

WIDTH = 100
"""Columns of one call told at length."""
HEADS = ("call", "model", "outcome", "messages", "counted", "kept", "in", "cached", "out")
TOLD = ("explained by", "cache")
SEEN = "seen"
UNSAID = "–"
MODEL_CHARACTERS = 24
MISSED = ("unasked", "short", "expired", "less")
"""Why a cache served little of what was kept, where nothing broke it."""


def arguments(parser: Parser) -> None:
    target_argument(parser)
    parser.option("--call N", "show call N of the path in full")
    expect = "fail unless there are so many findings, as cacheBroken=0 or 'providerCut<=2'"
    parser.option("--expect FINDING=NUMBER", expect, nargs="+", action="extend", default=[])
    text = "a text that must not vanish: the finding textVanished"
    parser.option("--text TEXT", text, action="append", default=[])
    parser.option("--allow-unknown", "ignore findings that can't be known")
    parser.option("--json", "print all calls of the file as JSON")


def run(args: Namespace) -> int:
    """Print the calls, or one of them; 1: there are other findings than expected."""
    expected = [FigureExpectation.read(text, FINDING_KINDS) for text in args.expect]
    if args.call is None and (args.json or expected or args.text):
        return _run(args, expected)
    path = CallPath(open_target(args.file, args.library).conversation)
    if args.call is not None:
        _print_one(CallSheet(path.at(_number(args.call, len(path)))), as_json=args.json)
        return 0
    _print_table(path)
    return 0


def _print_table(path: CallPath) -> None:
    sheets = [CallSheet(path.at(number)) for number in range(1, len(path) + 1)]
    if not sheets:
        print_line("no call was recorded on this path")
        return
    seen = [seen_words(sheet.one.seen) for sheet in sheets]
    heads, rows = [*HEADS, *TOLD], [_row(sheet) for sheet in sheets]
    if any(words != SEEN_ALL for words in seen):
        for row, words in zip((heads, *rows), (SEEN, *seen), strict=True):
            row.insert(len(HEADS), words)
    print_table([heads, *rows], right=(0, 3, 4, 5, 6, 7, 8))


def _run(args: Namespace, expected: list[FigureExpectation]) -> int:
    """Print the calls of all threads with the findings over them, and check what is expected."""
    calls = run_calls(_conversations(args))
    findings = findings_in(calls, args.text)
    if args.json:
        data = {"calls": _run_data(calls), "findings": [one.to_dict() for one in findings]}
        print_json(data)
    else:
        rows = [
            [str(one.call), one.kind, one.operation or UNSAID, one.certainty, one.about]
            for one in findings
        ]
        print_table([["call", "finding", "operation", "certainty", "about"], *rows], right=(0,))
    counts: Counter[str] = Counter(
        one.kind for one in findings if one.certainty != "unknown" or not args.allow_unknown
    )
    misses = [miss for one in expected if (miss := one.miss_of(counts[one.figure])) is not None]
    print_expectations(expected, misses, is_json=args.json)
    return 1 if misses else 0


def _conversations(args: Namespace) -> list[Conversation]:
    """Return all conversations of a file, which are its threads, or that of a session."""
    if is_session(args.file):
        return [open_target(args.file, args.library).conversation]
    source = open_source(args.file)
    found = list(parse_conversations(args.file, source))
    warnings = [*source.warnings, *(warning for one in found for warning in one.warnings)]
    print_errors(sentences(warnings))
    return [one.conversation for one in found]


def _run_data(calls: Sequence[RunCall]) -> list[dict[str, Any]]:
    """Return calls as JSON-ready data, each compared with the one before it on its path."""
    paths: dict[int, CallPath] = {}
    found = []
    for one in calls:
        talk = one.conversation
        path = paths.setdefault(id(talk), CallPath(talk))
        if (number := path.number_of(one.call)) is None:
            path = CallPath(talk, one.call.revision)
            number = path.number_of(one.call)
        assert number is not None
        found.append(
            {
                "record": one.record,
                "thread": one.thread,
                "purpose": one.purpose,
                **_data(CallSheet(path.at(number)), one.seen),
            }
        )
    return found


def _number(text: str, count: int) -> int:
    """Return the number of a call that is there."""
    legal = f"1…{count}" if count else "none: no call was recorded on this path"
    number = count_in(text)
    if number is None:
        raise Refused(f"--call {format_value(text)} is no call; legal is {legal}", field="call")
    if not 1 <= number <= count:
        raise out_of_range("call", number, legal)
    return number


def _row(sheet: CallSheet) -> list[str]:
    """Return one call as a row of the table."""
    call, cache = sheet.one.call, sheet.cache
    usage = call.usage or CallUsage()
    model = call.model or UNSAID
    steps = [
        step.operation if step is not None else operation.title if operation else ""
        for operation, step in sheet.evidence.steps
    ]
    sure = sheet.evidence.certainty
    return [
        str(sheet.number),
        model if len(model) <= MODEL_CHARACTERS else f"{model[: MODEL_CHARACTERS - 1]}…",
        call.outcome,
        f"{len(sheet.one.view):,}",
        f"{cache.total:,}",
        *(UNSAID if one is None else f"{one:,}" for one in (cache.kept, usage.input)),
        *(UNSAID if one is None else f"{one:,}" for one in (usage.cached, usage.output)),
        f"{', '.join(steps) or UNSAID}{f' ({sure})' if sure else ''}",
        _why(sheet),
    ]


def _why(sheet: CallSheet) -> str:
    place, why = break_words(sheet)
    if place:
        return f"{place}: {why}"
    return agreement_words(sheet) if sheet.cache.agreement in MISSED else why


def _print_one(sheet: CallSheet, *, as_json: bool) -> None:
    """Print one call at length."""
    if as_json:
        print_json(_data(sheet, is_whole=True))
        return
    count_profiles(sheet.state, sheet.profiles.__setitem__, lambda: True)
    sheet.look.lint()
    for line in [head_line(sheet, "", WIDTH, has_keys=False), [], *call_lines(sheet, WIDTH)]:
        print_line("".join(piece.text for piece in line))
    if lines := difference_lines(sheet, WIDTH):
        print_line(f"\nIn position {sheet.cache.broke.position}:")
        for line in lines:
            print_line("".join(piece.text for piece in line))
    print_line()
    print_line(f"{plural(sheet.count, 'call')} on this path; --call N shows one")


def _data(sheet: CallSheet, seen: Seen | None = None, *, is_whole: bool = False) -> dict[str, Any]:
    """Return a call as JSON-ready data."""
    one, cache = sheet.one, sheet.cache
    removed = removed_of(one.call)
    estimated = {row.name: row.estimated for row in sheet.usage if row.name != "written"}
    data = {
        "call": sheet.number,
        "revision": one.call.revision,
        "batch": sheet.look.batch.number,
        "time": one.call.time,
        "model": one.call.model,
        "outcome": one.call.outcome,
        "messages": len(one.view),
        "estimated": estimated,
        "measured": one.call.usage and one.call.usage.to_dict(),
        "warnings": [{"code": "removed", **removed.to_dict()}] if removed else [],
        "explained": [_step(*step) for step in sheet.evidence.steps],
        "cache": {
            "strict": cache.is_strict,
            "total": cache.total,
            "kept": cache.kept,
            "messages": cache.kept_messages,
            "inside": cache.inside,
            "seen": cache.is_seen,
            "read": cache.read,
            "breaks": cache.broke.kind,
            "position": cache.broke.position,
            "cause": _why(sheet),
            "agreement": cache.agreement,
            "agrees": agreement_words(sheet),
            "diagnosis": cache.diagnosis,
        },
        "seen": (seen or one.seen).to_dict(),
    }
    if not is_whole:
        return data
    counts: dict[str, Any] = {}
    count_profiles(sheet.state, counts.__setitem__, lambda: True)
    return {
        **data,
        "request": [row._asdict() for row in sheet.request],
        "tools": [row._asdict() for row in sheet.tools.rows],
        "facts": [fact_words(fact, sheet.number) for fact in sheet.evidence.facts],
        "lint": {name: counts[name]._asdict() for name in PROFILES},
    }


def _step(operation: Any, step: Any) -> dict[str, Any]:
    """Return an operation with what was recorded of it."""
    name = step.operation if operation is None else operation.title
    reason, certainty = (None, None) if step is None else (step.reason, step.certainty)
    return {"operation": name, "reason": reason, "certainty": certainty}
