"""The list of sessions, and its cache, which may be missing, broken or behind."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ctxtui.core.storage import Library
from ctxtui.core.storage.checksummed import ChecksummedStorage
from ctxtui.core.storage.disk import RealDisk
from ctxtui.core.storage.folder import APPLICATION, APPLICATION_AT, SQLITE
from tests.core.curation.many import many
from tests.storage.samples import append, numbered, small, ticking

CACHE = "catalog.sqlite"


class CountingDisk(RealDisk):
    """Counts the ends of session files that were read."""

    looks = 0

    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        self.looks += start < 0 and path.suffix == ".json"
        return super().read(path, start, size)


@pytest.fixture
def disk() -> CountingDisk:
    return CountingDisk()


@pytest.fixture
def library(tmp_path: Path, disk: CountingDisk) -> Library:
    made = Library(tmp_path, disk=disk, clock=ticking(), ids=numbered())
    for title in ("a", "b", "c"):
        made.create(small(), title=title).close()
    disk.looks = 0
    return made


def test_only_changed_files_are_looked_into(library: Library, disk: CountingDisk) -> None:
    first = library.list()
    assert library.list() == first
    assert disk.looks == 0
    path = library.folder / "session00002.json"
    path.write_bytes(path.read_bytes())
    path.touch()
    assert library.list() == first
    assert disk.looks == 1


BROKEN = SQLITE.ljust(APPLICATION_AT, b"\0") + APPLICATION + bytes(5_000)


@pytest.mark.parametrize("data", [None, b"", BROKEN], ids=["missing", "empty", "broken"])
def test_a_missing_or_broken_cache_is_made_again(
    library: Library, disk: CountingDisk, data: bytes | None
) -> None:
    before = library.list()
    cache = library.folder / CACHE
    cache.unlink()
    if data is not None:
        cache.write_bytes(data)
    disk.looks = 0
    assert Library(library.folder, disk=disk).list() == before
    assert disk.looks == 3
    assert Library(library.folder, disk=disk).list() == before
    assert disk.looks == 3


@pytest.mark.parametrize("data", [b"{}", b"\xff", SQLITE.ljust(200, b"\0")])
def test_a_cache_of_another_program_is_left_as_it_is(library: Library, data: bytes) -> None:
    before = library.list()
    cache = library.folder / CACHE
    cache.write_bytes(data)
    assert Library(library.folder).list() == before
    with library.open("session00001") as session:
        session.execute(append("more"))
    library.create(small()).close()
    assert len(library.list()) == 4
    assert cache.read_bytes() == data


OLD = b'{"sessions":{"1":{"id":"session00003","title":"c","mess'


@pytest.mark.parametrize(("data", "stays"), [(OLD, False), (b'{"sessions": []}', True)])
def test_the_index_of_an_earlier_version_is_removed_and_no_other(
    library: Library, data: bytes, stays: bool
) -> None:
    index = library.folder / "index.json"
    index.write_bytes(data)
    assert len(library.list()) == 3
    assert index.exists() is stays


def test_the_list_follows_saving_closing_and_files_that_come_and_go(library: Library) -> None:
    with library.open("session00001") as session:
        session.execute(append("more"))
        session.save()
        assert library.list()[0].messages == 4
        session.describe(title="renamed")
    assert library.list()[0].title == "renamed"
    (library.folder / "session00002.json").rename(library.folder / "anothername1.json")
    assert {entry.id for entry in library.list()} == {
        "session00001",
        "session00003",
        "anothername1",
    }
    (library.folder / "notes.json").write_text("{}")
    assert len(library.list()) == 3
    with library.open("anothername1") as session:
        assert session.title == "b"


@pytest.mark.parametrize(
    ("key", "value"),
    [("tokens", "many"), ("messages", None), ("counter", 5), ("visible", -1), ("updated", "now")],
)
def test_an_entry_with_strange_figures_is_a_problem_and_stops_no_other(
    library: Library, key: str, value: object
) -> None:
    storage = ChecksummedStorage(library.folder / "session00002.json")
    tables = storage.read()
    assert tables is not None
    tables["meta"]["1"][key] = value
    storage.write(tables)
    problems = {entry.id: entry.problem for entry in library.list()}
    assert [id for id in problems if problems[id] is not None] == ["session00002"]
    assert key in str(problems["session00002"])


def test_a_cache_that_another_program_locks_is_left_for_later(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.list()
    monkeypatch.setattr("ctxtui.core.storage.cache.WAIT_SECONDS", 0.0)
    other = sqlite3.connect(library.folder / CACHE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with library.open("session00001") as session:
        session.describe(title="renamed")
    again = Library(library.folder)
    assert {entry.title for entry in again.list()} == {"renamed", "b", "c"}
    other.execute("ROLLBACK")
    other.close()


def judge(library: Library, number: int) -> None:
    with library.open(f"s{number:011}") as session:
        session.describe(status="accepted")


def accepted(library: Library) -> int:
    return sum(entry.status == "accepted" for entry in library.list())


def test_the_cache_is_not_written_for_every_session_and_the_list_is_right_all_the_same(
    tmp_path: Path, disk: CountingDisk
) -> None:
    many(tmp_path, 250).list()
    library = Library(tmp_path, disk=disk)
    for number in (1, 2):
        judge(library, number)
    assert accepted(library) == 2
    disk.looks = 0
    assert accepted(Library(tmp_path, disk=disk)) == 2
    again = Library(tmp_path, disk=disk)
    assert accepted(again) == 2
    assert disk.looks == 4
    assert accepted(again) == 2
    assert disk.looks == 4
    judge(again, 3)
    assert accepted(again) == 3
    disk.looks = 0
    assert accepted(Library(tmp_path, disk=disk)) == 3
    assert disk.looks == 0


def test_a_purged_session_is_gone_from_the_cache_too(tmp_path: Path) -> None:
    library = many(tmp_path, 250)
    library.list()
    assert b"talk 0000007" in (tmp_path / CACHE).read_bytes()
    library.delete("s00000000007")
    library.list()
    library.purge("s00000000007")
    assert [path.name for path in tmp_path.glob("*sqlite*")] == [CACHE]
    assert b"talk 0000007" not in (tmp_path / CACHE).read_bytes()


def test_whoever_watches_is_told_whether_the_conversation_is_the_same(library: Library) -> None:
    told: list[tuple[bool, bool]] = []
    library.watchers.append(lambda saved: told.append((saved.is_same, saved.before is None)))
    with library.open("session00001") as session:
        session.describe(title="another")
        session.save()
        session.execute(append("more"))
    library.create(small()).close()
    assert told == [(True, False), (False, False), (False, True)]
