"""Other processes that use a library, as a test sees them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Worker:
    """A running worker: lines go in, lines come out."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self) -> list[str]:
        assert self.process.stdout is not None
        return self.process.stdout.readline().split()


@contextmanager
def worker(doing: str, folder: Path, id: str) -> Iterator[Worker]:
    """Start a worker, and end it afterwards."""
    command = [sys.executable, "-m", "tests.storage.worker", doing, str(folder), id]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Worker(process)
        finally:
            process.kill()
