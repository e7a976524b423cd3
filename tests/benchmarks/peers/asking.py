"""Asking the workers: a process for each library, of which only one works at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


@dataclass
class Asked:
    """A worker's process, and what it said of its library."""

    process: subprocess.Popen[str]
    package: str = ""
    version: str = ""
    ways: dict[str, Any] | None = None

    def ask(self, **question: Any) -> dict[str, Any]:
        """Return the answer to a question; it waits until there is one."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.package or 'a library'} stopped at {question}")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def workers(names: Sequence[str]) -> Iterator[list[Asked]]:
    """Start a worker for each library, and let all of them end afterwards."""
    with ExitStack() as stack:
        started = [Asked(stack.enter_context(_process(name))) for name in names]
        for one in started:
            told = one.ask()
            one.package, one.version, one.ways = told["package"], told["version"], told["ways"]
        try:
            yield started
        finally:
            for one in started:
                assert one.process.stdin is not None
                one.process.stdin.close()


def _process(name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "tests.benchmarks.peers.worker", name],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
