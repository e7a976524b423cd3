"""A disk that fails at each step in turn: memory stays whole, what was confirmed stays on disk."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.core import Conversation
from ctxtui.core.storage import Library, NotSaved, Session
from ctxtui.core.storage.disk import MemoryDisk, RealDisk
from tests.storage.failing import FailingDisk
from tests.storage.samples import append, numbered, small, ticking

ID = "session00001"
FAR = 60
Act = Callable[[Session], object]


def execute(session: Session) -> None:
    session.execute(append("new"))


def execute_twice(session: Session) -> None:
    session.execute(append("new"))
    session.execute(append("newer"))


def describe(session: Session) -> None:
    session.describe(title="new")


def save(session: Session) -> None:
    session.save()


def execute_and_save(session: Session) -> None:
    session.execute(append("new"))
    session.save()


def execute_and_close(session: Session) -> None:
    session.execute(append("new"))
    session.close()


ACTS: list[Act] = [execute, execute_twice, describe, save, execute_and_save, execute_and_close]


def library_on(disk: FailingDisk, folder: Path, **options: int) -> Library:
    return Library(folder, disk=disk, clock=ticking(1000), ids=numbered(), **options)


@pytest.fixture
def disk() -> FailingDisk:
    return FailingDisk(MemoryDisk())


def stored(library: Library) -> Conversation:
    return library.open(ID, read_only=True).conversation


def starts_with(whole: Conversation, part: Conversation) -> bool:
    return whole.journal[: len(part.journal)] == list(part.journal)


def refusal_of(act: Act, session: Session) -> str | None:
    try:
        act(session)
    except NotSaved as refusal:
        return str(refusal)
    return None


def fail_at_every_step(
    disk: FailingDisk, folder: Path, act: Act, *, has_journal: bool, lasting: bool
) -> None:
    refused = 0
    for step in range(FAR):
        library = library_on(disk, folder / str(step))
        session = library.create(small())
        if has_journal:
            session.execute(append("confirmed"))
        confirmed = session.conversation.copy()
        disk.fail(step, lasting=lasting)
        sentence = refusal_of(act, session)
        if sentence is not None:
            refused += 1
            assert "the disk is full" in sentence
            assert (session.problem, session.is_saved) == (sentence, False)
            assert session.is_open
        done = len(disk.steps) <= step
        disk.recover()
        memory = session.conversation
        assert starts_with(memory, confirmed)
        # Whatever the disk holds now is at least what was confirmed, and never something else.
        on_disk = stored(library)
        assert starts_with(on_disk, confirmed)
        assert starts_with(memory, on_disk)
        if session.is_open:
            session.sync()
            assert session.is_saved
            assert stored(library) == memory
            session.save()
            session.execute(append("later"))
            session.close()
        assert stored(library) == memory
        assert library.verify(ID) == []
        left = [name for name in disk.names(library.folder) if name.endswith(".part")]
        assert lasting or not left
        if done:
            assert refused
            return
    raise AssertionError(f"more than {FAR} steps")


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("has_journal", [False, True], ids=["folded", "with journal"])
@pytest.mark.parametrize("act", ACTS)
def test_no_failing_step_loses_what_was_confirmed(
    disk: FailingDisk, act: Act, has_journal: bool, lasting: bool
) -> None:
    fail_at_every_step(disk, Path("m"), act, has_journal=has_journal, lasting=lasting)


@pytest.mark.parametrize("has_journal", [False, True], ids=["folded", "with journal"])
def test_no_failing_step_of_a_real_disk_loses_what_was_confirmed(
    tmp_path: Path, has_journal: bool
) -> None:
    disk = FailingDisk(RealDisk())
    fail_at_every_step(
        disk, tmp_path, execute_and_close, has_journal=has_journal, lasting=has_journal
    )


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "for good"])
def test_a_session_that_could_not_be_created_on_disk_can_be_saved_later(
    disk: FailingDisk, tmp_path: Path, lasting: bool
) -> None:
    for step in range(FAR):
        library = library_on(disk, tmp_path / str(step))
        disk.fail(step, lasting=lasting)
        session = library.create(small())
        done = len(disk.steps) <= step
        disk.recover()
        if not session.is_saved:
            assert session.problem is not None
            assert "the disk is full" in session.problem
        session.execute(append("more"))
        assert session.is_saved
        session.close()
        assert stored(library) == session.conversation
        if done:
            return
    raise AssertionError(f"more than {FAR} steps")


def test_a_fold_that_fails_by_itself_leaves_the_operation_confirmed(
    disk: FailingDisk, tmp_path: Path
) -> None:
    for step in range(2, FAR):
        library = library_on(disk, tmp_path / str(step), fold_at=100)
        session = library.create(small("short"))
        disk.fail(step)
        for number in range(4):
            session.conversation.execute(append(f"message {number} " * 9))
        try:
            session.sync()
        except NotSaved:
            disk.recover()
            session.sync()
        done = len(disk.steps) <= step
        disk.recover()
        assert session.is_saved
        assert stored(library) == session.conversation
        session.abandon()
        if done:
            return
    raise AssertionError(f"more than {FAR} steps")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EROFS, "the disk can only be read"),
        (errno.EACCES, "permission is denied"),
        (errno.EIO, "the disk reports an error"),
        (errno.EDQUOT, "the disk quota is used up"),
        (errno.ETXTBSY, "text file busy"),
    ],
)
def test_the_reason_is_told_in_plain_words(
    disk: FailingDisk, tmp_path: Path, error: int, sentence: str
) -> None:
    library = library_on(disk, tmp_path)
    session = library.create(small(), title="tea")
    disk.fail(0, lasting=True, error=error)
    with pytest.raises(NotSaved, match=f"'tea' could not be saved in .*: {sentence}"):
        session.execute(append("a"))


def test_a_session_can_be_opened_where_no_lock_can_be_made(
    disk: FailingDisk, tmp_path: Path
) -> None:
    library = library_on(disk, tmp_path)
    library.create(small(), title="tea").close()
    disk.fail(0, lasting=True, error=errno.EACCES)
    session = library.open(ID)
    assert session.is_saved
    with pytest.raises(NotSaved, match="permission is denied"):
        session.execute(append("a"))
    disk.recover()
    session.sync()
    assert stored(library) == session.conversation


def test_the_cache_is_not_needed(disk: FailingDisk, tmp_path: Path) -> None:
    library = library_on(disk, tmp_path)
    library.create(small(), title="tea").close()
    library.list()
    disk.fail(0, lasting=True)
    assert [entry.title for entry in library.list()] == ["tea"]


def test_a_confirmed_operation_is_one_write_and_one_wait_for_the_disk(
    disk: FailingDisk, tmp_path: Path
) -> None:
    session = library_on(disk, tmp_path).create(small())
    for text in ("the first one makes the journal file", "the second opens it"):
        session.execute(append(text))
    disk.steps.clear()
    for text in ("a", "b", "c"):
        session.conversation.execute(append(text))
    session.sync()
    assert disk.steps == ["make_folder", "lock", "lock", "write", "fsync", "rewrite"]
    disk.steps.clear()
    session.sync()
    assert disk.steps == []


def test_a_file_is_waited_for_before_it_takes_the_place_of_the_old_one(
    disk: FailingDisk, tmp_path: Path
) -> None:
    session = library_on(disk, tmp_path).create(small())
    session.execute(append("a"))
    disk.steps.clear()
    session.save()
    whole = ["make_folder", "create", "write", "fsync", "replace", "fsync_folder"]
    assert disk.steps[: 3 + len(whole)] == ["make_folder", "lock", "lock", *whole]
    assert disk.steps[3 + len(whole) :][:4] == ["lock", "unlink", "unlink", "fsync_folder"]
    disk.steps.clear()
    session.save()
    assert disk.steps == ["make_folder", "lock"]


def test_reading_changes_nothing_on_disk(disk: FailingDisk, tmp_path: Path) -> None:
    library = library_on(disk, tmp_path)
    session = library.create(small())
    session.execute(append("in the journal file"))
    session.abandon()
    disk.fail(0, lasting=True, error=errno.EROFS)
    with library.open(ID, read_only=True) as reader:
        assert reader.conversation == session.conversation
    assert disk.steps == []
