"""A process that edits a session is killed in the middle: every confirmed change is there."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from ctxtui.core import Refused
from ctxtui.core.storage import Library
from tests.storage.processes import Worker, worker
from tests.storage.samples import small
from tests.storage.worker import Trail
from tests.torture.report import Report, in_rounds

IN_A_ROUND = 25
"""Kills of one session before a new one is made; opening it takes longer as it grows."""
STEPS = (0, 1, 2, 3, 5, 8, 13)
CHECKED = 0.3
"""How often a killed session is verified as well, which folds its journal."""


def run(count: int, seed: int) -> Report:
    """Kill a writing process some times."""
    random = Random(seed)
    return in_rounds(
        Report("kills of a writing process"),
        count,
        IN_A_ROUND,
        lambda folder, many, report: _round(folder, many, random, report),
    )


def _round(folder: Path, count: int, random: Random, report: Report) -> int:
    """Kill the editors of one session one after the other; return how much they confirmed."""
    library = Library(folder)
    with library.create(small()) as session:
        id = session.id
    confirmed = 0
    with worker("serve", folder, id) as editor:
        for _ in range(count):
            report.tried += 1
            length, told = _kill_one(editor, random)
            confirmed = max(confirmed, length)
            wrong = list(_wrong(library, id, length, told))
            if random.random() < CHECKED:
                wrong += _findings(library, id)
            report.failures += [f"kill {report.tried}: {one}" for one in wrong]
            if wrong:
                break
    library.list()
    left = [path.name for path in folder.iterdir() if path.name.endswith(".part")]
    report.failures += [f"{name} was left behind" for name in left]
    return confirmed


def _kill_one(editor: Worker, random: Random) -> tuple[int, str]:
    """Let a child edit, kill it in the middle, and return what it confirmed last."""
    editor.ask(str(random.randrange(1 << 30)))
    length, told = 0, Trail().follow([])
    steps = random.choice(STEPS)
    child: int | None = None
    while True:
        match editor.answer():
            case ["child", number]:
                child = int(number)
            case ["confirmed", number, trail]:
                length, told = int(number), trail
                steps -= 1
            case ["gone"]:
                return length, told
            case other:
                raise AssertionError(f"the worker said {other}")
        if child is not None and steps <= 0:
            time.sleep(random.random() * 0.004)
            os.kill(child, signal.SIGKILL)
            child = None


def _wrong(library: Library, id: str, length: int, told: str) -> Iterator[str]:
    """Yield what is wrong with a session whose writer was killed."""
    try:
        session = library.open(id)
    except Refused as refusal:
        yield f"it can't be opened: {refusal}"
        return
    session.abandon()
    journal = session.conversation.journal
    if session.id != id:
        yield f"only a copy could be recovered: {'; '.join(session.notes)}"
    elif len(journal) < length:
        yield f"{length - len(journal)} of {length} confirmed changes are lost"
    elif Trail().follow(list(journal[:length])) != told:
        yield f"the {length} confirmed changes are not those that were made"


def _findings(library: Library, id: str) -> list[str]:
    """Return what verify finds, but for a line that was never confirmed."""
    return [
        f"verify says: {finding}"
        for finding in library.verify(id)
        if "none of that was confirmed" not in finding
    ]
