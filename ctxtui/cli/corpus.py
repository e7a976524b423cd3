"""``ctxtui corpus``: a plan over any number of conversations, on this machine or on a cluster."""

from __future__ import annotations

import sys
from argparse import Action
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ctxtui.cli.output import BAR_CELLS, bar, print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import is_terminal, print_error, show_status, status_width
from ctxtui.core.corpus import CorpusPlan, Engine, LocalEngine, RunProgress, RunResult, run_plan
from ctxtui.core.corpus.dask_engine import DaskEngine
from ctxtui.core.corpus.plan import PACKINGS, SHARD, line_formats
from ctxtui.core.corpus.sources import MIB
from ctxtui.core.curation.patterns import PATTERNS
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.errors import Refused, format_value
from ctxtui.core.formats import READABLE
from ctxtui.core.values.numbers import count_in, read_decimal
from ctxtui.files.opening import PRESET, open_policy, read_file
from ctxtui.files.sandbox import Unreadable
from ctxtui.pages.corpus import write_page
from ctxtui.text.plurals import percent, plural

ENGINES = ("local", "dask")


class StepAction(Action):
    """Stores the steps in the order in which their flags are typed."""

    def __call__(self, parser: Any, args: Namespace, values: Any, option: Any = None) -> None:
        args.steps = [*getattr(args, "steps", ()), (self.dest, values)]


