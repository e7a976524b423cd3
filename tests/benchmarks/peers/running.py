"""A whole run: every task, every size, all libraries in turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.peers import machine
from tests.benchmarks.peers.asking import Asked
from tests.benchmarks.peers.figures import Cuts, Figures, Line, Point
from tests.benchmarks.peers.judge import is_broken, lint_objects
from tests.benchmarks.peers.tasks import Task

ROUNDS, ON_DISK = 5, 3
"""On disk a round has many changes, of which the median counts already."""
ENOUGH = 3.0
"""Seconds after which a way has no further rounds at a size."""
LONG = 3.0
"""A way that took so long is not asked at the next size, which is ten times as large."""
Tell = Callable[[str], object]


@dataclass
class Turn:
    """A way that takes its turns at one size."""

    asked: Asked
    place: int
    line: Line
    times: list[float] = field(default_factory=list)
    bytes: int | None = None
    over: bool = False

    @property
    def is_through(self) -> bool:
        """Tell whether it needs no further round."""
        rounds = ROUNDS if self.bytes is None else ON_DISK
        return self.over or len(self.times) >= rounds or sum(self.times) > ENOUGH

    def take(self, task: Task, size: int, near: Path, paused: bool) -> None:
        """Run once."""
        asking = {"task": task.key, "way": self.place, "size": size}
        answer = self.asked.ask(**asking, near=str(near), paused=paused)
        if "over" in answer:
            self.over = True
            return
        if "kept" in answer and not task.is_done(size, answer["kept"]):
            what = f"{self.asked.package}, {self.line.call}, {task.key} of {size}"
            raise RuntimeError(f"{what}: {answer['kept']} messages came out")
        self.times.append(answer["seconds"])
        self.bytes = answer.get("bytes")

    def point(self) -> Point:
        """Return the median of all rounds."""
        if not self.times:
            return Point(None)
        return Point(median(self.times), len(self.times), self.bytes)


def run(asked: Sequence[Asked], tasks: Sequence[Task], near: Path, tell: Tell) -> Figures:
    """Return the figures of all tasks."""
    versions = {one.package: one.version for one in asked}
    found = Figures(versions, machine.described(), sync=machine.sync_time(near))
    for task in tasks:
        tell(task.title)
        lines = list(_ways(asked, task, found))
        found.lines[task.key] = [turn.line for turn in lines]
        if task.measure == "cuts":
            _judge(lines, task)
        for size in task.sizes:
            some = [turn for turn in lines if _is_worth(turn.line)]
            for turn in _measured(some, task, size, near):
                turn.line.points[size] = turn.point()
        if task.paused is not None:
            for turn in _measured(lines, task, task.paused, near, paused=True):
                turn.line.paused = turn.point()
    return found


def _judge(turns: Sequence[Turn], task: Task) -> None:
    for turn in turns:
        asking = {"task": task.key, "way": turn.place, "size": 0, "near": "", "paused": False}
        turn.line.cuts = judged(turn.asked.ask(**asking)["left"])


def judged(left: Sequence[Sequence[Any]]) -> Cuts:
    """Return what both judges say of every cut."""
    return Cuts(
        broken=sum(map(is_broken, left)),
        lint=sum(map(lint_objects, left)),
        empty=sum(not rows for rows in left),
        of=len(left),
    )


def _ways(asked: Sequence[Asked], task: Task, found: Figures) -> Iterator[Turn]:
    missing = found.missing.setdefault(task.key, {})
    for one in asked:
        ways = (one.ways or {})[task.key]
        if isinstance(ways, str):
            missing[one.package] = ways
            continue
        for place, way in enumerate(ways):
            yield Turn(one, place, Line(one.package, way["call"], way.get("syncs")))


def _is_worth(line: Line) -> bool:
    """Tell whether a larger size can be waited for."""
    return all(one.seconds is not None and one.seconds < LONG for one in line.points.values())


def _measured(
    ways: Sequence[Turn], task: Task, size: int, near: Path, *, paused: bool = False
) -> Sequence[Turn]:
    """Return all ways after their turns, which they take so that a busy machine harms all alike."""
    turns = [Turn(way.asked, way.place, way.line) for way in ways]
    while any(not turn.is_through for turn in turns):
        for turn in turns:
            if not turn.is_through:
                turn.take(task, size, near, paused)
    return turns
