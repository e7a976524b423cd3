"""Files and folders of others: they are never removed, replaced, followed or waited for."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from ctxtui.core.storage import ImportSource, Library, NotFound, StorageError
from ctxtui.core.storage.disk import FileVersion, MemoryDisk
from tests.storage.samples import append, numbered, small, ticking

ID = "session00001"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def library_in(folder: Path) -> Library:
    return Library(folder, clock=ticking(1000), ids=numbered())


@pytest.mark.parametrize(
    "files",
    [
        {"ubuntu.iso.part": b"half", "index.json": b'{"name": "somebody\'s own"}'},
        {"translations.json": b'{"hello": "hallo"}'},
        {"conversation.json": b'{"messages": [{"role": "user", "content": "hi"}]}'},
        {"index.json": b""},
        {"notes.txt": b""},
    ],
    ids=" ".join,
)
def test_a_folder_of_others_is_refused_and_left_as_it_is(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    library = library_in(tmp_path)
    with pytest.raises(StorageError, match="is not a library: there are only other files in it"):
        library.list()
    session = library.create(small(), title="tea")
    assert not session.is_saved
    assert "is not a library" in str(session.problem)
    session.abandon()
    assert contents(tmp_path) == files


def test_files_of_others_in_a_library_are_left_alone(on_disk: Library) -> None:
    on_disk.create(small()).close()
    strange = {"ubuntu.iso.part": b"half", f"{ID}.json.1.part": b"x", "translations.json": b"{}"}
    for name, data in strange.items():
        (on_disk.folder / name).write_bytes(data)
    problems = {entry.id: entry.problem for entry in on_disk.list()}
    assert problems[ID] is None
    assert problems["translations"] is not None
    assert strange.items() <= contents(on_disk.folder).items()


@pytest.mark.parametrize("left", ["sessions", "trash", "journal", "unfinished"])
def test_a_library_is_known_without_its_cache(on_disk: Library, left: str) -> None:
    session = on_disk.create(small(), title="tea")
    session.execute(append("a"))
    session.abandon()
    if left == "trash":
        on_disk.delete(ID)
    on_disk.list()
    (on_disk.folder / "catalog.sqlite").unlink(missing_ok=True)
    if left in ("journal", "unfinished"):
        (on_disk.folder / f"{ID}.json").unlink()
    if left == "unfinished":
        for path in on_disk.folder.iterdir():
            path.unlink()
        (on_disk.folder / f"{ID}.json.9999999999-0123456789abcdef.part").write_bytes(b"")
    listed = [entry.title for entry in on_disk.list()]
    assert listed == (["tea"] if left == "sessions" else [])
    assert on_disk.create(small()).is_saved


@pytest.fixture
def two(on_disk: Library) -> Library:
    for title in ("bad", "good"):
        on_disk.create(small(), title=title).close()
    (on_disk.folder / f"{ID}.json").unlink()
    return on_disk


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def link(path: Path) -> None:
    path.symlink_to("session00002.json")


def folder(path: Path) -> None:
    path.mkdir()


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


ODD = {
    pipe: "it is not a regular file",
    loop: "it is a link that can't be followed",
    link: "it is a link that can't be followed",
    folder: "it is not a regular file",
    huge: "it has 1,099,511,627,776 bytes, and at most 1,073,741,824 are legal",
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("make", ODD, ids=lambda make: make.__name__)
def test_what_is_no_file_is_a_problem_of_its_own_and_hides_no_other(
    two: Library, make: object
) -> None:
    assert callable(make)
    make(two.folder / f"{ID}.json")
    why = ODD[make]
    problems = {entry.title: entry.problem for entry in two.list()}
    assert problems == {"?": f"it can't be read: {why}", "good": None}
    for read_only in (False, True):
        with pytest.raises(StorageError, match=why):
            two.open(ID, read_only=read_only)
    assert why in two.verify(ID)[0]
    assert two.find("good") == "session00002"
    two.delete(ID)
    if make is not folder:  # Whatever is in it is not ours.
        assert two.purge() == [ID]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize(
    "name", ["index.json", "catalog.sqlite", f"{ID}.journal", f"{ID}.confirmed", f"{ID}.holder"]
)
@pytest.mark.parametrize("make", [pipe, loop, folder])
def test_nothing_beside_a_session_is_followed_or_waited_for(
    on_disk: Library, name: str, make: object
) -> None:
    assert callable(make)
    on_disk.create(small(), title="tea").close()
    (on_disk.folder / name).unlink(missing_ok=True)
    make(on_disk.folder / name)
    assert [entry.title for entry in on_disk.list()] == ["tea"]
    if name.endswith((".journal", ".confirmed")):
        with pytest.raises(StorageError, match=f"{name} can't be read: it is"):
            on_disk.open(ID)
    else:
        with on_disk.open(ID) as session:
            session.execute(append("a"))


def test_no_link_is_followed_when_something_is_written(on_disk: Library, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    session = on_disk.create(small())
    session.execute(append("a"))
    session.abandon()
    for name in (
        f"{ID}.holder",
        f"{ID}.confirmed",
        f"{ID}.json.{os.getpid()}.part",
        "catalog.sqlite",
    ):
        (on_disk.folder / name).unlink(missing_ok=True)
        (on_disk.folder / name).symlink_to(victim)
    (on_disk.folder / f"{ID}.confirmed").unlink()
    with on_disk.open(ID) as session:
        (on_disk.folder / f"{ID}.confirmed").symlink_to(victim)
        session.execute(append("b"))
        session.save()
    on_disk.list()
    assert victim.read_bytes() == b"precious"
    assert not victim.is_symlink()


def test_nothing_that_exists_is_opened_as_new(tmp_path: Path, on_disk: Library) -> None:
    path = tmp_path / "there"
    path.write_bytes(b"old")
    for disk in (on_disk._disk, MemoryDisk()):
        if isinstance(disk, MemoryDisk):
            disk.create(path)
        with pytest.raises(FileExistsError):
            disk.create(path)
    assert path.read_bytes() == b"old"


class ForbiddenDisk(MemoryDisk):
    """A disk on which nothing can be looked at any more."""

    is_closed = False

    def _refuse(self) -> None:
        if self.is_closed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def names(self, folder: Path) -> list[str]:
        self._refuse()
        return super().names(folder)

    def version(self, path: Path) -> FileVersion | None:
        self._refuse()
        return super().version(path)


def test_a_library_that_can_not_be_looked_into_says_so_whatever_is_asked() -> None:
    disk = ForbiddenDisk()
    library = Library("m", disk=disk, clock=ticking(), ids=numbered())
    library.create(small(), title="tea").close()
    disk.is_closed = True
    for ask in (
        library.list,
        library.trash.ids,
        library.purge,
        lambda: ID in library.trash,
        lambda: library.open(ID),
        lambda: library.open(ID, read_only=True),
        lambda: library.find(ID),
        lambda: library.find("tea"),
        lambda: library.made_from(ImportSource.of("a", b"")),
        lambda: library.delete(ID),
        lambda: library.restore(ID),
        lambda: library.verify(ID),
        lambda: library.duplicate(ID),
    ):
        with pytest.raises(StorageError, match="can't be read: permission is denied"):
            ask()
    session = library.create(small(), title="new")
    assert "permission is denied" in str(session.problem)
    disk.is_closed = False
    session.save()
    assert session.is_saved


def test_a_session_that_is_gone_is_still_not_found(on_disk: Library) -> None:
    with pytest.raises(NotFound):
        on_disk.open(ID)
