"""``ctxtui capture``: record what an agent really sends, while it runs."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxtui.capture.keeper import (
    CaptureEvent,
    RefusedRequest,
    RejudgedRun,
    SpoolProblem,
    StoredCall,
    UnrecordedCall,
)
from ctxtui.capture.upstreams import Upstreams, own_environment
from ctxtui.cli.inputs import library_argument
from ctxtui.cli.output import extra_module, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.serve import LAST_PORT, LOOPBACK, is_loopback
from ctxtui.cli.streams import print_error, saved_output
from ctxtui.core.errors import Refused, out_of_range
from ctxtui.core.formats.warnings import read_warnings, said
from ctxtui.core.requests.exchange import RemovedSecrets
from ctxtui.files.sessions import open_library
from ctxtui.text.plurals import plural, removed_words

if TYPE_CHECKING:
    from types import ModuleType

    from ctxtui.core.storage import Library


# What ``ctxtui capture`` says: how to be used, a line for each call, and a sum at the end.

UNSAFE = "calls would be lost if the proxy were killed before it has recorded them: {reason}"
WATCH = "ctxtui watch"
MILLISECONDS = 1_000
MOST_REASONS = 10
"""Reasons for which calls were not recorded that are listed one by one."""
OTHERS = "other requests, for more reasons than are listed"
NO_CALLS = (
    "no model call came here: the program may have sent none, or its client has an address of its "
    "own; give that client the address of a separate proxy (ctxtui capture --port 8000)"
)
FIGURES = ("input", "cached", "written", "output")


class CaptureReport:
    """Prints what is recorded; in few words while a command has the terminal."""

    def __init__(self, folder: Path, *, is_json: bool, is_quiet: bool, watch: str = WATCH) -> None:
        self._folder, self._is_json, self._is_quiet = folder, is_json, is_quiet
        self._watch = watch
        self._calls = 0
        self._sessions: dict[str, None] = {}
        self._problems: list[str] = []
        self._unsafe: list[str] = []
        self._removed = RemovedSecrets()
        self._rejudged: RejudgedRun | None = None
        self._refused: Counter[str] = Counter()
        self._adapted: Counter[str] = Counter()

    def ready(self, address: str, variables: Mapping[str, str]) -> None:
        """Print how an agent is pointed here."""
        if self._is_quiet or self._is_json:
            return
        print_line(f"recording at {address} into {self._folder}; point your agent at it:")
        for name, value in variables.items():
            print_line(f"  export {name}={value}")
        print_line(f"{address}/NAME/v1 keeps a conversation apart by its name; ctrl+c ends")
        sys.stdout.flush()

    def call(self, event: CaptureEvent) -> None:
        """Report a call that is on disk; called from the recording thread."""
        if isinstance(event, SpoolProblem):
            self._unsafe.append(UNSAFE.format(reason=event.reason))
            if not self._is_quiet:
                print_error(self._unsafe[-1])
            return
        if isinstance(event, RefusedRequest):
            self._refuse(event.reason)
            return
        if isinstance(event, RejudgedRun):
            self._rejudged = event
            return
        if isinstance(event, UnrecordedCall):
            self._problems.append(f"{event.path}: {event.reason}")
            if not self._is_quiet:
                print_error(f"not recorded: {self._problems[-1]}")
            return
        for warning in read_warnings(event.exchange.warnings):
            notice = said(warning.code, warning.count)  # Its names are from the body.
            self._adapted[notice] += 1
            if not self._is_quiet:
                print_error(f"{event.recorded.thread.name} #{event.recorded.call + 1}: {notice}")
        self._calls += 1
        self._sessions[event.session] = None
        self._removed = self._removed.and_of(event.exchange.removed)
        if self._is_json:
            print(json.dumps(call_data(event)))
        elif not self._is_quiet:
            print_line(call_line(event))
        sys.stdout.flush()

    def _refuse(self, reason: str) -> None:
        """Report a refused request, each reason once while the proxy runs."""
        if reason not in self._refused and len(self._refused) >= MOST_REASONS:
            reason = OTHERS
        self._refused[reason] += 1
        if self._refused[reason] == 1 and not self._is_quiet:
            print_error(f"refused: {reason}")

    @property
    def has_problems(self) -> bool:
        """Return whether there is a call that was not recorded."""
        return bool(self._problems)

    def sum_up(self) -> None:
        calls, sessions = plural(self._calls, "call"), plural(len(self._sessions), "session")
        print_error(f"{calls} recorded in {sessions} of {self._folder}")
        if self._sessions:
            ids = list(self._sessions)
            more = f" and {len(ids) - MOST_REASONS:,} more" if len(ids) > MOST_REASONS else ""
            print_error(f"{', '.join(ids[:MOST_REASONS])}{more}; to see them: {self._watch}")
        elif self._is_quiet and not (self._problems or self._refused):
            print_error(NO_CALLS)
        if self._rejudged is not None:
            threads = plural(self._rejudged.threads, "thread")
            explain = self._watch.replace("watch", f"threads explain {self._rejudged.session}", 1)
            print_error(f"with all its calls known, the run has {threads}: {explain} --save")
        if self._removed:
            print_error(removed_words(self._removed))
        if not self._is_quiet:
            return
        for reason, requests in self._refused.items():
            print_error(f"{plural(requests, 'request')} refused: {reason}")
        for notice, affected in self._adapted.most_common(MOST_REASONS):
            print_error(f"{plural(affected, 'call')}: {notice}")
        if self._problems:
            self._print_problems()
        if self._unsafe:
            print_error(self._unsafe[0])

    def _print_problems(self) -> None:
        """Print why calls were not recorded, each reason once with its number of calls."""
        counts = Counter(self._problems).most_common()
        for problem, calls in counts[:MOST_REASONS]:
            print_error(f"{plural(calls, 'call')} not recorded: {problem}")
        others = sum(calls for _, calls in counts[MOST_REASONS:])
        if others:
            print_error(
                f"{plural(others, 'other call')} not recorded, each for a reason of its own"
            )


def call_data(kept: StoredCall) -> dict[str, Any]:
    """Return a call for programs; calls count from 1, as everywhere outside."""
    recorded = kept.recorded
    cache = recorded.cache.to_dict()
    before, removed = recorded.cache.call, kept.exchange.removed
    return {
        "session": kept.session,
        "thread": recorded.thread.to_dict(),
        "call": recorded.call + 1,
        "kind": kept.exchange.kind,
        "model": recorded.facts.model,
        "time": kept.exchange.time,
        "status": kept.exchange.status,
        "outcome": recorded.facts.outcome,
        "operations": [one.to_dict() for one in recorded.explanations],
        "cache": {**cache, "call": None if before is None else before + 1},
        "usage": None if recorded.facts.usage is None else dict(recorded.facts.usage),
        "warnings": [{"code": "removed", **removed.to_dict()}] if removed else [],
    }


def call_line(kept: StoredCall) -> str:
    """Return a call as a line for people."""
    recorded, facts = kept.recorded, kept.recorded.facts
    moment = datetime.fromtimestamp((kept.exchange.time or 0) / MILLISECONDS)
    counts = Counter(one.operation for one in recorded.explanations)
    names = ", ".join(name if n == 1 else f"{name} ×{n}" for name, n in counts.items())
    figures = facts.usage or {}
    usage = ", ".join(f"{figures[key]:,} {key}" for key in FIGURES if figures.get(key))
    ended = "" if facts.outcome == "complete" else facts.outcome
    cause = recorded.cache.cause
    parts = (
        f"{moment:%H:%M:%S}",
        facts.model or kept.exchange.kind,
        f"{recorded.thread.name} #{recorded.call + 1}",
        names or "the same again",
        usage,
        ended,
        f"cache: {cause}" if cause else "",
    )
    return "  ".join(part for part in parts if part)


ALONE = "--recover starts no proxy, so there is no command to run with it"
OPEN = "any program that reaches {host} can send calls through this proxy; all are recorded"

NULL = "--allow-origin null also allows any web page that sends from a sandboxed frame"


def arguments(parser: Parser) -> None:
    command = "the command to run, after --; its exit code is returned"
    parser.add_argument("command", metavar="COMMAND", nargs="*", help=command)
    parser.option("--port N", "the port to listen to; else a free one", type=int, default=0)
    parser.option("--host H", f"the address to listen to; else {LOOPBACK}", default=LOOPBACK)
    host = "also let in requests for this host, as host.docker.internal; repeatable"
    parser.option("--allow-host NAME", host, action="append", default=[])
    origin = "also let in this web page or desktop app, as app://*; repeatable"
    parser.option("--allow-origin ORIGIN", origin, action="append", default=[])
    parser.option("--upstream URL", "where all calls are sent on to; else to each provider's own")
    parser.option("--recover", "only record what a proxy that was killed has left, and end")
    parser.option("--json", "print each call as a line of JSON")
    library_argument(parser)


def run(args: Namespace) -> int:
    """Record until the command has ended, or until ctrl+c."""
    running = extra_module("capture", "ctxtui.capture.running", "aiohttp")
    if not 0 <= args.port <= LAST_PORT:
        raise out_of_range("port", args.port, f"0…{LAST_PORT}")
    environment = own_environment()
    plan = running.CapturePlan(
        host=args.host,
        port=args.port,
        upstreams=Upstreams.of(environment, args.upstream),
        environment=environment,
        command=tuple(args.command),
        hosts=tuple(args.allow_host),
        origins=tuple(args.allow_origin),
    )
    library = open_library(args.library)
    library.list()  # A folder that is no library is refused before anything is passed on.
    watch = WATCH if args.library is None else f"{WATCH} --library {shlex.quote(args.library)}"
    report = CaptureReport(
        library.folder, is_json=args.json, is_quiet=bool(args.command), watch=watch
    )
    if args.recover:
        return _recover(running, library, report, args)
    if not is_loopback(args.host):
        print_error(OPEN.format(host=args.host))
    if "null" in map(str.lower, args.allow_origin):
        print_error(NULL)
    with saved_output():
        code: int = running.capture(plan, library, report.call, report.ready)
        report.sum_up()
    return code


def _recover(running: ModuleType, library: Library, report: CaptureReport, args: Namespace) -> int:
    """Record what was left, and fail where some of it could not be."""
    if args.command:
        raise Refused(ALONE, field="recover")
    with saved_output():
        running.recover(library, report.call)
        report.sum_up()
    return 1 if report.has_problems else 0
