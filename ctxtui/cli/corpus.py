"""``ctxtui corpus``: a plan over any number of conversations, on this machine or on a cluster."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from pathlib import Path
from typing import Any

from ctxtui.cli import corpus_asked
from ctxtui.cli.corpus_asked import plan_asked
from ctxtui.cli.corpus_progress import tell_progress
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.streams import is_terminal, show_passing
from ctxtui.core.corpus import Engine, LocalEngine, Progress, Ran, run_plan
from ctxtui.core.corpus.dask_engine import DaskEngine
from ctxtui.core.corpus.sources import MIB
from ctxtui.files.fences import Unreadable
from ctxtui.pages.corpus import write_page
from ctxtui.words import percent, plural

MOST_TOLD = 5


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    corpus_asked.arguments(parser)


def run(asked: Namespace) -> int:
    """Carry out a plan, or what is left of it; 1 means that nothing could be read at all."""
    for name, value in (("--workers", asked.workers), ("--chunk", asked.chunk)):
        if value is not None and value < 1:
            raise Unreadable(f"{name} {value} is below 1; it must be 1 or more")
    plan, base = plan_asked(asked)
    with closing(_engine(asked)) as engine:
        try:
            ran = run_plan(
                plan,
                engine,
                base=base,
                chunk=asked.chunk * MIB,
                is_forced=asked.force,
                tell=tell_progress if is_terminal(sys.stderr) else _silent,
            )
        except KeyboardInterrupt:
            show_passing("")
            print_problems(["stopped; what is done is kept, and the same command goes on"])
            raise
        finally:
            show_passing("")
    page = write_page(ran)
    if asked.json:
        print_json(_data(ran))
    else:
        _print(ran, page)
    return int(ran.report["unreadable"] == ran.report["records"])


def _engine(asked: Namespace) -> Engine:
    if asked.engine == "local":
        if asked.scheduler is not None:
            raise Unreadable("--scheduler goes with --engine dask")
        return LocalEngine(asked.workers)
    if asked.scheduler is not None and asked.workers is not None:
        raise Unreadable("--workers is for workers here; those of a scheduler are what they are")
    return DaskEngine(asked.workers, asked.scheduler)


def _silent(_: Progress) -> None:
    """Tell nobody."""


def _data(ran: Ran) -> dict[str, Any]:
    return {
        "folder": str(ran.out),
        "wasDone": ran.was_done,
        "resumedShards": ran.resumed,
        "report": ran.report,
    }


def _print(ran: Ran, page: Path) -> None:
    report = ran.report
    if ran.was_done:
        print_line("this run was done before; nothing was done again")
    elif ran.resumed:
        print_line(f"went on with a run of which {plural(ran.resumed, 'shard')} were done")
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
    print_problems([*told, *([f"and {more:,} more; the manifest has all"] if more > 0 else [])])
    print_problems(_remark(one, about) for one, about in report["remarks"].items())
    adapted = [
        f"{one}, in {plural(count, 'conversation')}" for one, count in report["adapted"].items()
    ]
    more = len(adapted) - MOST_TOLD
    print_problems(
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
