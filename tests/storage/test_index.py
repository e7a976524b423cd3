"""The index: a cache that may be missing, broken or behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tinydb import TinyDB

from ctxtui.core.storage import Library
from ctxtui.core.storage.disk import hold_on
from ctxtui.core.storage.index import NOTED_BYTES
from ctxtui.core.storage.real_disk import RealDisk
from ctxtui.core.storage.sealed import SealedStorage
from tests.core.curation.many import many
from tests.storage.samples import append, numbered, small, ticking


class CountingDisk(RealDisk):
    """Counts the ends of session files that were read."""

    looks = 0

    def tail(self, path: Path, size: int) -> bytes:
        self.looks += 1
        return super().tail(path, size)


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


CUT = b'{"sessions":{"1":{"id":"session00003","title":"c","mess'


@pytest.mark.parametrize("data", [None, b"", bytes(99), b'{"sessions":{},"meta":{}}', CUT])
def test_a_missing_or_broken_index_is_made_anew(
    library: Library, disk: CountingDisk, data: bytes | None
) -> None:
    before = library.list()
    index = library.folder / "index.json"
    index.unlink()
    if data is not None:
        index.write_bytes(data)
    assert Library(library.folder, disk=disk).list() == before
    assert disk.looks == 3
    assert Library(library.folder, disk=disk).list() == before
    assert disk.looks == 3


@pytest.mark.parametrize("data", [b"{}", b"\xff", b'{"sessions":{"1":{"id":5}}}', b"[1, 2]\n"])
def test_an_index_of_somebody_else_is_left_as_it_is(library: Library, data: bytes) -> None:
    before = library.list()
    index = library.folder / "index.json"
    index.write_bytes(data)
    assert library.list() == before
    with library.open("session00001") as session:
        session.execute(append("more"))
    library.create(small()).close()
    assert len(library.list()) == 4
    assert index.read_bytes() == data


def test_plain_tinydb_reads_the_index(library: Library) -> None:
    library.list()
    with TinyDB(library.folder / "index.json", access_mode="r") as db:
        assert sorted(row["title"] for row in db.table("sessions")) == ["a", "b", "c"]


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
    storage = SealedStorage(library.folder / "session00002.json")
    tables = storage.read()
    assert tables is not None
    tables["meta"]["1"][key] = value
    storage.write(tables)
    problems = {entry.id: entry.problem for entry in library.list()}
    assert [id for id in problems if problems[id] is not None] == ["session00002"]
    assert key in str(problems["session00002"])


def test_an_index_that_another_program_keeps_is_left_for_later(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = library.folder / "index.json"
    before, entries = index.read_bytes(), library.list()
    monkeypatch.setattr("ctxtui.core.storage.index.WAIT_SECONDS", 0.0)
    hold = hold_on(index)
    assert hold.take()
    with library.open("session00001") as session:
        session.describe(title="renamed")
    assert [entry.title for entry in library.list()] != [entry.title for entry in entries]
    assert index.read_bytes() == before
    hold.leave()
    library.list()
    assert index.read_bytes() != before


def judge(library: Library, number: int) -> None:
    with library.open(f"s{number:011}") as session:
        session.describe(status="accepted")


def test_a_large_index_is_not_written_for_every_session_and_the_list_is_right_all_the_same(
    tmp_path: Path, disk: CountingDisk
) -> None:
    many(tmp_path, 250).list()
    index = tmp_path / "index.json"
    before = index.read_bytes()
    assert len(before) > NOTED_BYTES
    library = Library(tmp_path, disk=disk)
    for number in (1, 2):
        judge(library, number)
    assert sum(entry.status == "accepted" for entry in library.list()) == 2
    assert disk.looks <= 4  # Those of opening; the list had been told.
    assert index.read_bytes() == before
    disk.looks = 0
    again = Library(tmp_path, disk=disk)
    assert sum(entry.status == "accepted" for entry in again.list()) == 2
    assert disk.looks == 2
    assert again.list() == again.list()
    assert disk.looks == 2
    judge(again, 3)
    again.list()
    assert index.read_bytes() != before


def test_a_purged_session_is_gone_from_a_large_index_too(tmp_path: Path) -> None:
    library = many(tmp_path, 250)
    library.list()
    assert b"talk 0000007" in (tmp_path / "index.json").read_bytes()
    library.delete("s00000000007")
    library.list()
    library.purge("s00000000007")
    library.list()
    assert b"talk 0000007" not in (tmp_path / "index.json").read_bytes()


def test_whoever_watches_is_told_whether_the_conversation_is_the_same(library: Library) -> None:
    told: list[tuple[bool, bool]] = []
    library.watchers.append(lambda saved: told.append((saved.is_same, saved.before is None)))
    with library.open("session00001") as session:
        session.describe(title="another")
        session.save()
        session.execute(append("more"))
    library.create(small()).close()
    assert told == [(True, False), (False, False), (False, True)]
