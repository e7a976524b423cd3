"""Every operation through ``Conversation.execute``, at each size, beside the rivals."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from ctxtui.core import Append, Undo
from tests.benchmarks.cases import CASES, Case
from tests.benchmarks.clock import MOST, ROUNDS, Asks, best_of_each, seconds
from tests.benchmarks.logs import EDITS, SEED, Logs, fresh_message, settled
from tests.benchmarks.processes import apart
from tests.benchmarks.rivals import IndexArrays, Snapshots
from tests.benchmarks.table import Report, Target, micro, show, size_name, times

GROWTH, APPEND_MICRO = 2.0, 30.0
PASSES = 3
CHECKED = 1000
"""The size of the log on which engine and rivals are compared; what they show, not how fast."""


class Pair(NamedTuple):
    """Seconds that one operation takes in the engine and in a rival."""

    engine: float
    rival: float

    def or_better(self, other: Pair) -> Pair:
        """Return the best of two measurements of the same."""
        return Pair(min(self.engine, other.engine), min(self.rival, other.rival))


Figures = dict[str, Pair]
AnyRival = IndexArrays | Snapshots


def measure(size: int, rival: type[AnyRival]) -> Figures:
    """Return the figures of all operations on one log, beside one rival."""
    logs = Logs(size, rival)
    with settled():
        return {case.name: _measure(logs, case) for case in CASES}


def _measure(logs: Logs[AnyRival], case: Case) -> Pair:
    def make(count: int) -> Asks:
        random = Random(SEED)
        return [case.make(logs.conversation, random) for _ in range(count)]

    engine, rival = best_of_each([logs.conversation, logs.rival], case, make)
    return Pair(engine, rival)


def _measure_all(sizes: list[int]) -> dict[int, Figures]:
    """Return the figures at each size, the best of several passes up and down the sizes.

    A machine that is busy for a while then spoils one pass, not the figures of one size.
    """
    found: dict[int, Figures] = {}
    for turn in range(PASSES):
        for size in sizes if turn % 2 == 0 else reversed(sizes):
            now = apart(measure, size, IndexArrays)
            before = found.get(size, now)
            found[size] = {name: pair.or_better(before[name]) for name, pair in now.items()}
    return found


def disagreements(size: int, rival: type[AnyRival]) -> list[str]:
    """Return the operations after which a rival shows other messages than the engine."""
    logs = Logs(size, rival)
    engines = (logs.conversation, logs.rival)
    random = Random(SEED)
    wrong = []
    for case in CASES:
        operations = case.make(logs.conversation, random)
        for operation in operations:
            for engine in engines:
                engine.execute(operation)
            if logs.rival.visible() != [one.to_dict() for one in logs.conversation.visible]:
                wrong.append(f"{operation.title} in {rival.__name__}")
        if not isinstance(operations[-1], Undo):
            for engine in engines:
                engine.execute(Undo())
    return wrong


def append_with_building(size: int) -> float:
    """Return the time of an APPEND whose operation is built around a ready message each time."""
    conversation = Logs(size, IndexArrays).conversation
    message = fresh_message(0)

    def append() -> None:
        for _ in range(MOST):
            conversation.execute(Append(messages=(message,)))

    with settled():
        return min(seconds(append) / MOST for _ in range(ROUNDS))


def report(sizes: list[int], out: Report) -> None:
    """Measure, print the two tables and note the targets."""
    small, large = sizes[0], sizes[-1]
    wrong = [*disagreements(CHECKED, IndexArrays), *disagreements(CHECKED, Snapshots)]
    arrays = _measure_all(sizes)
    copies = apart(measure, small, Snapshots)
    names = [size_name(size) for size in sizes]
    span = f"{names[0]}→{names[-1]}"
    rows, ratios = [], []
    for case in CASES:
        engine = [arrays[size][case.name].engine for size in sizes]
        said = ["", ""]
        if case.positional:
            target = Target(f"growth {span} of {case.name}", engine[-1] / engine[0], "×", GROWTH)
            said = [f"≤ {GROWTH:g}×", out.judge(target)]
        rows.append([case.name, *map(micro, engine), times(engine[-1] / engine[0]), *said])
        pairs = [*(arrays[size][case.name] for size in sizes), copies[case.name]]
        ratios.append([case.name, *(times(pair.rival / pair.engine) for pair in pairs)])
    show(
        "Operations through execute: µs each, and growth with the log",
        [f"ready operation objects, random places, after the same {EDITS} edits at each size"],
        ["operation", *names, span, "target", ""],
        rows,
    )
    show(
        "How many times faster than simpler engines (below 1: slower)",
        [
            "index arrays: an array('I') of the visible indices, copied for each kept revision",
            "deep copies: the visible messages as dicts, deep-copied for each; slow, so 10k only",
            f"the same messages visible in all of them: {', '.join(wrong) or 'yes'}",
        ],
        ["operation", *(f"arrays {name}" for name in names), f"deep copies {names[0]}"],
        ratios,
    )
    _report_append(max(arrays[size]["APPEND"].engine for size in sizes), large, out)


def _report_append(slowest: float, size: int, out: Report) -> None:
    target = Target("APPEND of a ready message, slowest size", slowest * 1e6, " µs", APPEND_MICRO)
    said = out.judge(target)
    building = apart(append_with_building, size)
    show(
        "APPEND of one ready message: µs",
        [],
        ["", "slowest size", "target", ""],
        [
            ["operation ready", micro(slowest), f"≤ {APPEND_MICRO:g}", said],
            ["operation built each time", micro(building), "", ""],
        ],
    )
