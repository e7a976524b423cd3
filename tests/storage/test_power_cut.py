"""The power fails at each step in turn: what was confirmed is there, whatever the disk forgot."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from ctxtui.core.storage import Library, Session
from tests.storage.crashing import ForgetfulDisk
from tests.storage.failing import FailingDisk, PowerCut
from tests.storage.samples import EDITS, append, numbered, small, ticking

FAR = 400
ID = "session00001"


def work(session: Session, confirmed: list[int]) -> None:
    """Edit and save in many ways, noting how much of the journal is confirmed."""

    def note() -> None:
        assert session.is_saved
        confirmed.append(len(session.conversation.journal))

    for place, edit in enumerate(EDITS[:12]):
        session.conversation.execute(edit)
        match place % 4:
            case 0 | 1:
                session.sync()
            case 2:
                session.save()
            case _:
                continue
        note()
    session.describe(title="new")
    session.close()
    note()


@pytest.mark.parametrize("fold_at", [300, 1 << 20])
def test_what_was_confirmed_survives_a_power_cut_at_any_step(fold_at: int) -> None:
    for step in range(FAR):
        forgetful = ForgetfulDisk()
        disk = FailingDisk(forgetful)
        options = {"clock": ticking(), "ids": numbered(), "fold_at": fold_at}
        session = Library(Path("m"), disk=disk, **options).create(small())  # type: ignore[arg-type]
        disk.cut_power(step)
        confirmed = [1]
        try:
            work(session, confirmed)
        except PowerCut:
            pass
        else:
            assert step > 50
            return
        whole = session.conversation.journal
        for names_kept, bytes_kept in product((False, True), repeat=2):
            left = forgetful.after_power_cut(names_kept=names_kept, bytes_kept=bytes_kept)
            library = Library(Path("m"), disk=left)
            with library.open(ID) as again:
                assert again.id == ID, (step, again.notes)
                journal = list(again.conversation.journal)
                assert len(journal) >= confirmed[-1], (step, disk.steps[-8:])
                assert journal == whole[: len(journal)]
                again.execute(append("after the cut"))
            assert library.verify(ID) == []
    raise AssertionError(f"more than {FAR} steps")
