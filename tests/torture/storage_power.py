"""The power fails at some step: what was confirmed is there, whatever else the disk forgot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

from ctxtui.core import Refused
from ctxtui.core.storage import Library, Session
from ctxtui.core.storage.disk import MemoryDisk
from tests.storage.crashing import ForgetfulDisk
from tests.storage.failing import FailingDisk, PowerCut
from tests.storage.samples import append, numbered, small, ticking
from tests.storage.worker import some_edit
from tests.torture.report import Report

ID = "session00001"
FOLDS = (300, 2_000, 1 << 20)
EDITS, LATEST_STEP = 25, 260


def run(count: int, seed: int) -> Report:
    """Cut the power some times."""
    report = Report("power cuts")
    random = Random(seed)
    confirmed = 0
    for _ in range(count):
        report.tried += 1
        work = Work(random)
        confirmed += work.confirmed
        left = work.forgetful.after_random_power_cut(random)
        report.failures += [
            f"power cut {report.tried}, at step {len(work.disk.steps)}: {one}"
            for one in _wrong(left, work)
        ]
    report.detail = f"{confirmed:,} changes confirmed"
    return report


class Work:
    """Edits of a session that ended with the power, and how many of them were confirmed."""

    def __init__(self, random: Random) -> None:
        self.forgetful = ForgetfulDisk()
        self.disk = FailingDisk(self.forgetful)
        self._random = random
        library = Library(
            Path("m"),
            disk=self.disk,
            clock=ticking(),
            ids=numbered(),
            fold_at=random.choice(FOLDS),
        )
        session = library.create(small())
        self.conversation = session.conversation
        self.confirmed = 1
        self.disk.cut_power(random.randrange(LATEST_STEP))
        with suppress(PowerCut):
            self._edit(session)

    def _edit(self, session: Session) -> None:
        for _ in range(EDITS):
            try:
                session.conversation.execute(some_edit(session.conversation, self._random))
            except Refused:
                continue
            match self._random.randrange(6):
                case 0:
                    continue
                case 1:
                    session.save()
                case 2:
                    session.describe(note=f"note {self._random.random()}")
                case _:
                    session.sync()
            self.confirmed = len(session.conversation.journal)
        session.close()
        self.confirmed = len(session.conversation.journal)


def _wrong(left: MemoryDisk, work: Work) -> Iterator[str]:
    """Yield what is wrong with what the power cut left."""
    library = Library(Path("m"), disk=left, clock=ticking(10_000))
    for finding in library.verify(ID):
        if "missing" in finding or "more of its lines" in finding:
            yield f"verify says: {finding}"
    try:
        session = library.open(ID)
    except Refused as refusal:
        yield f"it can't be opened: {refusal}"
        return
    journal = list(session.conversation.journal)
    if session.id != ID:
        yield f"only a copy could be recovered: {'; '.join(session.notes)}"
    elif len(journal) < work.confirmed:
        yield f"{work.confirmed - len(journal)} of {work.confirmed} confirmed changes are lost"
    elif journal != work.conversation.journal[: len(journal)]:
        yield "the changes are not those that were made"
    session.execute(append("after the cut"))
    session.close()
    for finding in library.verify(session.id):
        yield f"after another change, verify says: {finding}"
