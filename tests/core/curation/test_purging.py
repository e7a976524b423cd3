"""What is purged is in no byte of any file of the library any more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core import Conversation
from core.curation.catalog import Catalog
from core.curation.editing import look_for, replace_hits, replace_in
from core.curation.patterns import PATTERNS, own_pattern
from core.curation.purging import in_trash, purge, squash_session
from core.curation.replacing import hits, meant
from core.curation.splitting import keep_only, split, split_session
from core.errors import Refused
from core.storage import Library, Locked, MemoryLibrary, StorageError
from core.storage.real_disk import RealDisk
from tests.storage.failing import FailingDisk
from tests.storage.samples import numbered, said, ticking

SECRETS = ("kb@mail.example", "+1 202 555 0147", "退货流程的秘密", "Grüße")
"""What is to go: also where JSON would escape it."""


def everywhere(folder: Path, text: str) -> list[str]:
    """Return the files that hold a text in any way it may be written."""
    plain, escaped = text.casefold(), json.dumps(text)[1:-1].casefold()
    ways = {
        *(way.encode() for way in (text, plain, escaped, json.dumps(plain)[1:-1])),
        *(way.encode("utf-16-le") for way in (text, plain)),
    }
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(way in path.read_bytes().lower() for way in ways)
    ]


def left(folder: Path) -> dict[str, list[str]]:
    return {text: found for text in SECRETS if (found := everywhere(folder, text))}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library", clock=ticking(1000), ids=numbered())


def secretive(library: Library, **details: Any) -> str:
    """Return a session whose secrets are hidden, replaced, undone, recorded, noted and kept."""
    odd = {"openai": {"function": {"arguments": '{"to":  "kb@mail.example"}'}}}
    call = {"id": "c1", "name": "send", "input": {"to": SECRETS[0]}}
    talk = Conversation(
        [
            said("user", f"I am {' '.join(SECRETS)}"),
            said("assistant", [{"type": "tool_use", "tool_use": call, "metadata": odd}]),
            said(
                "tool",
                [
                    {
                        "type": "tool_result",
                        "tool_result": {"tool_use_id": "c1", "content": SECRETS[0]},
                    }
                ],
            ),
            said("user", "thanks"),
        ],
        meta={
            "title": f"call of {SECRETS[1]}",
            "openai": {"user": SECRETS[0]},
            "tools": [{"name": "send"}],
        },
        clock=ticking(),
    )
    session = library.create(talk, title="support")
    session.execute({"operation": "APPEND", "messages": [said("user", SECRETS[2])]})
    session.execute({"operation": "UNDO"})
    session.execute({"operation": "APPEND", "messages": [said("user", "and " + SECRETS[3])]})
    session.execute({"operation": "DELETE", "indices": [5]})
    session.describe(title=f"mail of {SECRETS[0]}", note=SECRETS[1])
    session.describe(**{"title": "support", "note": "", **details})
    session.close()
    return session.id


def patterns() -> list[Any]:
    return [*PATTERNS.values(), *(own_pattern(text, "[x]") for text in SECRETS[2:])]


def test_replaced_and_squashed_with_purge_nothing_is_left(library: Library) -> None:
    id = secretive(library)
    with Catalog(library) as catalog:
        catalog.learn()
    assert set(left(library.folder)) == set(SECRETS)
    done = replace_in(library, id, patterns())
    assert done is not None
    assert set(left(library.folder)) == set(SECRETS)
    made = squash_session(library, id, is_purging=True)
    assert left(library.folder) == {}
    assert [entry.id for entry in library.list()] == [made.new]
    with library.open(made.new, read_only=True) as session:
        talk = session.conversation
        assert "[mail]" in str(talk.visible[0].content)
        assert talk.meta["tools"][0]["name"] == "send"
        assert talk.lint() == []
    assert library.verify(made.new) == []


def test_while_a_catalog_is_open_nothing_is_left_either(library: Library) -> None:
    with Catalog(library) as catalog:
        id = secretive(library)
        catalog.learn()
        replace_in(library, id, patterns())
        squash_session(library, id, is_purging=True)
        assert catalog.search("mail.example") == []
        assert left(library.folder) == {}
        assert len(catalog.rows()) == 1


def test_what_was_deleted_first_is_purged_from_the_trash(library: Library) -> None:
    ids = [secretive(library), secretive(library)]
    with Catalog(library) as catalog:
        catalog.learn()
    library.delete(ids[0])
    assert in_trash(library, patterns()).sessions == 1
    purge(library, ids)
    assert left(library.folder) == {}
    assert in_trash(library, patterns()) == (0, 0)


def test_a_copy_in_the_trash_of_one_that_is_there_again_goes_too(library: Library) -> None:
    id = secretive(library)
    kept = (library.folder / f"{id}.json").read_bytes()
    library.delete(id)
    (library.folder / f"{id}.json").write_bytes(kept)
    purge(library, [id])
    assert left(library.folder) == {}
    assert library.list() == []


def test_a_journal_that_a_crash_left_goes_too(library: Library) -> None:
    id = secretive(library)
    session = library.open(id)
    session.execute({"operation": "APPEND", "messages": [said("user", SECRETS[2])]})
    session.abandon()
    kept = library.folder / f"{id}.journal.0123456789abcdef.kept"
    kept.write_text(SECRETS[0])
    assert (library.folder / f"{id}.journal").exists()
    purge(library, [id])
    assert left(library.folder) == {}


def test_titles_tags_and_notes_are_replaced_when_asked(library: Library) -> None:
    id = secretive(library, title=f"mail of {SECRETS[0]}", note=SECRETS[1], tags=[SECRETS[2]])
    plain = replace_in(library, id, patterns())
    assert plain is not None
    assert plain.about == ()
    done = replace_in(library, id, patterns(), with_details=True)
    assert done is not None
    assert done.about == ("title", "tags", "note")
    made = squash_session(library, id, is_purging=True)
    assert made.title == "mail of [mail]"
    assert left(library.folder) == {}
    with library.open(made.new, read_only=True) as session:
        assert (session.details.tags, session.details.note) == (("[x]",), "[phone]")


def test_notes_about_messages_follow_them_and_are_replaced_when_asked(library: Library) -> None:
    id = secretive(library, remarks=[(0, "first"), (2, f"ask {SECRETS[0]}"), (5, SECRETS[2])])
    assert look_for(library, id, patterns()).stays.about >= 2
    replace_in(library, id, patterns())
    with library.open(id, read_only=True) as session:
        size = len(session.conversation.log)
        assert dict(session.details.remarks)[size - 3] == "first"
        assert dict(session.details.remarks)[size - 1] == f"ask {SECRETS[0]}"
    replace_in(library, id, patterns(), with_details=True)
    one, two = split_session(library, id, 2)
    with library.open(two.id, read_only=True) as session:
        assert session.details.remarks == ((0, "ask [mail]"),)
    with library.open(one.id, read_only=True) as session:
        assert session.details.remarks == ((0, "first"),)
    purge(library, [one.id, two.id])
    made = squash_session(library, id, is_purging=True)
    with library.open(made.new, read_only=True) as session:
        assert session.details.remarks == ((0, "first"), (2, "ask [mail]"))
    assert left(library.folder) == {}


def test_what_is_purged_hands_its_verdict_on(library: Library) -> None:
    id = secretive(library, status="accepted", tags=["good"], note="fine")
    made = squash_session(library, id, is_purging=True)
    with library.open(made.new, read_only=True) as session:
        details = session.details
    assert (details.title, details.status, details.tags, details.note) == (
        "support",
        "accepted",
        ("good",),
        "fine",
    )


def test_without_purge_the_old_one_stays(library: Library) -> None:
    id = secretive(library)
    made = squash_session(library, id)
    assert {entry.id for entry in library.list()} == {id, made.new}
    assert made.title == "support (squashed)"


def test_one_that_is_open_elsewhere_is_refused_and_nothing_is_made(library: Library) -> None:
    id = secretive(library)
    other = Library(library.folder)
    with other.open(id):
        with pytest.raises(Locked):
            squash_session(library, id, is_purging=True)
        with pytest.raises(Locked):
            replace_in(library, id, patterns())
        with pytest.raises(Locked):
            split_session(library, id, 1, is_purging=True)
    assert [entry.id for entry in library.list()] == [id]


def test_what_another_program_adds_at_the_last_moment_is_never_purged(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = secretive(library)
    delete = Library.delete

    def late(self: Library, which: str, *, wait: float = 0.0) -> None:
        monkeypatch.undo()
        with Library(self.folder).open(which) as session:
            session.execute({"operation": "APPEND", "messages": [said("user", "one more")]})
        delete(self, which, wait=wait)

    monkeypatch.setattr(Library, "delete", late)
    with pytest.raises(StorageError, match="was changed while it was squashed"):
        squash_session(library, id, is_purging=True)
    assert [entry.id for entry in library.list()] == [id]
    with library.open(id, read_only=True) as session:
        assert session.conversation.visible[-1].content == "one more"


def test_a_disk_that_fails_never_loses_both(tmp_path: Path) -> None:
    for step in range(0, 200, 4):
        disk = FailingDisk(RealDisk())
        folder = tmp_path / str(step)
        library = Library(folder, clock=ticking(1000), ids=numbered(), disk=disk)
        id = secretive(library)
        disk.fail(step, lasting=True)
        try:
            squash_session(library, id, is_purging=True)
        except StorageError:
            is_done = False
        else:
            is_done = True
        disk.recover()
        again = Library(folder)
        whole = [one for one in again.list() if not again.verify(one.id)]
        kept = again.trash.ids()
        assert whole or kept, disk.steps[step]
        if is_done and step > 60:
            break


def test_a_library_in_memory_purges_too() -> None:
    library = MemoryLibrary()
    id = secretive(library)
    made = squash_session(library, id, is_purging=True)
    assert [entry.id for entry in library.list()] == [made.new]


def test_an_accepted_session_goes_back_to_in_review_when_it_changes(library: Library) -> None:
    id = secretive(library, status="accepted")
    found = look_for(library, id, patterns())
    assert found.goes_back
    done = replace_in(library, id, patterns())
    assert done is not None
    assert done.goes_back
    assert (done.messages, done.hits) == (3, len(meant(found.hits)))
    assert library.list()[0].status == "in review"
    assert replace_in(library, id, patterns()) is None


@pytest.mark.parametrize("status", ["new", "rejected", "needs work"])
def test_other_verdicts_stay(library: Library, status: str) -> None:
    id = secretive(library, status=status)
    replace_in(library, id, patterns())
    assert library.list()[0].status == status


def test_chosen_hits_are_replaced_and_undo_takes_them_back(library: Library) -> None:
    id = secretive(library)
    found = look_for(library, id, patterns()).hits
    done = replace_hits(library, id, found[:1])
    assert done is not None
    assert done.hits == 1
    with library.open(id) as session:
        assert str(session.conversation.visible[0].content).startswith("I am [mail] +1")
        session.execute({"operation": "UNDO"})
        assert hits(session.conversation, patterns()) == found
    replace_in(library, id, patterns())
    with pytest.raises(Refused, match="look for it again"):
        replace_hits(library, id, found)


def test_a_session_whose_disk_fails_stays_as_it_was(tmp_path: Path) -> None:
    disk = FailingDisk(RealDisk())
    library = Library(tmp_path, clock=ticking(1000), disk=disk)
    id = secretive(library, status="accepted")
    for step in range(3):
        disk.fail(step, lasting=True)
        with pytest.raises(StorageError):
            replace_in(library, id, patterns())
        disk.recover()
        with Library(tmp_path).open(id, read_only=True) as session:
            assert SECRETS[0] in str(session.conversation.visible[0].content)
            assert session.details.status == "accepted"


def test_a_conversation_is_split_at_a_position(library: Library) -> None:
    talk = Conversation(
        [said("system", "be kind"), said("user", "a"), said("assistant", "b"), said("user", "c")],
        meta={"title": "long"},
    )
    talk.execute({"operation": "MARK", "indices": [3], "label": "good"})
    first, second = split(talk, 3)
    assert [one.content for one in first.visible] == ["be kind", "a", "b"]
    assert [one.content for one in second.visible] == ["c"]
    assert second.marks == {"good": [0]}
    assert second.meta["origin"]["messages"] == 4
    _, with_system = split(talk, 3, with_system=True)
    assert [one.content for one in with_system.visible] == ["be kind", "c"]


@pytest.mark.parametrize("position", [0, 4, -1, 99])
def test_a_split_leaves_something_on_both_sides(library: Library, position: int) -> None:
    talk = Conversation([said("user", str(number)) for number in range(4)])
    with pytest.raises(Refused, match=r"position .* is outside 1…3"):
        split(talk, position)


def test_a_split_session_becomes_two_and_stays_unless_purged(library: Library) -> None:
    id = secretive(library, tags=["x"])
    one, two = split_session(library, id, 1)
    assert (one.title, two.title) == ("support (1 of 2)", "support (2 of 2)")
    assert (one.messages, two.messages) == (1, 3)
    assert {entry.tags for entry in library.list()} == {("x",)}
    assert len(library.list()) == 3
    split_session(library, id, 2, is_purging=True)
    assert id not in {entry.id for entry in library.list()}


def test_a_split_between_call_and_result_says_what_lint_finds(library: Library) -> None:
    id = secretive(library)
    _, two = split_session(library, id, 2)
    assert two.errors > 0


def test_keeping_only_a_selection_hides_the_rest_in_order() -> None:
    talk = Conversation([said("user", str(number)) for number in range(5)])
    talk.execute({"operation": "DELETE", "indices": [2]})
    talk.execute(keep_only(talk, [4, 1, 2]))
    assert list(talk.view) == [1, 4]
    with pytest.raises(Refused, match="nothing that is visible is selected"):
        keep_only(talk, [0, 2])


def test_titles_tags_and_notes_of_which_nothing_is_left(library: Library) -> None:
    id = secretive(library, title="hush", tags=["hush", "good"], note="hush", remarks=[(0, "hush")])
    done = replace_in(library, id, [own_pattern("hush", "")], with_details=True)
    assert done is not None
    with library.open(id, read_only=True) as session:
        details = session.details
    assert (details.title, details.tags) == ("untitled", ("good",))
    assert (details.note, details.remarks) == ("", ())
    replace_in(library, id, [own_pattern("good", "x" * 300 + "\n")], with_details=True)
    with library.open(id, read_only=True) as session:
        assert session.details.tags == ("x" * 64,)
