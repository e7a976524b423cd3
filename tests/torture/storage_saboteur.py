"""Lock files are removed under three programs that write the same session: nothing is lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from threading import Thread

from ctxtui.core.storage import Library
from tests.storage.processes import Worker, worker
from tests.storage.samples import small
from tests.torture.report import Report, in_rounds

WRITERS = 3
IN_A_ROUND = 100
"""Removals under one session before a new one is made; opening it takes longer as it grows."""
LOCKS = (".lock", ".holder")


def run(count: int, seed: int) -> Report:
    """Remove a lock file some times."""
    random = Random(seed)
    return in_rounds(
        Report("removals of lock files under three writers"),
        count,
        IN_A_ROUND,
        lambda folder, many, report: _round(folder, many, random, report),
    )


class Listener(Thread):
    """Notes what a writer says, until it is gone."""

    def __init__(self, writer: Worker) -> None:
        super().__init__(daemon=True)
        self._writer = writer
        self.confirmed: list[str] = []
        self.odd: list[str] = []

    def run(self) -> None:
        while words := self._writer.answer():
            match words:
                case ["confirmed", *texts]:
                    self.confirmed += texts
                case _:
                    self.odd.append(" ".join(words))


def _round(folder: Path, count: int, random: Random, report: Report) -> int:
    """Remove lock files while programs take turns; return how many changes they confirmed."""
    library = Library(folder)
    with library.create(small()) as session:
        id = session.id
    with ExitStack() as stack:
        writers = [stack.enter_context(worker("share", folder, id)) for _ in range(WRITERS)]
        listeners = [Listener(writer) for writer in writers]
        for listener in listeners:
            listener.start()
        for _ in range(count):
            _remove_one(folder, listeners, random)
            report.tried += 1
        for writer in writers:
            writer.process.kill()
        for listener in listeners:
            listener.join()  # Before its pipe is closed: all that was said is read.
    said = [text for listener in listeners for text in listener.confirmed]
    report.failures += [f"a writer said: {odd}" for one in listeners for odd in one.odd]
    report.failures += _wrong(library, id, said)
    return len(said)


def _remove_one(folder: Path, listeners: list[Listener], random: Random) -> None:
    """Wait until there is a lock file, and remove it."""
    while all(listener.is_alive() for listener in listeners):
        found = [path for path in folder.iterdir() if path.suffix in LOCKS]
        if found:
            random.choice(found).unlink(missing_ok=True)
            time.sleep(random.random() * 0.01)
            return
        time.sleep(0)
    raise AssertionError("a writer is gone")


def _wrong(library: Library, id: str, said: list[str]) -> Iterator[str]:
    """Yield what is wrong with the session that all have written."""
    for finding in library.verify(id):
        if "none of that was confirmed" not in finding:
            yield f"verify says: {finding}"
    with library.open(id) as session:
        there = Counter(message.text for message in session.conversation.log)
    if session.id != id:
        yield f"only a copy could be recovered: {'; '.join(session.notes)}"
    for text in said:
        if there[text] != 1:
            yield f"the confirmed change {text} is there {there[text]} times"
