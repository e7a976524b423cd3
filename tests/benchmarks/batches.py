"""Ten thousand kept batches: what each costs in time and in memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import partial
from statistics import median

from ctxtui.core import Conversation
from ctxtui.core.engine.views import View
from tests.benchmarks.clock import seconds
from tests.benchmarks.logs import messages_of, replaces, settled
from tests.benchmarks.memory import bytes_held
from tests.benchmarks.processes import apart
from tests.benchmarks.rivals import IndexArrays
from tests.benchmarks.table import Report, Target, micro, show, times

SIZE, BATCHES = 100_000, 10_000
BLOCKS, ROUNDS = 10, 3
COPIES = 300
"""Kept copies of each rival; ten thousand would take gigabytes, and each costs the same."""

Contestant = tuple[Callable[[range], None], int]
"""Makes and keeps some REPLACE after REPLACE, and how many of them in a block."""


def report(out: Report) -> None:
    """Measure, print the table and note the targets."""
    engine, arrays = _best_blocks(engines)
    splice, copy = _best_blocks(views)
    (lists,) = _best_blocks(lists_of_ints)
    ours, theirs = apart(bytes_of_batch), apart(bytes_of_copy)
    through, alone = median(arrays) / median(engine), median(copy) / median(splice)
    show(
        f"REPLACE at {SIZE:,} messages, all {BATCHES:,} batches kept",
        [f"µs each, median of {BLOCKS} blocks on the way, each the best of {ROUNDS} runs"],
        ["", "engine", "first tenth", "last tenth", "copying", "times faster"],
        [
            _row("through execute, beside index arrays", engine, arrays),
            _row("View.splice, beside copying an array", splice, copy),
            _row("View.splice, beside copying a list", splice, lists),
            ["bytes of a batch", f"{ours:,.0f}", "", "", f"{theirs:,.0f}", times(theirs / ours)],
        ],
    )
    out.judge(Target("REPLACE, all kept, beside index arrays", through, "×", 4, at_most=False))
    out.judge(Target("View.splice beside copying an array", alone, "×", 8, at_most=False))
    out.judge(Target("memory of a kept batch, all included", ours / 1024, " KB", 6))


def _row(name: str, engine: list[float], copying: list[float]) -> list[str]:
    figures = (median(engine), engine[0], engine[-1], median(copying))
    return [name, *map(micro, figures), times(median(copying) / median(engine))]


def _best_blocks(contestants: Callable[[], list[Contestant]]) -> list[list[float]]:
    """Return for each contestant the best time of one step, block by block."""
    rounds = [apart(time_blocks, contestants) for _ in range(ROUNDS)]
    return [
        [min(block) for block in zip(*contestant, strict=True)]
        for contestant in zip(*rounds, strict=True)
    ]


def time_blocks(contestants: Callable[[], list[Contestant]]) -> list[list[float]]:
    """Return for each contestant the time of one step, block by block; they take turns."""
    running = contestants()
    found: list[list[float]] = [[] for _ in running]
    with settled():
        for block in range(BLOCKS):
            for times_of, (run, count) in zip(found, running, strict=True):
                steps = range(block * count, (block + 1) * count)
                times_of.append(seconds(partial(run, steps)) / count)
    return found


def engines() -> list[Contestant]:
    """Return the engine and its rival, with everything they do for an operation."""
    messages, operations = messages_of(SIZE), replaces(BATCHES, SIZE)
    conversation, rival = Conversation(messages), IndexArrays(messages)

    def execute(steps: range) -> None:
        for i in steps:
            conversation.execute(operations[i])

    def execute_rival(steps: range) -> None:
        for i in steps:
            rival.execute(operations[i])

    return [(execute, BATCHES // BLOCKS), (execute_rival, COPIES // BLOCKS)]


def views() -> list[Contestant]:
    """Return the view alone, and the copying of an array alone."""
    places = [operation.index or 0 for operation in replaces(BATCHES, SIZE)]
    kept = [View.of_runs([(0, SIZE)])]
    arrays = [array("I", range(SIZE))]

    def splice(steps: range) -> None:
        for i in steps:
            kept.append(kept[-1].splice(places[i], places[i] + 1, ((SIZE + i, 1),)))

    def copy_array(steps: range) -> None:
        for i in steps:
            new = arrays[-1][:]
            new[places[i]] = SIZE + i
            arrays.append(new)

    return [(splice, BATCHES // BLOCKS), (copy_array, COPIES // BLOCKS)]


def lists_of_ints() -> list[Contestant]:
    """Return the copying of a plain list, apart from the others: the collector walks each list."""
    places = [operation.index or 0 for operation in replaces(COPIES, SIZE)]
    lists = [list(range(SIZE))]

    def copy_list(steps: range) -> None:
        for i in steps:
            new = lists[-1][:]
            new[places[i]] = SIZE + i
            lists.append(new)

    return [(copy_list, COPIES // BLOCKS)]


def bytes_of_batch() -> float:
    """Return what a kept batch takes: view, revision, journal, operation and message."""
    conversation = Conversation(messages_of(SIZE))

    def grow() -> None:
        for operation in replaces(BATCHES, SIZE):
            conversation.execute(operation)

    return bytes_held(grow) / BATCHES


def bytes_of_copy() -> float:
    """Return the same for the engine that copies index arrays."""
    rival = IndexArrays(messages_of(SIZE))

    def grow() -> None:
        for operation in replaces(COPIES, SIZE):
            rival.execute(operation)

    return bytes_held(grow) / COPIES