def arguments(parser: Parser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a JSON file that says all of it")
    files = "files, folders or patterns such as 'data/*.jsonl.gz'"
    parser.option("--source FILES", files, nargs="+", action="extend")
    parser.option("--from FORMAT", "the format of the files", dest="format", choices=READABLE)
    steps = parser.add_argument_group("steps, in the order in which they are given")
    step = partial(parser.option, group=steps, action=StepAction)
    step("--lint PROFILE", "count what is broken", choices=PROFILES)
    step("--clean PROFILE", "keep only clean ones", choices=PROFILES)
    step("--messages LEAST:MOST", "keep those with so many messages")
    step("--tokens LEAST:MOST", "keep those with so many tokens")
    step("--policy FILE", "apply a policy or recipe")
    step("--what LIST", f"replace these: {', '.join(PATTERNS)}")
    step("--replace PATTERN TEXT", "replace own words", nargs=2)
    step("--dedupe HOW", "keep the first of duplicates: exact, or a share such as 0.9")
    step("--squash", "keep only what is visible", nargs=0)
    step("--simulate FILE", "run policies over all", nargs="+")
    parser.option("-o --out FOLDER", "the folder to write into")
    parser.option("--to FORMAT", "what to write", choices=line_formats())
    parser.option("--shard COUNT", f"conversations of a file; else {SHARD:,}", type=int)
    parser.option("--as", "JSON lines, or Parquet", dest="packing", choices=PACKINGS)
    parser.option("--engine", "where it runs", choices=ENGINES, default=ENGINES[0])
    parser.option("--scheduler ADDRESS", "a dask scheduler; else dask starts workers here")
    parser.option("--workers COUNT", "else one for each core", type=int)
    parser.option("--chunk MIB", "what a worker is given at a time", type=int, default=16)
    parser.option("--force", "start over in a folder that holds another run")
    parser.option("--json", "print the report as JSON")


def read_plan(args: Namespace) -> tuple[CorpusPlan, Path]:
    """Return the plan, and the folder from which its names are seen."""
    data: dict[str, Any] = {}
    here = Path.cwd()
    base = here if args.run in (None, "-") else Path(args.run).resolve().parent
    if args.run is not None:
        read = read_file(args.run, keys_once=True)
        if not isinstance(read, dict):
            raise Unreadable(f"{args.run}: a run is an object with sources, steps and sink")
        data = read
    _override(data, args, here)
    if args.run is None and "sources" not in data:
        raise Unreadable("no sources are given; name a RUN file, or give --source")
    if args.run is None and args.out is None:
        raise Unreadable("no folder to write into is given; name a RUN file, or give -o")
    try:
        return CorpusPlan.read(data, lambda name: open_policy(_policy_at(base, name))), base
    except Refused as refusal:
        where = "" if args.run is None else f"{args.run}: "
        raise Unreadable(f"{where}{refusal}") from None


def _override(data: dict[str, Any], args: Namespace, here: Path) -> None:
    """Put what flags say in place of what the file says; names of flags are seen from here."""
    is_alone = args.run is None or args.run == "-"
    if args.source:
        data["sources"] = [one if is_alone else str(here / one) for one in args.source]
    if args.format is not None:
        data["from"] = args.format
    if hasattr(args, "steps"):
        data["steps"] = [_step(name, values, here) for name, values in args.steps]
    sink = {
        "folder": args.out if args.out is None or is_alone else str(here / args.out),
        "to": args.to,
        "shard": args.shard,
        "as": args.packing,
    }
    given = {key: value for key, value in sink.items() if value is not None}
    if given:
        known = data.get("sink", {})
        data["sink"] = {**known, **given} if isinstance(known, dict) else known


def _step(name: str, values: Any, here: Path) -> dict[str, Any]:
    """Return a step that a flag asks for as a plan says it."""
    match name:
        case "lint" | "clean":
            return {"lint": {"profile": values, "keep": "clean" if name == "clean" else "all"}}
        case "messages" | "tokens":
            return {"length": {name: _bounds(name, values)}}
        case "policy":
            return {"policy": _policy_at(here, values)}
        case "what":
            return {"replace": {"what": values}}
        case "replace":
            return {"replace": {"pattern": values[0], "text": values[1]}}
        case "dedupe":
            return {"dedupe": values if values == "exact" else {"near": _share(values)}}
        case "squash":
            return {"squash": True}
    return {"simulate": [_policy_at(here, one) for one in values]}


def _policy_at(here: Path, name: str) -> str:
    """Return the place of a policy's file, or the name of a preset."""
    return name if name.startswith(PRESET) else str(here / name)


def _bounds(name: str, text: str) -> Sequence[int | None]:
    bounds = [count_in(one) for one in text.split(":")]
    is_legal = all(not one or count_in(one) is not None for one in text.split(":"))
    if text.count(":") == 1 and is_legal:
        return bounds
    raise Unreadable(f"--{name} {format_value(text)} is not LEAST:MOST, such as 2:200, 2: or :200")


def _share(text: str) -> float:
    try:
        return read_decimal(text, "--dedupe")
    except Refused:
        raise Unreadable(
            f"--dedupe {format_value(text)} is neither exact nor a share from 0.5 to 1, such as 0.9"
        ) from None


# How far a corpus run is, in one line: in fewer words where the terminal is narrow.

SHORT_BAR = 8
MOST_SHOWN = 5
PHASES = {
    "work": "working",
    "alike": "finding duplicates",
    "settle": "adding up",
    "write": "writing",
}


def show_progress(progress: RunProgress) -> None:
    """Show how far a run is at the bottom of the terminal."""
    show_status(progress_line(progress, status_width()))


def progress_line(progress: RunProgress, width: int) -> str:
    """Return how far a run is, in the longest way of saying it that fits."""
    *longer, shortest = _ways(progress)
    return next((line for line in longer if len(line) <= width), shortest)


def _ways(progress: RunProgress) -> Iterator[str]:
    """Yield what is to be said, shorter and shorter: words go before figures do."""
    share = progress.done / max(1, progress.of)
    phase, done = PHASES[progress.phase], f"{percent(share, 1):>5}"
    if progress.phase != "work":
        yield f"{phase} {bar(share)} {done}"
        yield f"{phase} {done}"
        return
    count, rate = f"{progress.records:,}", f"{progress.rate:,.0f}" if progress.rate else ""
    left = "" if progress.seconds_left is None else _time(progress.seconds_left)
    long = [plural(progress.records, "conversation"), rate and f"{rate} a second"]
    short = [f"{count} done", rate and f"{rate}/s"]
    for cells, parts in ((BAR_CELLS, long), (BAR_CELLS, short), (SHORT_BAR, short)):
        words = ", ".join(filter(None, [*parts, left and f"{left} left"]))
        yield f"{phase} {bar(share, cells)} {done}  {words}"
    yield f"{done.strip()}  {', '.join(filter(None, [count, left and f'{left} left']))}"
    yield done.strip()


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def run(args: Namespace) -> int:
    """Carry out a plan, or what is left of it; 1 means that nothing could be read at all."""
    for name, value in (("--workers", args.workers), ("--chunk", args.chunk)):
        if value is not None and value < 1:
            raise Unreadable(f"{name} {value} is below 1; it must be 1 or more")
    plan, base = read_plan(args)
    with closing(_engine(args)) as engine:
        try:
            ran = run_plan(
                plan,
                engine,
                base=base,
                chunk=args.chunk * MIB,
                is_forced=args.force,
                on_progress=show_progress if is_terminal(sys.stderr) else lambda _: None,
            )
        except KeyboardInterrupt:
            show_status("")
            print_error("stopped; the same command continues where it was")
            raise
        finally:
            show_status("")
    page = write_page(ran)
    if args.json:
        done = {"wasDone": ran.was_done, "resumedShards": ran.resumed}
        print_json({"folder": str(ran.out), **done, "report": ran.report})
    else:
        _print(ran, page)
    return int(ran.report["unreadable"] == ran.report["records"])


def _engine(args: Namespace) -> Engine:
    if args.engine == "local":
        if args.scheduler is not None:
            raise Unreadable("--scheduler needs --engine dask")
        return LocalEngine(args.workers)
    if args.scheduler is not None and args.workers is not None:
        raise Unreadable("--workers starts workers here; it can't be used with --scheduler")
    return DaskEngine(args.workers, args.scheduler)


def _print(ran: RunResult, page: Path) -> None:
    report = ran.report
    if ran.was_done:
        print_line("this run was done before; nothing was done again")
    elif ran.resumed:
        print_line(f"continued a run of which {plural(ran.resumed, 'shard')} were done")
    files = plural(report["files"], "file")
    print_line(f"read      {plural(report['records'], 'record')} of {files}")
    if report["unreadable"]:
        print_line(f"bad       {report['unreadable']:,} can't be read")
    for step in report["steps"]:
        print_line(f"dropped   {step['dropped']:,} by: {step['words']}")
    before, after = report["before"], report["after"]
    print_line(
        f"kept      {plural(report['kept'], 'conversation')}, {report['changed']:,} of them changed"
    )
    print_line(f"tokens    {before['tokens']:,} → {after['tokens']:,}")
    print_line(f"clean     {_clean(before)} → {_clean(after)} by {report['profile']}")
    for step in report["steps"]:
        for one in step.get("runs", ()):
            sent = f"{one['tokensSent']:,} tokens sent"
            print_line(f"simulated {one['name']}: {one['broken']:,} broken calls, {sent}")
    here = Path.cwd().resolve()
    print_line(f"report    {page.relative_to(here) if page.is_relative_to(here) else page}")
    for one in report["bad"][:MOST_SHOWN]:
        place = "" if one["place"] is None else f":{one['place']}"
        print_error(f"{one['source']}{place}: {one['reason']}")
    if (more := report["unreadable"] - MOST_SHOWN) > 0:
        print_error(f"and {more:,} more; the manifest has all")
    for sentence, about in report["remarks"].items():
        files = ", ".join(about["sources"][:MOST_SHOWN])
        more = about["files"] - len(about["sources"][:MOST_SHOWN])
        print_error(f"{files}{f' and {more:,} more' if more else ''}: {sentence}")
    for sentence, count in islice(report["adapted"].items(), MOST_SHOWN):
        print_error(f"{sentence}, in {plural(count, 'conversation')}")
    if (more := len(report["adapted"]) - MOST_SHOWN) > 0:
        print_error(f"and {more:,} more; the report has them")


def _clean(size: dict[str, Any]) -> str:
    count = size["conversations"]
    return percent(size["clean"], count) if count else "none"
