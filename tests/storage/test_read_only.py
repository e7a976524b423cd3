"""A library that is visited: all of it can be read, none of it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core.storage import Library, ReadOnlyLibrary, StorageError
from ctxtui.core.storage.details import ImportSource
from tests.storage.samples import append, small


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a library with two sessions, one of them with a journal beside it."""
    library = Library(tmp_path / "library")
    library.create(small(), title="one").close()
    with library.create(small(), title="two") as session:
        session.execute(append("more"))
        session.abandon()
    return library.folder


def everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return every file with its bytes and its time."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_sessions_are_listed_and_opened_to_be_read_only(folder: Path) -> None:
    before, library = everything(folder), ReadOnlyLibrary(folder)
    assert sorted(entry.title for entry in library.list()) == ["one", "two"]
    for entry in library.list():
        with library.open(entry.id) as session:
            assert session.read_only
            with pytest.raises(StorageError):
                session.describe(title="mine")
    assert everything(folder) == before


def test_what_a_visitor_makes_is_there_for_the_visitor_alone(folder: Path) -> None:
    before, library = everything(folder), ReadOnlyLibrary(folder)
    session = library.create(small(), title="mine")
    assert not session.read_only
    assert not session.is_lasting
    session.execute(append("more"))
    session.close()
    with library.open(session.id) as again:
        assert again.title == "mine"
        assert not again.read_only
    assert sorted(entry.title for entry in library.list()) == ["mine", "one", "two"]
    assert sorted(entry.title for entry in Library(folder).list()) == ["one", "two"]
    library.delete(session.id)
    library.restore(session.id)
    assert everything(folder).keys() - {"catalog.sqlite"} == before.keys() - {"catalog.sqlite"}


def test_a_copy_of_a_session_can_be_changed(folder: Path) -> None:
    library = ReadOnlyLibrary(folder)
    (one,) = [entry for entry in library.list() if entry.title == "one"]
    with library.duplicate(one.id) as copy:
        copy.execute(append("more"))
        assert copy.title == "one (copy)"
    assert len(copy.conversation.log) > len(library.open(one.id).conversation.log)


def test_nothing_on_disk_is_deleted(folder: Path) -> None:
    before, library = everything(folder), ReadOnlyLibrary(folder)
    with pytest.raises(StorageError, match="can only be read"):
        library.delete(library.list()[0].id)
    assert everything(folder) == before


def test_a_file_opens_anew_although_somebody_made_a_session_of_it(tmp_path: Path) -> None:
    source = ImportSource.of("/a.json", b"x")
    Library(tmp_path).create(small(), source=source).close()
    library = ReadOnlyLibrary(tmp_path)
    assert library.made_from(source) == []
    library.create(small(), source=source).close()
    assert len(library.made_from(source)) == 1


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    library = ReadOnlyLibrary(tmp_path / "nothing")
    assert library.list() == []
    library.create(small(), title="mine").close()
    assert not (tmp_path / "nothing").exists()
