"""The file of a catalog: whatever is wrong with it, everything works, and nothing is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.storage import Library, StorageError
from ctxtui.core.storage.disk import RealDisk
from ctxtui.core.storage.folder import is_catalog
from tests.core.curation.many import many
from tests.storage.samples import append, numbered, said, small, ticking

FILE = "catalog.sqlite"
SECRET = "the cellar key is under the blue pot"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Library(tmp_path / "library", clock=ticking(), ids=numbered())
    for text in ("one fern", "two ferns", SECRET):
        made.create(small(text), title=f"about {text[:3]}").close()
    return made


def learned(library: Library) -> list[str]:
    """Return what a program finds that begins now, learning what is not known."""
    with Catalog(library) as catalog:
        catalog.learn()
        assert all(row.digest is not None for row in catalog.rows())
        return [hit.id for hit in catalog.search("fern")]


def test_the_file_is_private_and_says_whose_it_is(library: Library) -> None:
    learned(library)
    path = library.folder / FILE
    assert path.stat().st_mode & 0o777 == 0o600
    assert is_catalog(RealDisk(), path)
    assert [one.name for one in library.folder.glob("*sqlite*")] == [FILE]


def test_the_list_is_in_the_file_and_no_text_is_that_was_not_learned(library: Library) -> None:
    with Catalog(library) as catalog:
        assert len(catalog.rows()) == 3
        assert catalog.search("fern") == []
    data = (library.folder / FILE).read_bytes()
    assert b"about one" in data
    assert b"one fern" not in data


def test_a_library_that_is_not_there_has_no_rows_and_is_not_made(tmp_path: Path) -> None:
    with Catalog(Library(tmp_path / "nowhere")) as catalog:
        assert catalog.rows() == []
        assert catalog.learn() == {}
        assert catalog.search("fern") == []
        catalog.forget([])
    assert not (tmp_path / "nowhere").exists()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4_096])


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:500])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def scribbled(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xa5" * (len(data) - 100))


def without_tables(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE texts")


def of_another_layout(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")


def with_strange_rows(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE sessions SET digest = '[1, 2]', stamp = 'now'")


def removed(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(
    "damage",
    [
        cut,
        cut_short,
        emptied,
        scribbled,
        without_tables,
        of_another_layout,
        with_strange_rows,
        removed,
    ],
)
def test_a_broken_file_is_made_anew(library: Library, damage: Callable[[Path], None]) -> None:
    before = learned(library)
    damage(library.folder / FILE)
    assert learned(library) == before
    with Catalog(library) as catalog:
        assert catalog.missing() == []


@pytest.mark.parametrize("damage", [cut, scribbled, without_tables, removed])
def test_a_file_that_breaks_while_it_is_open_is_made_anew(
    library: Library, damage: Callable[[Path], None]
) -> None:
    with Catalog(library) as catalog:
        catalog.learn()
        damage(library.folder / FILE)
        library.create(small("three ferns"), title="more").close()
        catalog.learn()
        catalog.learn()
        assert all(row.digest is not None for row in catalog.rows())
        catalog.search("fern")


@pytest.mark.parametrize(
    "data", [b"somebody's own", b"SQLite format 3\0" + bytes(200)], ids=["text", "sqlite"]
)
def test_a_file_of_somebody_else_is_left_as_it_is(library: Library, data: bytes) -> None:
    path = library.folder / FILE
    path.write_bytes(data)
    assert learned(library) == ["session00002", "session00001"]
    with Catalog(library) as catalog:
        catalog.forget(["session00001"])
    assert path.read_bytes() == data


def test_neither_a_link_nor_a_folder_of_that_name_is_touched(
    library: Library, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"")
    path = library.folder / FILE
    path.unlink()
    path.symlink_to(elsewhere)
    assert len(learned(library)) == 2
    assert elsewhere.read_bytes() == b""
    path.unlink()
    path.mkdir()
    assert len(learned(library)) == 2
    assert list(path.iterdir()) == []


def test_a_library_that_can_only_be_read_is_searched_all_the_same(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(library)
    library.create(small("three ferns"), title="more").close()
    path = library.folder / FILE
    before = path.read_bytes()
    connect = sqlite3.connect

    def refusing(database: object, *given: object, **named: object) -> sqlite3.Connection:
        if database == path:
            raise _error(sqlite3.SQLITE_CANTOPEN)
        return connect(database, *given, **named)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr("ctxtui.core.storage.cache.sqlite3.connect", refusing)
    with Catalog(library) as catalog:
        assert catalog.missing() == ["session00004"]
        assert catalog.learn() == {}
        assert catalog.missing() == []
        assert len(catalog.search("fern")) == 3
    assert path.read_bytes() == before


def _error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("refused")
    error.sqlite_errorcode = code
    return error


def test_a_file_that_another_program_keeps_is_done_without(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(library)
    monkeypatch.setattr("ctxtui.core.storage.cache.WAIT_SECONDS", 0.0)
    other = sqlite3.connect(library.folder / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        with Catalog(library) as catalog:
            with library.open("session00001") as session:
                session.execute(append("more"))
            catalog.rows()
            catalog.learn()
            assert all(row.digest is not None for row in catalog.rows())
    finally:
        other.execute("ROLLBACK")
        other.close()
    with Catalog(library) as catalog:
        assert catalog.missing() == ["session00001"]
        assert catalog.learn() == {}


def test_what_another_program_learns_or_forgets_is_noticed(library: Library) -> None:
    with Catalog(library) as ours, Catalog(Library(library.folder)) as theirs:
        assert len(ours.missing()) == 3
        theirs.learn()
        assert ours.missing() == []
        assert len(ours.search("fern")) == 2
        theirs.forget(["session00001"])
        assert ours.missing() == ["session00001"]
        assert [hit.id for hit in ours.search("fern")] == ["session00002"]


SCRIPT = """
import sys
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.storage import Library, StorageError
with Catalog(Library(sys.argv[1])) as catalog:
    catalog.learn()
    print(len(catalog.search("fern", limit=1000)), len(catalog.missing()))
