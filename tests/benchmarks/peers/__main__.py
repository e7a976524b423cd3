"""Runs every library on the same rows and writes docs/benchmarks.md; nothing passes or fails."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.benchmarks.peers.asking import ROOT, workers
from tests.benchmarks.peers.libraries import NAMES
from tests.benchmarks.peers.page import with_figures, written
from tests.benchmarks.peers.running import run
from tests.benchmarks.peers.tasks import BY_KEY, TASKS

PAGE = ROOT / "docs" / "benchmarks.md"


def main() -> None:
    """Measure, and write or print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.peers", description=__doc__)
    parser.add_argument("--only", choices=sorted(BY_KEY), help="one task, printed and not written")
    parser.add_argument("--library", choices=NAMES, nargs="*", help="some libraries, not written")
    asked = parser.parse_args()
    tasks = [BY_KEY[asked.only]] if asked.only else TASKS
    began = perf_counter()
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    # Beside the project, since a folder for temporary files is often no disk at all.
    with TemporaryDirectory(dir=build) as near, workers(asked.library or NAMES) as ready:
        figures = run(ready, tasks, Path(near), _tell(began))
    if asked.only or asked.library:
        print(written(figures))
    else:
        text = with_figures(PAGE.read_text(encoding="utf-8"), figures)
        PAGE.write_text(text, encoding="utf-8")
        print(f"{PAGE.relative_to(ROOT)} is written; this run took {perf_counter() - began:.0f} s.")


def _tell(began: float) -> Callable[[str], None]:
    def tell(title: str) -> None:
        print(f"{perf_counter() - began:4.0f} s  {title}", flush=True)

    return tell


if __name__ == "__main__":
    main()
