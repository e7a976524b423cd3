"""``ctxtui corpus``: a plan over any number of conversations, on this machine or on a cluster."""

from __future__ import annotations

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.streams import is_terminal, print_errors, show_status, status_width
from ctxtui.core.corpus import CorpusPlan, Engine, LocalEngine, RunProgress, RunResult, run_plan
from ctxtui.core.corpus.dask_engine import DaskEngine
from ctxtui.core.corpus.plan import PACKINGS, SHARD, line_formats
from ctxtui.core.corpus.sources import MIB
from ctxtui.core.curation.patterns import PATTERNS
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.errors import Refused, format_value
from ctxtui.core.formats import READABLE
from ctxtui.core.policies import Policy
from ctxtui.core.values.numbers import count_in, read_decimal
from ctxtui.files.opening import open_policy, read_file
from ctxtui.files.sandbox import Unreadable
from ctxtui.pages.corpus import write_page
from ctxtui.text.plurals import percent, plural

# What ``ctxtui corpus`` is args for: a file with the run, flags in place of it, or both.

ENGINES = ("local", "dask")


class _StepAction(Action):
    """Notes a step in the order in which the flags are typed."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Add the step."""
        steps = [*(getattr(namespace, "steps", None) or []), (self.dest, values)]
        namespace.steps = steps


