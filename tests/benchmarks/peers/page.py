"""The page: figures as tables, written between two marks of docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Sequence

from tests.benchmarks.peers.figures import Figures, Line, Point
from tests.benchmarks.peers.measuring import LIMIT
from tests.benchmarks.peers.tasks import TASKS, Task
from tests.benchmarks.table import short, size_name

BEGIN, END = "<!-- figures: begin, written by make bench-peers -->", "<!-- figures: end -->"
NOTHING = "–"
OURS, BASE = "ctxtui", "langchain-core"


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
    said = [task.meaning]
    if task.measure == "disk" and figures.sync is not None:
        said.append(f"This disk alone took {time(figures.sync)} to keep 4 KiB (fsync).")
    missing = figures.missing.get(task.key, {})
    if missing:
        told = "; ".join(f"{name} ({reason})" for name, reason in missing.items())
        said.append(f"{NOTHING} {told}.")
    head, rows = _table(task, figures.lines[task.key])
    table = [_row(head), f"|{'---|' * len(head)}", *map(_row, rows)]
    return [f"### {task.title}", "", " ".join(said), "", *table, ""]


def _table(task: Task, lines: Sequence[Line]) -> tuple[list[str], list[list[str]]]:
    """Return the head of a task's table and its rows."""
    names = [size_name(count) for count in task.sizes]
    head, rows = ["library", "by"], [[_library(line), line.call] for line in lines]
    points = [[line.points.get(count) for count in task.sizes] for line in lines]
    if task.measure == "cuts":
        head += ["parted", "empty"]
        cells = [_cuts(line) for line in lines]
    elif task.measure == "disk":
        head += ["fsync", *names, *[f"{name}: grows by" for name in names]]
        cells = [
            ["yes" if line.syncs else "no", *map(_time, some), *map(_bytes, some)]
            for line, some in zip(lines, points, strict=True)
        ]
    else:
        head += names
        cells = [[*map(_time, some)] for some in points]
        if task.paused is not None:
            head += ["×", f"{size_name(task.paused)}, off", "×"]
            base = next((line for line in lines if line.library == BASE), None)
            cells = [
                [*row, _speed(line, base, task.paused), _time(line.paused), _off_speed(line, base)]
                for line, row in zip(lines, cells, strict=True)
            ]
    return head, [row + more for row, more in zip(rows, cells, strict=True)]


def _speed(line: Line, base: Line | None, count: int) -> str:
    return _ratio(line.points.get(count), base.points.get(count) if base else None)


def _off_speed(line: Line, base: Line | None) -> str:
    return _ratio(line.paused, base.paused if base else None)


def _ratio(point: Point | None, base: Point | None) -> str:
    """Return how many times as fast something is."""
    if point is None or base is None or not point.seconds or not base.seconds:
        return NOTHING
    return f"{base.seconds / point.seconds:.1f}"


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
