"""Measures engine, lists and library and prints what was found; the exit code is always 0."""

from __future__ import annotations

import argparse
import platform
from time import perf_counter

from tests.benchmarks import (
    batches,
    capture,
    commands,
    curation,
    forms,
    frames,
    linting,
    lists,
    operations,
    pairs,
    parsing,
    policies,
    questions,
    starting,
    storage,
    views,
)
from tests.benchmarks.table import Report, show

SIZES = (10_000, 100_000, 1_000_000)
METHOD = """\
Processor time, best of several rounds in turns, random places from a fixed seed. After a log is
built gc.collect() and gc.freeze() are called, so that the collector, which stays on, passes over
what existed before; for the engine and its rivals alike. Each section has a process of its own:
copies that are kept then need new memory, as they would anywhere."""


def main() -> None:
    """Run all sections, then print the targets together."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only 10k and 100k messages")
    sizes = list(SIZES[:2] if parser.parse_args().quick else SIZES)
    began = perf_counter()
    print(f"ctxtui engine, Python {platform.python_version()} on {platform.machine()}\n{METHOD}")
    out = Report()
    operations.report(sizes, out)
    questions.report(sizes[0], sizes[-1], out)
    batches.report(out)
    views.report(sizes, out)
    pairs.report(out)
    linting.report(out)
    parsing.report(out)
    policies.report(out)
    storage.report(out)
    curation.report(out)
    capture.report(out)
    commands.report(out)
    lists.report(out)
    forms.report(out)
    starting.report(out)
    frames.report(out)
    met = sum(target.met for target in out.targets)
    show(
        f"Targets: {met} of {len(out.targets)} met",
        ["what these figures mean depends on the machine; nothing fails because of them"],
        ["figure", "measured", "target", ""],
        [target.row() for target in out.targets],
    )
    print(f"\n  This run took {perf_counter() - began:.0f} s.")


if __name__ == "__main__":
    main()
