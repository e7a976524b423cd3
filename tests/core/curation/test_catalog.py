"""The catalog: what is known of each session, kept in a cache that nothing depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core import Conversation
from ctxtui.core.curation.catalog import Catalog, StoredDigest
from ctxtui.core.engine.operations import DescribeMeta
from ctxtui.core.storage import Library, MemoryLibrary, Session
from ctxtui.core.storage.rows import listed
from tests.storage.samples import append, numbered, said, small, ticking

ONE, TWO = "session00001", "session00002"


@pytest.fixture(params=["disk", "memory"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Library:
    if request.param == "memory":
        return MemoryLibrary(clock=ticking(), ids=numbered())
    return Library(tmp_path / "library", clock=ticking(), ids=numbered())


def fill(library: Library, count: int = 3) -> None:
    for number in range(count):
        library.create(
            small(f"hello {number}", "Straße 東京タワー"), title=f"talk {number}"
        ).close()


def test_nothing_is_known_until_it_is_learned_and_then_without_opening_a_session(
    library: Library,
) -> None:
    fill(library)
    with Catalog(library) as catalog:
        assert [row.digest for row in catalog.rows()] == [None] * 3
        assert len(catalog.missing()) == 3
        assert catalog.learn() == {}
        rows = catalog.rows()
        assert [row.digest and row.digest.ribbon for row in rows] == ["UU"] * 3
        assert catalog.missing() == []


def test_what_was_learned_is_there_for_the_next_program(tmp_path: Path) -> None:
    fill(Library(tmp_path, ids=numbered()))
    with Catalog(Library(tmp_path)) as catalog:
        catalog.learn()
        rows = catalog.rows()
    with Catalog(Library(tmp_path)) as again:
        assert again.missing() == []
        assert again.rows() == rows


def test_what_this_program_saves_is_known_at_once(library: Library) -> None:
    with Catalog(library) as catalog:
        fill(library, 1)
        assert catalog.missing() == []
        with library.open("session00001") as session:
            session.execute(append("more"))
        assert catalog.missing() == []
        with library.open("session00001") as session:
            session.describe(status="accepted")
        assert catalog.missing() == []
        row = catalog.rows()[0]
        assert (row.entry.status, row.digest and row.digest.ribbon) == ("accepted", "UUU")


def test_a_verdict_given_while_a_session_is_looked_into_hides_nothing_of_it(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(library, 1)
    with Catalog(library) as catalog:
        opened = library.open
        verdicts = iter(["accepted"])

        def judged(id: str, **given: bool) -> Session:
            session = opened(id, **given)
            for status in verdicts:
                with opened(id) as judge:
                    judge.describe(status=status)
            return session

        monkeypatch.setattr(library, "open", judged)
        assert catalog.learn() == {}
        row = catalog.rows()[0]
        assert (row.entry.status, row.digest and row.digest.ribbon) == ("accepted", "UU")
        assert catalog.missing() == []


def test_a_session_that_is_written_is_known_as_of_one_moment_and_looked_into_as_it_grows(
    library: Library,
) -> None:
    fill(library, 2)
    writer = library.open(ONE)
    with Catalog(Library(library.folder, disk=library.disk)) as catalog:
        for number in range(3):
            writer.execute(append(f"more {number}"))
            assert catalog.missing() == ([ONE] if number else [ONE, TWO])
            behind = catalog.row(ONE)
            assert behind is not None
            if number:
                assert behind.is_behind
                assert behind.digest is not None
                assert behind.entry.messages == len(behind.digest.ribbon) == 2 + number
            catalog.learn()
            now = catalog.row(ONE)
            assert now is not None
            assert now.digest is not None
            assert not now.is_behind
            assert now.entry.messages == len(now.digest.ribbon) == 3 + number
            assert catalog.missing() == []


def test_a_session_that_grows_while_it_is_looked_into_is_known_as_it_was_then(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(library, 1)
    writer = library.open(ONE)
    writer.execute(append("before"))
    looks: list[str] = []

    def meanwhile(conversation: Conversation) -> object:
        found = listed(conversation)
        looks.append("a look")
        writer.execute(append("meanwhile"))
        return found

    monkeypatch.setattr("ctxtui.core.curation.catalog.listed", meanwhile)
    with Catalog(Library(library.folder, disk=library.disk)) as catalog:
        catalog.learn()
        row = catalog.rows()[0]
    assert looks == ["a look"]
    assert row.is_behind
    assert row.digest is not None
    assert row.entry.messages == len(row.digest.ribbon) == 3


def test_what_one_thread_finds_out_while_another_reads_the_file_is_kept(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(library, 2)
    with Catalog(library) as catalog:
        read = catalog._store.kept

        def kept() -> list[StoredDigest]:
            every = read()
            catalog._look(TWO)  # As another thread may do at any moment.
            return every

        monkeypatch.setattr(catalog._store, "kept", kept)
        catalog.learn([ONE])
        assert None not in [row.digest for row in catalog.rows()]


def test_search_finds_titles_and_messages_in_any_script_whatever_the_capitals(
    library: Library,
) -> None:
    fill(library)
    with Catalog(library) as catalog:
        catalog.learn()
        assert [(hit.id, hit.raw, hit.match) for hit in catalog.search("TALK 1")] == [
            ("session00002", None, "talk 1")
        ]
        assert [(hit.id, hit.raw) for hit in catalog.search("HELLO 2")] == [("session00003", 0)]
        found = catalog.search("STRASSE")
        assert [(hit.raw, hit.before, hit.match, hit.after) for hit in found] == [
            (1, "", "Straße", " 東京タワー")
        ] * 3
        for text in ("京", "東京", "京タワ"):
            assert [hit.match for hit in catalog.search(text)] == [text] * 3
        assert catalog.search("nowhere") == []


def test_search_finds_other_fields_and_says_which(library: Library) -> None:
    fields = {"label": "Kraków", "n": 7, "checks": [{"by": "ann of kraków"}]}
    talk = Conversation([said("user", "krakow, kraków")], meta={"fields": fields})
    session = library.create(talk, title="x")
    with Catalog(library) as catalog:
        catalog.learn()
        found = catalog.search("kraków")
        assert [(hit.field, hit.raw, hit.match) for hit in found] == [
            ("label", None, "Kraków"),
            ("checks", None, "kraków"),
            (None, 0, "kraków"),
        ]
        assert found[1].before == "[0].by: ann of "
        assert [hit.field for hit in catalog.search("7")] == ["n"]
        session.execute({"operation": "APPEND", "messages": [said("user", "kraków again")]})
        session.execute(DescribeMeta(meta={"fields": {"label": "Wien"}}))
        session.close()
        catalog.learn()
        assert [(hit.field, hit.raw) for hit in catalog.search("kraków")] == [(None, 0), (None, 1)]
        assert [(hit.field, hit.raw) for hit in catalog.search("Wien")] == [("label", None)]


def kept(catalog: Catalog) -> set[str]:
    """Return the sessions of which the cache holds something."""
    return {one.id for one in catalog._store.kept()}


def test_what_is_in_the_trash_is_neither_found_nor_kept_and_learned_again_when_it_is_back(
    library: Library,
) -> None:
    fill(library)
    with Catalog(library) as catalog:
        catalog.learn()
        (first, *_) = catalog.search("hello 1")
        library.delete(first.id)
        assert catalog.search("hello 1") == []
        assert [row.entry.title for row in catalog.rows()] == ["talk 2", "talk 0"]
        assert first.id not in kept(catalog)
        assert len(kept(catalog)) == 2
        assert catalog._store.texts(first.id) == []
        assert catalog._store.candidates(["hel", "o 1"]) == {}
        library.restore(first.id)
        assert catalog.missing() == [first.id]
        catalog.learn()
        assert catalog.search("hello 1") == [first]


def test_what_another_program_has_dropped_is_learned_again_when_it_is_back(tmp_path: Path) -> None:
    library = Library(tmp_path, ids=numbered())
    fill(library)
    with Catalog(library) as catalog:
        catalog.learn()
        catalog.rows()
        (hit,) = catalog.search("hello 1")
        with Catalog(Library(tmp_path)) as other:
            library.delete(hit.id)
            other.rows()
        library.restore(hit.id)
        catalog.learn()
        assert catalog.search("hello 1") == [hit]


def test_a_conversation_can_be_asked_for_hidden_messages_too(library: Library) -> None:
    conversation = Conversation([said("user", "the first"), said("assistant", "the second")])
    conversation.execute({"operation": "TRUNCATE", "keepLast": 1})
    library.create(conversation).close()
    with Catalog(library) as catalog:
        catalog.learn()
        assert [hit.raw for hit in catalog.search("the first")] == [0]
        digest = catalog.rows()[0].digest
        assert digest is not None
        assert digest.ribbon == "uA"
