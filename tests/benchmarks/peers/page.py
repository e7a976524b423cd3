"""The page: figures as tables, written between two marks of docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence

from tests.benchmarks.peers.figures import Figures, Line, Point
from tests.benchmarks.peers.measuring import LIMIT
from tests.benchmarks.peers.tasks import TASKS, Task
from tests.benchmarks.table import short, size_name

BEGIN, END = "<!-- figures: begin, written by make bench-peers -->", "<!-- figures: end -->"
NOTHING = "–"
OURS, MESSAGES_OF = "ctxtui", "langchain-core"


def with_figures(page: str, figures: Figures) -> str:
    """Return a page whose marked part holds new figures; all around it stays."""
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        raise ValueError(f"the page needs one line {BEGIN} and below it one line {END}")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{written(figures)}\n{END}{after}"


def written(figures: Figures) -> str:
    """Return all figures as Markdown."""
    versions = ", ".join(f"{name} {version}" for name, version in figures.versions.items())
    lines = [f"{', '.join(figures.machine)}; {versions}.", ""]
    for task in TASKS:
        if task.key in figures.lines:
            lines += _section(task, figures)
    return "\n".join(lines)


def time(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= factor:
            return f"{short(seconds / factor)} {unit}"
    return f"{short(seconds * 1e6)} µs"


def size(count: int) -> str:
    """Return a number of bytes in the unit that suits it."""
    for unit, factor in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= factor:
            return f"{short(count / factor)} {unit}"
    return f"{count} B"


def _section(task: Task, figures: Figures) -> list[str]:
    lines = figures.lines[task.key]
    head, rows = _table(task, lines)
    out = [f"### {task.title}", "", task.meaning, ""]
    if task.measure == "disk" and figures.sync is not None:
        out[2] += f" This disk alone takes {time(figures.sync)} to keep 4 KiB (fsync)."
    out += [_row(head), _row(["---"] * len(head)), *map(_row, rows), ""]
    missing = figures.missing.get(task.key, {})
    if missing:
        told = "; ".join(f"{name}: {reason}" for name, reason in missing.items())
        out += [f"{NOTHING} {told}.", ""]
    return out


def _table(task: Task, lines: Sequence[Line]) -> tuple[list[str], list[list[str]]]:
    names = [size_name(count) for count in task.sizes]
    match task.measure:
        case "cuts":
            head = ["library", "by", "parted", "empty"]
            return head, [[_library(line), line.call, *_cuts(line)] for line in lines]
        case "disk":
            head = ["library", "by", "fsync", *names, *[f"{name} grows by" for name in names]]
            rows = [
                [
                    _library(line),
                    line.call,
                    "yes" if line.syncs else "no",
                    *[_time(line.points.get(count)) for count in task.sizes],
                    *[_bytes(line.points.get(count)) for count in task.sizes],
                ]
                for line in lines
            ]
            return head, rows
    ratio = _ratios(task, lines)
    head = ["library", "by", *names, *([f"speed at {names[-1]}"] if ratio else [])]
    rows = []
    for line in lines:
        times = [_time(line.points.get(count)) for count in task.sizes]
        rows.append([_library(line), line.call, *times, *([ratio[line.call]] if ratio else [])])
    return head, rows


def _ratios(task: Task, lines: Sequence[Line]) -> dict[str, str]:
    """Return for tasks of building how fast each way is, with langchain-core as 1."""
    if "build" not in task.key and not task.paused:
        return {}
    last = task.sizes[-1]
    base = next((one.points.get(last) for one in lines if one.library == MESSAGES_OF), None)
    if base is None or base.seconds is None:
        return {}
    found = {}
    for line in lines:
        point = line.points.get(last)
        known = point is not None and point.seconds
        found[line.call] = f"{base.seconds / known:.1f}×" if known else NOTHING
    return found


def _library(line: Line) -> str:
    return f"**{line.library}**" if line.library == OURS else line.library


def _cuts(line: Line) -> list[str]:
    cuts = line.cuts
    if cuts is None:
        return [NOTHING, NOTHING]
    broken = str(cuts.broken)
    if cuts.lint != cuts.broken:
        broken += f" (lint: {cuts.lint})"
    return [f"{broken} of {cuts.of}", str(cuts.empty)]


def _time(point: Point | None) -> str:
    """Return a time; one that was given up, or not begun since a tenth of it took long, is told."""
    if point is None:
        return "not tried"
    return f"over {LIMIT} s" if point.seconds is None else time(point.seconds)


def _bytes(point: Point | None) -> str:
    return NOTHING if point is None or point.bytes is None else size(point.bytes)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
