"""How fast a plan runs over corpora of several sizes: `make bench-corpus`, or other sizes.

Conversations are made up and written first, which is not measured. What is printed is a table of
`docs/scale.md`.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ctxtui.core.corpus import CorpusPlan, LocalEngine, RunCosts, run_plan
from ctxtui.core.corpus.dask_engine import DaskEngine
from ctxtui.core.policies import Policy
from tests.corpus.generated import write

FILE = 50_000
"""Conversations of a file."""
STEPS: list[dict[str, Any]] = [
    {"lint": {"profile": "openai", "keep": "clean"}},
    {
        "policy": {
            "name": "last 20",
            "do": [{"operation": "TRUNCATE", "keepLast": 20, "keepPairs": True}],
        }
    },
    {"dedupe": "exact"},
]
GIB, MIB = 1 << 30, 1 << 20


class Row(NamedTuple):
    """One run."""

    conversations: int
    size: int
    written: int
    costs: RunCosts

    def text(self) -> str:
        """Return a row of the table."""
        costs = self.costs
        rate = costs.records / costs.seconds
        cells = (
            f"{self.conversations:,}",
            f"{self.size / GIB:.2f}",
            costs.engine,
            str(costs.workers),
            f"{costs.seconds:,.0f} s",
            f"{rate:,.0f}",
            f"{rate / costs.workers:,.0f}",
            f"{costs.all_seconds:,.0f} s",
            f"{costs.peak_memory / MIB:,.0f} MiB",
            f"{self.written / GIB:.2f}",
        )
        return f"| {' | '.join(cells)} |"


COLUMNS = (
    "conversations",
    "GiB read",
    "engine",
    "workers",
    "steps took",
    "a second",
    "a second and worker",
    "all in all",
    "most memory of a worker",
    "GiB written",
)
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"


def corpus(folder: Path, count: int) -> Path:
    """Write a corpus of so many conversations, unless it is there."""
    data = folder / f"data-{count}"
    done = data / "done"
    if not done.exists():
        data.mkdir(parents=True, exist_ok=True)
        for number, first in enumerate(range(0, count, FILE)):
            write(data / f"{number:03}.jsonl", min(FILE, count - first), first=first)
        done.touch()
    return data


def measured(folder: Path, count: int, engine: str, workers: int) -> Row:
    """Run the plan over a corpus."""
    data, out = corpus(folder, count), folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    plan = CorpusPlan.read(
        {"sources": [str(data)], "steps": STEPS, "sink": {"folder": str(out), "to": "openai"}},
        Policy.from_dict,  # No step names a file.
    )
    with closing(DaskEngine(workers) if engine == "dask" else LocalEngine(workers)) as used:
        ran = run_plan(plan, used)
    written = sum(path.stat().st_size for path in out.glob("part-*"))
    assert ran.report["records"] == count
    row = Row(count, ran.report["bytes"], written, ran.costs)
    shutil.rmtree(out)
    return row


def main() -> None:
    """Measure what is asked for, and print the table row by row."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.corpus", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--engine", nargs="+", default=["local"], choices=["local", "dask"])
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--folder", type=Path, help="where files go; else a temporary folder")
    asked = parser.parse_args()
    cores = os.cpu_count()
    print(f"Python {platform.python_version()} on {platform.machine()}, {cores} cores\n\n{HEAD}")
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="ctxtui-corpus-"))
    try:
        for count in asked.sizes:
            for engine in asked.engine:
                for workers in asked.workers:
                    print(measured(folder, count, engine, workers).text(), flush=True)
    finally:
        if asked.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