"""


def test_programs_that_learn_at_the_same_time_end_with_the_same(tmp_path: Path) -> None:
    many(tmp_path, 60)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert [one.communicate()[0].split()[1] for one in running] == ["0"] * 3
    assert all(one.returncode == 0 for one in running)
    with Catalog(Library(tmp_path)) as catalog:
        assert catalog.missing() == []
        assert len(catalog.search("fern", limit=1_000)) == 60


SLOW = """
import sys
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.storage import Library, StorageError
def step(done):
    print(done, flush=True)
Catalog(Library(sys.argv[1])).learn(step=step)
"""


@pytest.mark.slow
def test_a_program_that_is_killed_while_it_learns_leaves_what_it_had_learned(
    tmp_path: Path,
) -> None:
    library = many(tmp_path, 200)
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if float(line) >= 0.5:
                break
        running.kill()
    with Catalog(library) as catalog:
        assert 0 < len(catalog.missing()) <= 140
        assert catalog.learn() == {}
        assert len(catalog.search("fern", limit=1_000)) == 200


def test_saving_a_verdict_stores_no_text(library: Library) -> None:
    with Catalog(library), library.open("session00001") as session:
        session.describe(status="accepted")
    assert b"one fern" not in (library.folder / FILE).read_bytes()


def test_threads_may_ask_learn_and_save_at_the_same_time(tmp_path: Path) -> None:
    library = many(tmp_path, 40)
    with Catalog(library) as catalog, ThreadPoolExecutor(4) as pool:
        acts: list[Callable[[], object]] = [catalog.learn, catalog.learn]
        acts += [catalog.rows, lambda: catalog.search("fern")] * 4
        work = [pool.submit(act) for act in acts]

        def judge(number: int) -> None:
            with library.open(f"s{number:011}") as session:
                session.describe(status="accepted")

        for number in range(1, 9):
            pool.submit(judge, number).result()
        for one in work:
            one.result()
        catalog.learn()
        rows = catalog.rows()
        assert all(row.digest is not None for row in rows)
        assert sum(row.entry.status == "accepted" for row in rows) == 8


def test_nothing_is_left_of_what_is_forgotten(library: Library) -> None:
    with Catalog(library) as catalog:
        catalog.learn()
        hits = catalog.search(SECRET)
        assert [hit.id for hit in hits] == ["session00003"]
        library.delete("session00003")
        library.purge("session00003")
        catalog.forget(["session00003"])
        library.list()
        for path in library.folder.rglob("*"):
            if path.is_file():
                assert b"cellar" not in path.read_bytes(), path
        assert [hit.id for hit in catalog.search("fern")] == ["session00002", "session00001"]
        assert catalog.missing() == []
    for path in library.folder.iterdir():
        if path.is_file():
            assert b"cellar" not in path.read_bytes(), path


def test_a_session_that_cannot_be_read_stops_no_other_and_is_not_tried_again(
    library: Library,
) -> None:
    path = library.folder / "session00002.json"
    data = path.read_bytes()
    path.write_bytes(data.replace(b"two ferns", b"two \xff\xffrns"))
    with Catalog(library) as catalog:
        problems = catalog.learn()
        known = [row.entry.id for row in catalog.rows() if row.digest is not None]
        assert sorted({*known, *problems}) == ["session00001", "session00002", "session00003"]
        assert catalog.missing() == []


class Stopped(Exception):  # noqa: N818 - says what happened
    pass


class StopAt:
    def __init__(self, share: float) -> None:
        self.share = share

    def step(self, done: float) -> None:
        if done >= self.share:
            raise Stopped


def test_learning_can_be_stopped_and_goes_on_where_it_was(tmp_path: Path) -> None:
    library = many(tmp_path, 20)
    with Catalog(library) as catalog:
        with pytest.raises(Stopped):
            catalog.learn(step=StopAt(0.5).step)
        assert len(catalog.missing()) == 10
    with Catalog(library) as again:
        assert len(again.missing()) == 10
        again.learn(again.missing()[:3])
        assert len(again.missing()) == 7


def test_a_conversation_that_was_exchanged_under_its_name_is_found_anew(library: Library) -> None:
    with Catalog(library) as catalog:
        catalog.learn()
        one, two = (library.folder / f"session0000{n}.json" for n in (1, 3))
        data = two.read_bytes()
        two.unlink()
        one.write_bytes(data.replace(b"session00003", b"session00001"))
        catalog.learn()
        assert catalog.search("one fern") == []


def ascii_start(text: str) -> str:
    return ascii(text[:12])


HOSTILE = [
    "half \ud800 a character",
    "nul \0 in the middle",
    '"quotes" AND NOT (NEAR *',
    "\x1b[31mred\x1b[0m",
    "\u202eright to left",
    "👩‍👩‍👧 family",
    "x" * 100_000 + "needle",
    "İstanbul ŞIŞ",
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii_start)
def test_any_text_is_kept_and_found(tmp_path: Path, text: str) -> None:
    library = Library(tmp_path, ids=numbered())
    library.create(small("before", text), title="plain").close()
    with Catalog(library) as catalog:
        assert catalog.learn() == {}
        asked = text[-12:].replace("\ud800", "�")
        found = catalog.search(asked)
        assert [hit.raw for hit in found] == [1]
        assert found[0].match.casefold() == asked.casefold()


@pytest.mark.parametrize(
    "asked", ["", " ", "%", "_", "*", '"', "\0", "\ud800", "a" * 10_000], ids=ascii_start
)
def test_any_question_is_answered(library: Library, asked: str) -> None:
    with Catalog(library) as catalog:
        catalog.learn()
        for hit in catalog.search(asked):
            assert hit.match.casefold() == asked.casefold()


def test_hits_are_bounded_for_each_session_and_in_all(tmp_path: Path) -> None:
    library = Library(tmp_path, ids=numbered())
    for _ in range(3):
        library.create(small(*["a fern"] * 30), title="fern").close()
    with Catalog(library) as catalog:
        catalog.learn()
        found = catalog.search("fern", limit=25, each=10)
        assert [hit.id for hit in found].count("session00003") == 10
        assert len(found) == 25
        assert [hit.raw for hit in found[:3]] == [None, 0, 1]


def test_a_call_and_its_result_are_found(tmp_path: Path) -> None:
    library = Library(tmp_path, ids=numbered())
    call = {"type": "tool_use", "tool_use": {"id": "c", "name": "look_up", "input": {"q": "moss"}}}
    result = {"type": "tool_result", "tool_result": {"tool_use_id": "c", "content": "lichen"}}
    conversation = small("hi")
    messages = [said("assistant", [call]), said("tool", [result])]
    conversation.execute({"operation": "APPEND", "messages": messages})
    library.create(conversation).close()
    with Catalog(library) as catalog:
        catalog.learn()
        found = [catalog.search(text)[0].raw for text in ("look_up", "moss", "lichen")]
        assert found == [1, 1, 2]


def test_a_folder_in_which_only_the_catalog_is_left_is_still_a_library(library: Library) -> None:
    learned(library)
    for path in library.folder.iterdir():
        if path.name != FILE:
            path.unlink()
    assert library.list() == []
    assert library.create(small("again")).is_saved


def test_a_folder_with_the_tables_of_another_program_is_none(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("CREATE TABLE sessions (id TEXT)")
    with pytest.raises(StorageError, match="not a library"):
        Library(tmp_path).list()
