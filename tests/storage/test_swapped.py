"""Files that are removed, swapped or written by others while a session is open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ctxtui.core.storage import Library, Locked, NotSaved, Stale
from ctxtui.core.storage.disk import FileLock, LockFileLock, MemoryDisk, RealDisk, lock_of
from ctxtui.core.storage.journal_file import line_text, read_journal
from tests.storage.processes import worker
from tests.storage.samples import append, small

ID = "session00001"


def texts(library: Library) -> list[str]:
    return [message.text for message in library.open(ID, read_only=True).conversation.log]


def remove_locks(library: Library) -> None:
    for path in library.folder.iterdir():
        if path.suffix in (".lock", ".holder"):
            path.unlink()


def swap(path: Path) -> None:
    """Put an equal file in the place of another, as some editors and copying programs do."""
    twin = path.with_name("twin")
    shutil.copy(path, twin)
    twin.replace(path)


def test_removing_lock_files_lets_nobody_else_in(on_disk: Library) -> None:
    on_disk.create(small(), title="tea").close()
    with worker("hold", on_disk.folder, ID) as other:
        other.answer()
        for round_ in range(5):
            remove_locks(on_disk)
            with pytest.raises(Locked):
                on_disk.open(ID)
            other.ask(f"round {round_}")
            assert other.answer() == ["confirmed"]
    assert texts(on_disk)[3:] == [f"round {round_}" for round_ in range(5)]


def test_a_fold_lets_nobody_in_between(on_disk: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    session = on_disk.create(small(), title="tea")
    tried = []

    def replaced(self: RealDisk, old: Path, new: Path) -> None:
        old.replace(new)
        if new.suffix == ".json" and new.stem == ID:
            with pytest.raises(Locked):
                Library(on_disk.folder).open(ID)
            tried.append(new)

    monkeypatch.setattr(RealDisk, "replace", replaced)
    session.execute(append("a"))
    session.save()
    assert tried
    with pytest.raises(Locked):
        on_disk.open(ID)
    session.close()
    on_disk.open(ID).close()


def test_who_waits_for_a_file_that_is_folded_meanwhile_gets_the_new_one(on_disk: Library) -> None:
    with on_disk.create(small()) as session:
        session.execute(append("a"))
    lock = lock_of(on_disk.folder / f"{ID}.json")
    assert lock.acquire()
    swap(on_disk.folder / f"{ID}.json")
    other = lock_of(on_disk.folder / f"{ID}.json")
    assert other.acquire()
    assert not lock.acquire()
    other.release()
    assert lock.acquire()
    lock.release()


def test_two_who_were_let_in_by_a_swapped_file_lose_nothing(on_disk: Library) -> None:
    first = on_disk.create(small(), title="tea")
    first.execute(append("a"))
    swap(on_disk.folder / f"{ID}.json")
    second = Library(on_disk.folder).open(ID)
    with pytest.raises(Locked):
        second.execute(append("of the second"))
    with pytest.raises(Locked):
        first.execute(append("of the first"))
    second.abandon()
    first.sync()
    assert texts(on_disk) == ["one", "two", "three", "a", "of the first"]
    first.close()


def foreign_line(journal: Path) -> bytes:
    """Return a line that follows a journal file, as a program that knows no locks might add."""
    chain = read_journal(journal.read_bytes()).chains[-1]
    return line_text(chain, {"details": {}})[0]


@pytest.mark.parametrize("write", ["sync", "save", "close"])
@pytest.mark.parametrize("has_journal", [False, True])
def test_lines_of_others_are_never_written_over(
    on_disk: Library, write: str, has_journal: bool
) -> None:
    session = on_disk.create(small())
    session.execute(append("a"))
    journal = on_disk.folder / f"{ID}.journal"
    if not has_journal:
        kept = journal.read_bytes()
        session.save()
        journal.write_bytes(kept)
    theirs = journal.read_bytes() + foreign_line(journal)
    journal.write_bytes(theirs)
    session.conversation.execute(append("b"))
    with pytest.raises(Stale, match=r"session00001\.journal was changed by another program"):
        getattr(session, write)()
    assert journal.read_bytes() == theirs
    assert not session.is_saved
    session.abandon()


@pytest.mark.parametrize("how", ["moved", "longer"])
def test_what_went_into_a_file_that_was_swapped_meanwhile_is_not_confirmed(
    on_disk: Library, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    session = on_disk.create(small())
    session.execute(append("a"))
    journal = on_disk.folder / f"{ID}.journal"

    def disturbed(self: RealDisk, path: Path) -> object:
        handle = extend(self, path)
        if how == "moved":
            swap(path)
        else:
            with path.open("ab") as file:
                file.write(b"x")
        return handle

    extend = RealDisk.extend
    with monkeypatch.context() as patched:
        patched.setattr(RealDisk, "extend", disturbed)
        with pytest.raises(NotSaved, match="replaced by another program"):
            session.execute(append("b"))
    assert not session.is_saved
    if how == "moved":
        session.sync()
        assert texts(on_disk)[-1] == "b"
    else:
        with pytest.raises(Stale):
            session.sync()
        assert journal.read_bytes().count(b"\n") == 3
    session.abandon()


@pytest.mark.parametrize("kind", ["file", "lock file", "memory"])
def test_every_kind_of_lock_keeps_others_out(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "held"
    path.write_bytes(b"x")
    memory = MemoryDisk()

    def new() -> FileLock:
        made = {"file": lock_of, "lock file": LockFileLock, "memory": memory.lock}[kind]
        return made(path)

    one, two = new(), new()
    assert not one.is_held_elsewhere()
    assert one.acquire()
    assert one.acquire()
    assert not two.acquire()
    assert two.is_held_elsewhere()
    assert not one.is_held_elsewhere()
    following = RealDisk().create(tmp_path / "next")
    one.carry(following)
    following.close()
    (tmp_path / "next").replace(path)
    assert not two.acquire()
    one.carried()
    assert not two.acquire()
    one.release()
    assert not two.is_held_elsewhere()
    assert two.acquire()
    two.release()
