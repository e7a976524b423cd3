"""The trash holds what was deleted, and nothing else: files of others in it or behind it stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.core.storage import Library, NotFound, StorageError
from tests.storage.samples import small

ID = "session00001"
OTHER = "dependencies"


@pytest.fixture
def trash(on_disk: Library) -> Path:
    """Return where the trash of a library with one session will be."""
    on_disk.create(small(), title="tea").close()
    return on_disk.folder / "trash"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def link(trash: Path, outside: Path) -> None:
    trash.symlink_to(outside, target_is_directory=True)


def nowhere(trash: Path, outside: Path) -> None:
    trash.symlink_to(outside / "nothing")


def file(trash: Path, outside: Path) -> None:
    trash.write_bytes(b"mine")


@pytest.mark.parametrize("make", [link, nowhere, file])
def test_a_trash_that_is_no_real_folder_is_refused_and_nothing_is_moved_or_removed(
    on_disk: Library, trash: Path, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    session = (on_disk.folder / f"{ID}.json").read_bytes()
    (outside / "session00002.json").write_bytes(session)
    make(trash, outside)
    before = everything(tmp_path)
    for ask in (
        on_disk.purge,
        lambda: on_disk.purge("session00002"),
        lambda: on_disk.restore("session00002"),
        lambda: on_disk.delete(ID),
        on_disk.trash.ids,
        lambda: "session00002" in on_disk.trash,
    ):
        with pytest.raises(StorageError, match="is a link or a file, and only a real folder"):
            ask()
        assert everything(tmp_path) == before
    assert [entry.title for entry in on_disk.list()] == ["tea"]
    assert on_disk.create(small()).is_saved


def test_a_linked_trash_makes_no_folder_a_library(on_disk: Library, tmp_path: Path) -> None:
    on_disk.create(small()).close()
    on_disk.delete(ID)
    other = tmp_path / "other"
    other.mkdir()
    (other / "trash").symlink_to(on_disk.folder / "trash", target_is_directory=True)
    with pytest.raises(StorageError, match="is not a library"):
        Library(other).list()


@pytest.mark.parametrize("data", [b'{"a":1}', b"", b"[]"])
def test_files_of_others_in_the_trash_are_neither_listed_nor_touched(
    on_disk: Library, trash: Path, data: bytes
) -> None:
    on_disk.delete(ID)
    other = trash / f"{OTHER}.json"
    other.write_bytes(data)
    assert on_disk.trash.ids() == [ID]
    assert OTHER not in on_disk.trash
    for ask in (on_disk.restore, on_disk.purge):
        with pytest.raises(NotFound, match=f"no session {OTHER} in the trash"):
            ask(OTHER)
    assert on_disk.purge() == [ID]
    assert everything(trash) == {str(other): data}


def test_a_linked_session_in_the_trash_is_not_ours(on_disk: Library, trash: Path) -> None:
    on_disk.create(small()).close()
    on_disk.delete(ID)
    (trash / f"{OTHER}.json").symlink_to(on_disk.folder / "session00002.json")
    assert on_disk.purge() == [ID]
    assert (trash / f"{OTHER}.json").is_symlink()


def test_nothing_of_others_in_the_trash_is_replaced(on_disk: Library, trash: Path) -> None:
    trash.mkdir()
    (trash / f"{ID}.json").write_bytes(b"{}")
    (trash / "session00002.json").write_bytes(b"{}")
    before = everything(on_disk.folder)
    with pytest.raises(StorageError, match=rf"session {ID} can't be moved: .*{ID}\.json is not"):
        on_disk.delete(ID)
    assert everything(on_disk.folder) == before
    with on_disk.create(small()) as session:
        assert session.id == "session00003"


@pytest.mark.parametrize("data", [b"", b"noise", b"[1, 2]"])
def test_a_session_damaged_beyond_recognition_can_be_deleted_restored_and_purged(
    on_disk: Library, trash: Path, data: bytes
) -> None:
    path = on_disk.folder / f"{ID}.json"
    path.write_bytes(data)
    on_disk.delete(ID)
    assert on_disk.trash.ids() == [ID]
    on_disk.restore(ID)
    assert path.read_bytes() == data
    assert everything(trash) == {}
    on_disk.delete(ID)
    assert on_disk.purge() == [ID]
    assert everything(trash) == {}


def test_what_was_once_damaged_leaves_no_mark_behind(on_disk: Library, trash: Path) -> None:
    path = on_disk.folder / f"{ID}.json"
    whole = path.read_bytes()
    for data in (b"noise", whole):
        path.write_bytes(data)
        on_disk.delete(ID)
    assert everything(trash) == {str(trash / f"{ID}.json"): whole}