def corpus_asked_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", metavar="RUN", nargs="?", help="a JSON file that says all of it")
    parser.add_argument(
        "--source",
        metavar="FILES",
        nargs="+",
        action="extend",
        help="files, folders or patterns such as 'data/*.jsonl.gz'",
    )
    parser.add_argument(
        "--from", dest="format", choices=READABLE, metavar="FORMAT", help="the format of the files"
    )
    _steps(parser)
    parser.add_argument("-o", "--out", metavar="FOLDER", help="the folder to write into")
    parser.add_argument("--to", choices=line_formats(), metavar="FORMAT", help="what to write")
    parser.add_argument(
        "--shard", metavar="COUNT", type=int, help=f"conversations of a file; else {SHARD:,}"
    )
    parser.add_argument("--as", dest="packing", choices=PACKINGS, help="JSON lines, or Parquet")
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0], help="where it runs")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="a dask scheduler; else dask starts workers here"
    )
    parser.add_argument("--workers", metavar="COUNT", type=int, help="else one for each core")
    parser.add_argument(
        "--chunk", metavar="MIB", type=int, default=16, help="what a worker is given at a time"
    )
    parser.add_argument(
        "--force", action="store_true", help="start over in a folder that holds another run"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def _steps(parser: ArgumentParser) -> None:
    steps = parser.add_argument_group("steps, in the order in which they are given")
    steps.add_argument(
        "--lint",
        action=_StepAction,
        metavar="PROFILE",
        choices=PROFILES,
        help="count what is broken",
    )
    steps.add_argument(
        "--clean",
        action=_StepAction,
        metavar="PROFILE",
        choices=PROFILES,
        help="keep only clean ones",
    )
    steps.add_argument(
        "--messages",
        action=_StepAction,
        metavar="LEAST:MOST",
        help="keep those with so many messages",
    )
    steps.add_argument(
        "--tokens", action=_StepAction, metavar="LEAST:MOST", help="keep those with so many tokens"
    )
    steps.add_argument(
        "--policy", action=_StepAction, metavar="FILE", help="apply a policy or recipe"
    )
    steps.add_argument(
        "--what", action=_StepAction, metavar="LIST", help=f"replace these: {', '.join(PATTERNS)}"
    )
    steps.add_argument(
        "--replace",
        action=_StepAction,
        nargs=2,
        metavar=("PATTERN", "TEXT"),
        help="replace own words",
    )
    steps.add_argument(
        "--dedupe",
        action=_StepAction,
        metavar="HOW",
        help="keep the first of those that are alike: exact, or a share such as 0.9",
    )
    steps.add_argument("--squash", action=_StepAction, nargs=0, help="keep only what is visible")
    steps.add_argument(
        "--simulate",
        action=_StepAction,
        nargs="+",
        metavar="FILE",
        help="let policies run over all",
    )


def plan_asked(args: Namespace) -> tuple[CorpusPlan, Path]:
    """Return the plan, and the folder from which its names are seen."""
    data: dict[str, Any] = {}
    here = Path.cwd()
    base = here
    if args.run is not None:
        read = read_file(args.run, keys_once=True)
        if not isinstance(read, dict):
            raise Unreadable(f"{args.run}: a run is an object with sources, steps and sink")
        data = read
        base = here if args.run == "-" else Path(args.run).resolve().parent
    _override(data, args, here)
    if args.run is None and "sources" not in data:
        raise Unreadable("no sources are given; name a RUN file, or give --source")
    if args.run is None and args.out is None:
        raise Unreadable("no folder to write into is given; name a RUN file, or give -o")

    def policy_at(name: str) -> Policy:
        return open_policy(str(base / name))

    try:
        return CorpusPlan.read(data, policy_at), base
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
    steps = getattr(args, "steps", None)
    if steps:
        data["steps"] = [_step(name, values, here) for name, values in steps]
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
            return {"policy": str(here / values)}
        case "what":
            return {"replace": {"what": values}}
        case "replace":
            return {"replace": {"pattern": values[0], "text": values[1]}}
        case "dedupe":
            return {"dedupe": values if values == "exact" else {"near": _share(values)}}
        case "squash":
            return {"squash": True}
    return {"simulate": [str(here / one) for one in values]}


def _bounds(name: str, text: str) -> Sequence[int | None]:
    given = text.split(":")
    bounds = [count_in(one) for one in given]
    empty = [not one for one in given]
    if text.count(":") == 1 and all(
        is_empty or bound is not None for is_empty, bound in zip(empty, bounds, strict=True)
    ):
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

BAR_CELLS, SHORT_BAR = 24, 8
PHASES = {
    "work": "working",
    "alike": "looking for those that are alike",
    "settle": "adding up",
    "write": "writing",
}


def tell_progress(progress: RunProgress) -> None:
    """Show how far a run is at the bottom of the terminal."""
    show_status(progress_line(progress, status_width()))


def progress_line(progress: RunProgress, width: int) -> str:
    """Return how far a run is, in the longest way of saying it that fits."""
    line = ""
    for line in _ways(progress):
        if len(line) <= width:
            break
    return line


def _ways(progress: RunProgress) -> Iterator[str]:
    """Yield what is to be said, shorter and shorter: words go before figures do."""
    share = progress.done / max(1, progress.of)
    phase, done = PHASES[progress.phase], f"{percent(share, 1):>5}"
    if progress.phase != "work":
        yield f"{phase} {_bar(share, BAR_CELLS)} {done}"
        yield f"{phase} {done}"
        return
    count, rate = f"{progress.records:,}", f"{progress.rate:,.0f}" if progress.rate else ""
    left = "" if progress.seconds_left is None else _time(progress.seconds_left)
    long = [plural(progress.records, "conversation"), rate and f"{rate} a second"]
    short = [f"{count} done", rate and f"{rate}/s"]
    for cells, told in ((BAR_CELLS, long), (BAR_CELLS, short), (SHORT_BAR, short)):
        words = ", ".join(filter(None, [*told, left and f"{left} left"]))
        yield f"{phase} {_bar(share, cells)} {done}  {words}"
    yield f"{done.strip()}  {', '.join(filter(None, [count, left and f'{left} left']))}"
    yield done.strip()


def _bar(share: float, cells: int) -> str:
    full = int(share * cells)
    return f"{'━' * full}{'─' * (cells - full)}"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


MOST_TOLD = 5


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    corpus_asked_arguments(parser)


def run(args: Namespace) -> int:
    """Carry out a plan, or what is left of it; 1 means that nothing could be read at all."""
    for name, value in (("--workers", args.workers), ("--chunk", args.chunk)):
        if value is not None and value < 1:
            raise Unreadable(f"{name} {value} is below 1; it must be 1 or more")
    plan, base = plan_asked(args)
    with closing(_engine(args)) as engine:
        try:
            ran = run_plan(
                plan,
                engine,
                base=base,
                chunk=args.chunk * MIB,
                is_forced=args.force,
                tell=tell_progress if is_terminal(sys.stderr) else _silent,
            )
        except KeyboardInterrupt:
            show_status("")
            print_errors(["stopped; the same command continues where it was"])
            raise
        finally:
            show_status("")
    page = write_page(ran)
    if args.json:
        print_json(_data(ran))
    else:
        _print(ran, page)
    return int(ran.report["unreadable"] == ran.report["records"])


def _engine(args: Namespace) -> Engine:
    if args.engine == "local":
        if args.scheduler is not None:
            raise Unreadable("--scheduler needs --engine dask")
        return LocalEngine(args.workers)
    if args.scheduler is not None and args.workers is not None:
        raise Unreadable("--workers is for workers here; those of a scheduler are what they are")
    return DaskEngine(args.workers, args.scheduler)


def _silent(_: RunProgress) -> None:
    """Show nothing."""


def _data(ran: RunResult) -> dict[str, Any]:
    return {
        "folder": str(ran.out),
        "wasDone": ran.was_done,
        "resumedShards": ran.resumed,
        "report": ran.report,
    }


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
    print_line(f"report    {_named(page)}")
    told = [
        f"{one['source']}{'' if one['place'] is None else ':' + str(one['place'])}: {one['reason']}"
        for one in report["bad"][:MOST_TOLD]
    ]
    more = report["unreadable"] - len(told)
    print_errors([*told, *([f"and {more:,} more; the manifest has all"] if more > 0 else [])])
    print_errors(_remark(one, about) for one, about in report["remarks"].items())
    adapted = [
        f"{one}, in {plural(count, 'conversation')}" for one, count in report["adapted"].items()
    ]
    more = len(adapted) - MOST_TOLD
    print_errors(
        [*adapted[:MOST_TOLD], *([f"and {more:,} more; the report has them"] if more > 0 else [])]
    )


def _remark(sentence: str, about: dict[str, Any]) -> str:
    """Return what is to be said of some files, with the first of them."""
    first = about["sources"][:MOST_TOLD]
    more = about["files"] - len(first)
    return f"{', '.join(first)}{f' and {more:,} more' if more else ''}: {sentence}"


def _named(path: Path) -> str:
    """Return a file as one would type it here."""
    here = Path.cwd().resolve()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _clean(size: dict[str, Any]) -> str:
    count = size["conversations"]
    return percent(size["clean"], count) if count else "none"
