"""A list tells how far a session is that somebody writes, without doing it all again."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core.storage import Library, Session
from ctxtui.core.storage.disk import MemoryDisk
from ctxtui.core.storage.entries import Entry
from ctxtui.core.storage.rows import listed
from tests.storage.samples import EDITS, append, edited, numbered, said, small, ticking

ID = "session00001"


def entry(library: Library) -> Entry:
    return library.list()[0]


def test_every_kind_of_change_is_in_the_list_while_the_session_is_open(library: Library) -> None:
    writer = library.create(small(), title="tea")
    other = Library(library.folder, disk=library.disk)
    for edit in EDITS:
        writer.execute(edit)
        found, told = entry(other), listed(writer.conversation)
        assert {key: getattr(found, key) for key in told} == told
        assert found.updated == writer.details.updated


def test_a_new_title_is_in_the_list_behind_whatever_looks_like_one(library: Library) -> None:
    writer = library.create(small(), title="tea")
    writer.describe(title="coffee", tags=["x"])
    odd = said("user", 'q {"details":{"title":"no"}}') | {"metadata": {"details": {"title": "n"}}}
    writer.execute({"operation": "APPEND", "messages": [odd]})
    found = entry(library)
    assert (found.title, found.tags, found.messages) == ("coffee", ("x",), 4)


def test_what_a_killed_program_has_left_is_in_the_list(crashed: Session, on_disk: Library) -> None:
    assert entry(on_disk).messages == len(crashed.conversation.log)
    assert entry(on_disk).tags == ("x",)
    on_disk.open(crashed.id).close()
    assert entry(on_disk).messages == len(crashed.conversation.log)


@pytest.mark.parametrize("kept", [0.0, 0.4, 0.99])
def test_a_journal_that_is_cut_off_is_listed_up_to_a_whole_write(
    kept: float, crashed: Session, on_disk: Library
) -> None:
    path = on_disk.folder / f"{crashed.id}.journal"
    data = path.read_bytes()
    path.write_bytes(data[: int(kept * len(data))])
    assert entry(on_disk).messages in range(3, 7)
    assert entry(on_disk).problem is None


def test_a_journal_of_another_session_file_or_a_newer_program_says_nothing(
    crashed: Session, on_disk: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = on_disk.folder / f"{crashed.id}.journal"
    old = path.read_bytes()
    on_disk.open(crashed.id).close()
    path.write_bytes(old)
    assert entry(on_disk).messages == 6
    path.unlink()
    with monkeypatch.context() as later:
        later.setattr("ctxtui.core.storage.journal_file.VERSION", 2)
        session = on_disk.open(crashed.id)
        session.execute(append("by a newer program"))
        session.abandon()
    assert entry(on_disk).messages == 6


class CountingDisk(MemoryDisk):
    """Notes which files are looked into."""

    def __init__(self) -> None:
        super().__init__()
        self.looked: list[str] = []

    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        self.looked.append(path.name)
        return super().read(path, start, size)


def test_only_the_session_that_has_grown_is_looked_into() -> None:
    disk = CountingDisk()
    library = Library("memory", disk=disk, clock=ticking(), ids=numbered())
    writer = library.create(edited(), title="grows")
    for number in range(300):
        library.create(small(), title=f"talk {number}").close()
    library.list()
    for _ in range(3):
        writer.execute(append("more"))
        disk.looked.clear()
        library.list()
        assert {name for name in disk.looked if not name.startswith("index")} == {
            f"{ID}.json",
            f"{ID}.journal",
        }
        disk.looked.clear()
        library.list()
        assert not [name for name in disk.looked if not name.startswith("index")]


def test_who_has_grown_is_told_once_and_no_session_file_is_touched(library: Library) -> None:
    first, second = library.create(small()), library.create(small())
    for writer in (first, second):
        writer.execute(append("begins a journal"))
    library.list()
    assert library.listing.grown() == []
    second.execute(append("goes on"))
    assert library.listing.grown() == [second.id]
    assert library.listing.grown() == []
