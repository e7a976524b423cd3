"""What happens rarely: files that change while they are read, odd notes, half-done moves."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from ctxtui.core.storage import Library, Locked, NotFound, StorageError
from ctxtui.core.storage.disk import MemoryDisk, RealDisk
from ctxtui.core.storage.folder import sweep
from tests.storage.failing import FailingDisk
from tests.storage.samples import append, numbered, small, ticking

ID = "session00001"


class BusyDisk(MemoryDisk):
    """A disk on which a holder folds its journal just while somebody reads the session."""

    def __init__(self) -> None:
        super().__init__()
        self.folds = 0
        self.library: Library | None = None
        self.broken = False

    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        data = super().read(path, start, size)
        if self.broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        library, self.library = self.library, None
        if library is not None and self.folds and path.name == f"{ID}.json":
            self.folds -= 1
            with library.open(ID) as session:
                session.execute(append("meanwhile"))
        self.library = library
        return data


def library_on(disk: MemoryDisk | RealDisk | FailingDisk, folder: str | Path = "m") -> Library:
    return Library(folder, disk=disk, clock=ticking(1000), ids=numbered())


def test_a_session_that_is_folded_while_it_is_read_is_read_again() -> None:
    disk = BusyDisk()
    library = library_on(disk)
    library.create(small()).close()
    disk.library, disk.folds = library, 1
    assert library.open(ID, read_only=True).conversation.log[-1].text == "meanwhile"
    disk.folds = 9
    with pytest.raises(NotFound, match="is being rewritten; try again"):
        library.open(ID, read_only=True)


def test_a_file_that_the_disk_will_not_give_is_told_in_one_sentence() -> None:
    disk = BusyDisk()
    library = library_on(disk)
    library.create(small()).close()
    disk.broken = True
    with pytest.raises(StorageError, match="can't be read: the disk reports an error"):
        library.open(ID)
    assert library.verify(ID) != []
    disk.broken = False
    library.open(ID).close()


def test_a_holder_that_left_no_note_is_another_program(on_disk: Library) -> None:
    session = on_disk.create(small())
    (on_disk.folder / f"{ID}.holder").write_text("{")
    with pytest.raises(Locked, match="is open in another program"):
        on_disk.open(ID)
    session.close()


def test_a_leftover_journal_that_cannot_be_folded_is_safe_where_it_is() -> None:
    disk = FailingDisk(MemoryDisk())
    library = library_on(disk)
    session = library.create(small())
    session.execute(append("a"))
    session.abandon()
    disk.fail(2, lasting=True)
    assert library.verify(ID) == []
    disk.recover()
    assert library.open(ID, read_only=True).conversation == session.conversation


def test_a_session_that_is_there_again_is_not_restored_over() -> None:
    disk = MemoryDisk()
    library = library_on(disk)
    library.create(small("old")).close()
    old = disk.read(library.folder / f"{ID}.json")
    library.delete(ID)
    disk.create(library.folder / f"{ID}.json").write(old)
    with pytest.raises(StorageError, match="already exists"):
        library.restore(ID)
    library.purge(ID)
    assert [entry.id for entry in library.list()] == [ID]


def test_trash_that_cannot_be_emptied_or_filled_says_so() -> None:
    disk = FailingDisk(MemoryDisk())
    library = library_on(disk)
    library.create(small()).close()
    disk.fail(0, lasting=True, error=errno.EACCES)
    with pytest.raises(StorageError, match=f"session {ID} can't be moved: permission is denied"):
        library.delete(ID)
    disk.recover()
    library.delete(ID)
    disk.fail(0, lasting=True, error=errno.EACCES)
    with pytest.raises(StorageError, match="can't be removed: permission is denied"):
        library.purge()
    disk.recover()
    library.restore(ID)
    assert library.verify(ID) == []


def test_blocks_that_were_never_written_are_a_torn_end(on_disk: Library) -> None:
    session = on_disk.create(small())
    session.execute(append("confirmed"))
    session.abandon()
    journal = on_disk.folder / f"{ID}.journal"
    for end in (b"\0" * 512, b"\0" * 100 + b"\n"):
        whole = journal.read_bytes()
        journal.write_bytes(whole + end)
        reader = on_disk.open(ID, read_only=True)
        assert reader.conversation == session.conversation
        assert any("1 line was dropped that broke off" in note for note in reader.notes)
        journal.write_bytes(whole)


@pytest.mark.parametrize(
    "name",
    [
        "ubuntu.iso.part",
        "ubuntu.iso.4194305.part",
        f"{ID}.json.4194305.part",
        f"{ID}.json.4194305-0123456789abcdeX.part",
        f"{ID}.iso.4194305-0123456789abcdef.part",
        "a.json.4194305-0123456789abcdef.part",
    ],
)
def test_nothing_is_swept_that_this_program_would_not_have_made(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    assert sweep(RealDisk(), tmp_path) == []
    ours = f"{ID}.json.9999999999-0123456789abcdef.part"
    (tmp_path / ours).write_bytes(b"")
    assert sweep(RealDisk(), tmp_path) == [ours]
