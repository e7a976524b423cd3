"""Curation: what a list, a filter, a search and a verdict cost in a small and a large library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.query import read_query
from ctxtui.core.curation.verdicts import disagreements
from ctxtui.core.storage import STATUSES
from tests.benchmarks.clock import seconds
from tests.benchmarks.logs import settled
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, micro, show, times
from tests.core.curation.many import many

FEW, MANY = 100, 10_000
ROUNDS = 7
GROWTH = 3 * MANY / FEW
"""What looks at every session may cost in the large library: three times as much for each."""
NAMES = {
    "listing": GROWTH,
    "filtering": GROWTH,
    "searching": GROWTH,
    "a verdict": 1.5,
}

AT_ONCE = 1_000
SYNCED_BYTES = 2_000
MOST_TIMES = 5
"""How many times as long as writing as many small files many sessions may take together."""


def measured(count: int) -> dict[str, float]:
    """Return the best time of each in a library of so many sessions, all of which are known."""
    with TemporaryDirectory() as folder:
        library = many(Path(folder), count)
        with Catalog(library) as catalog:
            catalog.learn()
            rows, where = catalog.rows(), read_query("talk status:new -lint:error")
            turn = iter(range(1_000_000))

            def judge() -> None:
                with library.open(f"s{count // 2:011}") as session:
                    session.describe(status=STATUSES[next(turn) % len(STATUSES)])

            runs: dict[str, Callable[[], object]] = {
                "listing": catalog.rows,
                "filtering": lambda: [row for row in rows if where.matches(row)],
                "searching": lambda: catalog.search(f"number {count // 2:07}"),
                "a verdict": judge,
            }
            with settled():
                for run in runs.values():
                    run()
                return {
                    name: min(seconds(run) for _ in range(ROUNDS)) for name, run in runs.items()
                }


def measured_at_once(count: int) -> dict[str, float]:
    """Return the seconds by the clock that many sessions take, and as many small files."""
    with TemporaryDirectory() as folder:
        library = many(Path(folder) / "library", count)
        ids = [entry.id for entry in library.list()]

        def write() -> None:
            for id in ids:
                with (Path(folder) / id).open("wb") as file:
                    file.write(bytes(SYNCED_BYTES))
                    file.flush()
                    os.fsync(file.fileno())

        def describe(**details: object) -> None:
            for id in ids:
                with library.open(id) as session:
                    session.describe(**details)

        def judge() -> None:
            describe(status="accepted")
            disagreements(library, set(ids))

        runs: dict[str, Callable[[], object]] = {
            "files": write,
            "tags": lambda: describe(tags=["kept"]),
            "verdicts": judge,
            "undoing them": lambda: describe(status="new"),
        }
        return {name: _clocked(run) for name, run in runs.items()}


def _clocked(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


def _rows_at_once(out: Report) -> Iterable[list[str]]:
    found = apart(measured_at_once, AT_ONCE)
    base = found.pop("files")
    for name, taken in found.items():
        said = f"{name}: {AT_ONCE:,} sessions against {AT_ONCE:,} files with an fsync each"
        judged = out.judge(Target(said, taken / base, "×", MOST_TIMES))
        yield [said, micro(base), micro(taken), times(taken / base), f"≤ {MOST_TIMES}×", judged]


def report(out: Report) -> None:
    """Measure, print the tables and note the targets."""
    show(
        "Curation: µs by the clock, waiting for the disk included",
        ["each session is opened, changed and closed, and safe on disk then"],
        ["", "base", "measured", "ratio", "target", ""],
        list(_rows_at_once(out)),
    )
    small, large = apart(measured, FEW), apart(measured, MANY)
    rows = []
    for name, bound in NAMES.items():
        said, ratio = f"{name}: {MANY:,} sessions against {FEW}", large[name] / small[name]
        judged = out.judge(Target(said, ratio, "×", bound))
        figures = [micro(small[name]), micro(large[name]), times(ratio), f"≤ {bound:g}×", judged]
        rows.append([said, *figures])
    show(
        "Curation: µs of the processor; waiting for the disk is not counted",
        ["all sessions are known to the catalog; a verdict opens, changes and closes one session"],
        ["", "base", "measured", "ratio", "target", ""],
        rows,
    )
