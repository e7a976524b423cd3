"""Runs the tortures and prints what each found; the exit code is 1 if anything failed."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from time import perf_counter

from tests.torture import COUNTS
from tests.torture.report import Report


def torture(name: str, count: int, seed: int) -> Report:
    """Run one torture, and note how long it took."""
    began = perf_counter()
    report: Report = import_module(f"tests.torture.{name}").run(count, seed)
    report.seconds = perf_counter() - began
    return report


def main() -> int:
    """Run all tortures, or those that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--count", type=int, help="how often each is done, if not as usual")
    parser.add_argument("--seed", type=int, default=0, help="where its dice begin")
    parser.add_argument("--only", action="append", choices=list(COUNTS), help="run just this one")
    asked = parser.parse_args()
    failed = 0
    for name in asked.only or COUNTS:
        report = torture(name, asked.count or COUNTS[name], asked.seed)
        failed += len(report.failures)
        print(report, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
