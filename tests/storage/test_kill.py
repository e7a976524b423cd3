"""Real processes, killed at random moments: every confirmed change is there afterwards."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random

import pytest

from core.storage import Library
from tests.storage.processes import Worker, worker
from tests.storage.samples import small
from tests.storage.worker import Trail

ROUNDS, KILLS = 5, 24

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def kill_after(editor: Worker, seed: int, random: Random) -> tuple[int, str]:
    """Let a child edit, kill it in the middle, and return what it confirmed last."""
    editor.ask(str(seed))
    length, told = 0, Trail().follow([])
    steps = random.choice((0, 1, 2, 3, 5, 8, 13))
    child: int | None = None
    while True:
        match editor.answer():
            case ["child", number]:
                child = int(number)
            case ["confirmed", count, trail]:
                length, told = int(count), trail
                steps -= 1
            case ["gone"]:
                return length, told
            case other:
                raise AssertionError(f"the worker said {other}")
        if child is not None and steps <= 0:
            time.sleep(random.random() * 0.004)
            os.kill(child, signal.SIGKILL)
            child = None


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_every_confirmed_change_survives_kill_9(tmp_path: Path, round_: int) -> None:
    library = Library(tmp_path)
    with library.create(small()) as session:
        id = session.id
    random = Random(round_)
    recovered = 0
    with worker("serve", tmp_path, id) as editor:
        for kill in range(KILLS):
            length, told = kill_after(editor, kill, random)
            session = library.open(id)
            session.abandon()
            assert session.id == id, session.notes
            journal = session.conversation.journal
            assert len(journal) >= length
            assert Trail().follow(list(journal[:length])) == told
            recovered += any("recovered from the journal" in note for note in session.notes)
    assert recovered > KILLS // 4
    assert library.verify(id) == []
    assert [entry.id for entry in library.list()] == [id]
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []
