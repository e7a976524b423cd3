"""The worst case of a view: every other message hidden, so that every run is one message."""

from __future__ import annotations

from array import array
from random import Random

from ctxtui.core.engine.views import View
from tests.benchmarks.clock import quickest
from tests.benchmarks.logs import SEED, settled
from tests.benchmarks.memory import bytes_held
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, micro, show, size_name, times

BYTES = 2.5
ROUNDS, COPIES, SPLICES = 7, 5, 25


def report(sizes: list[int], out: Report) -> None:
    """Measure, print the table and note the targets."""
    rows = []
    for size in sizes:
        ours, theirs = apart(bytes_of_both, size)
        splice, copy = apart(time_both, size)
        name = size_name(size)
        target = Target(f"bytes of the worst view at {name}", ours / theirs, "×", BYTES)
        rows.append(
            [
                *(name, f"{ours:,}", f"{theirs:,}", times(ours / theirs)),
                *(f"≤ {BYTES:g}×", out.judge(target)),
                *(micro(splice), micro(copy), times(copy / splice)),
            ]
        )
    show(
        "Worst case: every other message hidden (lazy caches aside)",
        ["splice: one message replaced by another, µs; beside it, copying the array for that"],
        ["log", "bytes", "array", "ratio", "target", "", "splice", "array copy", "times faster"],
        rows,
    )


def bytes_of_both(size: int) -> tuple[int, int]:
    """Return the bytes of the view and of the plain array of the same indices."""
    ours = bytes_held(lambda: View.of(range(0, size, 2)))
    theirs = bytes_held(lambda: array("I", range(0, size, 2))[:])
    return ours, theirs


def time_both(size: int) -> tuple[float, float]:
    """Return the time of a splice, and of copying and changing the array; results are kept."""
    view, plain = View.of(range(0, size, 2)), array("I", range(0, size, 2))
    random = Random(SEED)
    kept: list[object] = []

    def splice(place: int) -> None:
        kept.append(view.splice(place, place + 1, ((size, 1),)))

    def copy(place: int) -> None:
        new = plain[:]
        new[place] = size
        kept.append(new)

    best = [float("inf"), float("inf")]
    with settled():
        for _ in range(ROUNDS):
            places = [int(random.random() * len(view)) for _ in range(SPLICES)]
            best[0] = min(best[0], quickest(splice, places, rounds=1))
            best[1] = min(best[1], quickest(copy, places[:COPIES], rounds=1))
    return best[0], best[1]
