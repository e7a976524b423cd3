"""Timing: short runs, repeated in turns, of which the quickest counts.

Processor time is taken, so that other programs on the machine only disturb through its caches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import Protocol

from ctxtui.core import Undo
from ctxtui.core.engine.operation import Operation
from tests.benchmarks.cases import Case

ROUNDS, FEW_ROUNDS = 9, 4
MOST, LEAST = 25, 5
SHARE = 0.004
LONG, VERY_LONG = 0.001, 0.1

Asks = Sequence[tuple[Operation, ...]]


class Engine(Protocol):
    """What the conversation and its rivals have in common."""

    def execute(self, operation: Operation, /) -> object:
        """Apply an operation."""
        ...

    def preview(self, operation: Operation, /) -> object:
        """Work an operation out."""
        ...


def seconds(run: Callable[[], object]) -> float:
    """Return how long a call takes."""
    start = process_time()
    run()
    return process_time() - start


def quickest(run: Callable[[int], object], places: Sequence[int], rounds: int = ROUNDS) -> float:
    """Return the best time of one call, over several rounds through some places."""

    def once() -> None:
        for place in places:
            run(place)

    run(places[0])
    return min(seconds(once) for _ in range(rounds)) / len(places)


def best_of_each(engines: Sequence[Engine], case: Case, make: Callable[[int], Asks]) -> list[float]:
    """Return the best time of each engine; they take turns, and slow ones do less in each.

    ``make`` gives operations at the same places whenever it is asked: the best of several rounds
    is then the least disturbed one, not the one with the luckiest places.
    """
    warm_up = [seconds_each(engine, case, make(1)) for engine in engines]
    counts = [_count(each) for each in warm_up]
    rounds = [FEW_ROUNDS if each > LONG else ROUNDS for each in warm_up]
    best = [float("inf")] * len(engines)
    for turn in range(max(rounds)):
        asks = make(max(counts))
        for i, engine in enumerate(engines):
            if turn < rounds[i]:
                best[i] = min(best[i], seconds_each(engine, case, asks[: counts[i]]))
    return best


def _count(each: float) -> int:
    """Return how many runs of a given length a round should have."""
    if each > VERY_LONG:
        return 1
    return max(LEAST, min(MOST, int(SHARE / max(each, 1e-6))))


def seconds_each(engine: Engine, case: Case, asks: Asks) -> float:
    """Return the time of one run of a case, and leave the engine where it was."""
    run, undo = engine.preview if case.preview else engine.execute, Undo()

    def apply(some: Asks) -> None:
        for operations in some:
            for operation in operations:
                run(operation)

    def take_back(count: int) -> None:
        for _ in range(count):
            engine.execute(undo)

    if case.in_a_row:
        spent = seconds(lambda: apply(asks))
        take_back(case.undo * len(asks))
        return spent / len(asks)
    spent = 0.0
    for ask in asks:
        start = process_time()
        for operation in ask:
            run(operation)
        spent += process_time() - start
        take_back(case.undo)
    return spent / len(asks)
