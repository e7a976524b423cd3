"""One thread works on a conversation while another makes it safe."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from ctxtui.core import Refused
from ctxtui.core.storage import Library, Session, StorageError
from ctxtui.core.storage.disk import FileVersion, MemoryDisk
from tests.storage.conftest import Make
from tests.storage.samples import append, small, ticking
from tests.storage.worker import some_edit

EDITS = 400


def test_syncing_and_saving_beside_the_work_leaves_no_gap(make: Make) -> None:
    library = make(fold_at=5_000)
    session = library.create(small())
    working = threading.Event()
    working.set()

    def keep_safe(seed: int) -> int:
        random, rounds = Random(seed), 0
        while working.is_set():
            (session.save if random.random() < 0.1 else session.sync)()
            rounds += 1
        return rounds

    random = Random(7)
    with ThreadPoolExecutor(2) as pool:
        helpers = [pool.submit(keep_safe, seed) for seed in (1, 2)]
        for _ in range(EDITS):
            try:
                session.conversation.execute(some_edit(session.conversation, random))
            except Refused:
                continue
        working.clear()
        assert all(helper.result() for helper in helpers)
    session.sync()
    assert session.is_saved
    session.abandon()
    with library.open(session.id) as again:
        assert again.conversation == session.conversation
    assert library.verify(session.id) == []


def test_a_copy_taken_in_another_thread_is_never_half_a_change() -> None:
    conversation = small()
    random = Random(3)
    working = threading.Event()
    working.set()

    def copy() -> list[list[str]]:
        found = []
        while working.is_set():
            twin = conversation.copy()
            found.append(twin.check())
            assert len(twin.revisions) >= twin.current.id
        return found

    with ThreadPoolExecutor(1) as pool:
        copies = pool.submit(copy)
        for _ in range(EDITS):
            try:
                conversation.execute(some_edit(conversation, random))
            except Refused:
                continue
        working.clear()
        assert not any(copies.result())


def test_changes_from_several_threads_come_one_after_the_other(make: Make) -> None:
    session = make().create(small())

    def change(name: int) -> None:
        for number in range(50):
            session.change(append(f"{name}: {number}"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(change, range(4)))
    assert len(session.conversation.log) == 3 + 4 * 50
    assert session.conversation.check() == []
    session.close()
    assert session.is_saved


class ChangingDisk(MemoryDisk):
    """A disk on which a session is changed whenever the version of its journal is asked."""

    session: Session | None = None

    def version(self, path: Path) -> FileVersion | None:
        if self.session is not None and path.suffix == ".journal":
            self.session.conversation.execute(append("meanwhile"))
        return super().version(path)


def test_what_is_said_of_a_session_is_of_what_was_written_not_of_what_was_done_since() -> None:
    disk = ChangingDisk()
    library = Library("library", disk=disk, clock=ticking(1000))
    session = library.create(small())
    session.execute(append("first"))
    disk.session = session
    session.execute(append("second"))
    disk.session = None
    assert not session.is_saved
    listed = library.list()[0]
    written = Library("library", disk=disk).open(session.id, read_only=True).conversation
    assert (listed.messages, listed.tokens) == (len(written.log), written.tokens.total)
    assert listed.messages < len(session.conversation.log)


@pytest.mark.parametrize("write", [Session.sync, Session.save, Session.describe])
def test_a_session_that_is_closed_while_another_thread_waits_to_write_is_not_opened_again(
    write: Callable[[Session], None], make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = make()
    session = library.create(small())
    session.change(append("more"))

    class ClosesFirst:
        """The lock of a session, which another thread had, and closed it."""

        def __enter__(self) -> None:
            monkeypatch.undo()
            session.close()
            session.conversation.execute(append("too late"))

        def __exit__(self, *_: object) -> None:
            """Let others in."""

    monkeypatch.setattr(session, "_writing", ClosesFirst())
    with pytest.raises(StorageError, match="is closed; open it again"):
        write(session)
    with library.open(session.id) as again:
        assert again.id == session.id
        assert len(again.conversation.log) == len(session.conversation.log) - 1
