"""One library in a process of its own: answers questions, one line of JSON for each.

``python -m tests.benchmarks.peers.worker NAME`` where NAME is a module of ``libraries``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks.peers.measuring import Timed, TooLongError, cuts, on_disk
from tests.benchmarks.peers.peer import AnyWay, CutWay, DiskWay, Peer
from tests.benchmarks.peers.rows import rows_of
from tests.benchmarks.peers.tasks import BY_KEY


class Worker:
    """Holds what was prepared last, so that it is not built anew for every run."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._loop = asyncio.new_event_loop()
        self._key: tuple[str, int, int] | None = None
        self._ready: Timed | None = None

    def described(self) -> dict[str, Any]:
        """Return the library's version, and for each task what it calls or why it has nothing."""
        told = {
            task: ways if isinstance(ways, str) else [_described(way) for way in ways]
            for task, ways in self._peer.ways.items()
        }
        return {"package": self._peer.package, "version": version(self._peer.package), "ways": told}

    def answered(self, task: str, way: int, size: int, near: str, paused: bool) -> dict[str, Any]:
        """Return the figures of one run."""
        ways = self._peer.ways[task]
        assert not isinstance(ways, str)
        found = ways[way]
        try:
            if isinstance(found, CutWay):
                return {"left": cuts(found, self._loop)}
            if isinstance(found, DiskWay):
                rows = rows_of(BY_KEY[task].kind, size)
                spent, grown = on_disk(found, rows, self._loop, Path(near))
                return {"seconds": spent, "bytes": grown}
            if self._ready is None or self._key != (task, way, size):
                self._ready = None
                rows = rows_of(BY_KEY[task].kind, size)
                self._ready = Timed(found.prepare(rows), self._loop)
                self._key = task, way, size
            spent, kept = self._ready.once(paused)
        except TooLongError:
            self._ready = None
            return {"over": True}
        return {"seconds": spent, "kept": kept}


def _described(way: AnyWay) -> dict[str, Any]:
    syncs = {"syncs": way.syncs} if isinstance(way, DiskWay) else {}
    return {"call": way.call, **syncs}


def main(argv: Sequence[str]) -> None:
    """Answer until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # Whatever a library prints goes where errors go.
    module = import_module(f"tests.benchmarks.peers.libraries.{argv[0]}")
    worker = Worker(module.PEER)
    for line in sys.stdin:
        asked = json.loads(line)
        answer = worker.answered(**asked) if asked else worker.described()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
