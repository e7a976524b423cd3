"""Following a session that a program of its own writes, folds, and is killed at."""

from __future__ import annotations

import os
import signal
from random import Random

import pytest

from ctxtui.core.storage import Follower, Library
from tests.storage.processes import worker
from tests.storage.samples import small
from tests.storage.test_calls import same

ID = "session00001"


def test_what_another_process_adds_is_seen_when_it_is_confirmed(on_disk: Library) -> None:
    on_disk.create(small(), title="tea").close()
    with worker("hold", on_disk.folder, ID) as other:
        other.answer()
        follower = Follower(on_disk.open(ID, read_only=True))
        for number in range(60):  # So many that the journal is folded meanwhile.
            other.ask(f"line {number} {'x' * 100}")
            assert other.answer() == ["confirmed"]
            assert follower.look() == 1
            assert follower.session.conversation.log[-1].text.startswith(f"line {number} ")
        assert follower.is_written
        other.process.kill()
        other.process.wait()
        assert (follower.look(), follower.is_written, follower.problem) == (0, False, None)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_writer_that_is_killed_at_work_is_followed_to_its_end(
    on_disk: Library, seed: int
) -> None:
    on_disk.create(small(), title="tea").close()
    random = Random(seed)
    with worker("serve", on_disk.folder, ID) as other:
        other.ask(str(seed))
        words = other.answer()
        child = int(words[1]) if words[0] == "child" else 0
        follower = None
        for _ in range(random.randint(30, 80)):
            words = other.answer()
            if words[0] == "child":
                child = int(words[1])
            elif follower is None:
                follower = Follower(on_disk.open(ID, read_only=True))
            elif random.random() < 0.7:
                follower.look()
                assert follower.problem is None
        os.kill(child, signal.SIGKILL)
        while other.answer() != ["gone"]:
            pass
    assert follower is not None
    follower.look()
    assert follower.problem is None
    with on_disk.open(ID) as after:
        follower.look()  # The next writer has folded what the killed one left.
        assert follower.problem is None
        assert same(follower.session.conversation, after.conversation)
        after.execute({"operation": "BATCH_START"})
        assert follower.look() == 1
        assert same(follower.session.conversation, after.conversation)
