"""What is purged is in no byte of any file of the library any more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.patterns import PATTERNS, own_pattern
from ctxtui.core.curation.purging import (
    in_spool,
    in_trash,
    keep_only,
    leftovers_in,
    purge,
    split,
    split_session,
    squash_session,
)
from ctxtui.core.curation.replacing import (
    change_hits,
    find_in,
    meant,
    replace_in,
    save_changes,
    search,
)
from ctxtui.core.engine.meta_fields import other_fields
from ctxtui.core.errors import Refused
from ctxtui.core.storage import Library, Locked, MemoryLibrary, Session, StorageError
from ctxtui.core.storage.checksummed import read_checksummed, with_checksum
from ctxtui.core.storage.disk import RealDisk
from ctxtui.core.values.frozen import thaw
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
    replace_in(library, id, patterns())
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


@pytest.mark.parametrize("key", ["fields", "openai"])
@pytest.mark.parametrize("is_purging", [False, True])
def test_squashed_sessions_keep_their_other_fields_unless_these_are_dropped(
    library: Library, key: str, is_purging: bool
) -> None:
    for has_fields in (True, False):
        fields = {"label": "x", "scores": [1]}
        meta = {"openai": {}, "hf": {"messages": ["bare"]}, key: fields, "other": {"a": 1}}
        session = library.create(Conversation([said("user", "hi")], meta=meta), title="t")
        session.close()
        made = squash_session(library, session.id, is_purging=is_purging, has_fields=has_fields)
        with library.open(made.new, read_only=True) as new:
            meta = thaw(new.conversation.meta)
        assert other_fields(meta) == (fields if has_fields else {})
        assert meta["hf"] == {"messages": ["bare"]}
        assert ("label" in str(meta)) is has_fields


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_lines_of_a_transcript_that_repeat_what_was_hidden_are_purged(
    library: Library, name: str
) -> None:
    lines = [[0, {"type": "event_msg", "payload": {"message": SECRETS[0]}}]]
    for meta in ({name: {}, "fields": {"lines": lines}}, {name: {"others": lines}}):
        talk = Conversation([said("user", SECRETS[0]), said("user", "hi")], meta=meta)
        talk.execute({"operation": "DELETE", "indices": [0]})
        session = library.create(talk, title="t")
        session.close()
        squash_session(library, session.id, is_purging=True)
        assert left(library.folder) == {}


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


def test_what_waits_in_the_spool_is_counted_until_it_is_recorded(library: Library) -> None:
    slip = library.spool.begin()
    slip.add(
        json.dumps({"request": {"messages": ["to ann@mail.example", "\u91d1\u4e1d"]}}).encode()
    )
    assert in_spool(library, patterns()) == 1
    assert in_spool(library, [own_pattern("金丝", "x")]) == 1
    slip.delete()
    assert in_spool(library, patterns()) == 0


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


def test_titles_tags_and_notes_are_replaced_and_with_a_role_they_stay(library: Library) -> None:
    id = secretive(library, title=f"mail of {SECRETS[0]}", note=SECRETS[1], tags=[SECRETS[2]])
    plain = replace_in(library, id, patterns(), ["user"])
    assert plain.beside == ()
    assert {"title", "tag", "note"} <= {one.where for one in plain.stays.places}
    done = replace_in(library, id, patterns())
    assert {"title", "tag", "note"} <= set(done.beside)
    made = squash_session(library, id, is_purging=True)
    assert made.title == "mail of [mail]"
    assert left(library.folder) == {}
    with library.open(made.new, read_only=True) as session:
        assert (session.details.tags, session.details.note) == (("[x]",), "[phone]")


def test_notes_about_messages_follow_them_and_are_replaced(library: Library) -> None:
    id = secretive(library, remarks=[(0, "first"), (2, f"ask {SECRETS[0]}"), (5, SECRETS[2])])
    replace_in(library, id, patterns(), ["user"])
    replace_in(library, id, patterns(), ["assistant", "tool"])
    with library.open(id, read_only=True) as session:
        size = len(session.conversation.log)
        assert dict(session.details.remarks)[size - 3] == "first"
        assert dict(session.details.remarks)[size - 1] == f"ask {SECRETS[0]}"
    replace_in(library, id, patterns())
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
    found = find_in(library, id, patterns())
    assert found.goes_back
    done = replace_in(library, id, patterns())
    assert done.goes_back
    assert (done.messages, done.hits) == (3, len(meant(found.hits)))
    assert library.list()[0].status == "in review"
    assert replace_in(library, id, patterns()).hits == 0


@pytest.mark.parametrize("status", ["new", "rejected", "needs work"])
def test_other_verdicts_stay(library: Library, status: str) -> None:
    id = secretive(library, status=status)
    replace_in(library, id, patterns())
    assert library.list()[0].status == status


def test_chosen_hits_are_replaced_and_undo_takes_them_back(library: Library) -> None:
    id = secretive(library)
    found = find_in(library, id, patterns()).hits
    with library.open(id) as session:
        save_changes(session, 0, change_hits(session, found[:1]))
    with library.open(id) as session:
        assert str(session.conversation.visible[0].content).startswith("I am [mail] +1")
        session.execute({"operation": "UNDO"})
        assert search(session.conversation, patterns()).hits == found
    replace_in(library, id, patterns())
    with (
        library.open(id) as session,
        pytest.raises(Refused, match="look for it again"),
    ):
        change_hits(session, found)


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


@pytest.mark.parametrize("failing", [1, 2])
def test_of_a_split_that_fails_no_half_is_left(
    library: Library, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    id = secretive(library)
    described: list[Session] = []

    def describe(session: Session, **news: Any) -> None:
        described.append(session)
        if len(described) == failing:
            raise StorageError("the disk is full")

    monkeypatch.setattr(Session, "describe", describe)
    with pytest.raises(StorageError, match="the disk is full"):
        split_session(library, id, 1)
    assert [entry.id for entry in library.list()] == [id]
    assert library.trash.ids() == []


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
    replace_in(library, id, [own_pattern("hush", "")])
    with library.open(id, read_only=True) as session:
        details = session.details
    assert (details.title, details.tags) == ("untitled", ("good",))
    assert (details.note, details.remarks) == ("", ())
    replace_in(library, id, [own_pattern("good", "x" * 300 + "\n")])
    with library.open(id, read_only=True) as session:
        assert session.details.tags == ("x" * 64,)


def noted(text: str, zip: object) -> dict[str, Any]:
    """Return a message whose format kept how its arguments were written."""
    notes = {"openai": {"function": {"arguments": f'{{"text":  "{text}", "zip": {zip}}}'}}}
    use = {"id": "c1", "name": "send", "input": {"text": text, "zip": zip}}
    return said("assistant", [{"type": "tool_use", "tool_use": use, "metadata": notes}])


def test_what_an_edit_left_in_notes_of_a_format_is_found_and_purged(library: Library) -> None:
    talk = Conversation([noted("call 40712", 1), noted("calm", 2), said("user", "40712")])
    left_over = noted("call ", 1)
    left_over["content"][0]["metadata"] = noted("call 40712", 1)["content"][0]["metadata"]
    talk.execute({"operation": "REPLACE", "index": 0, "message": left_over})
    with library.create(talk, title="old") as session:
        id = session.id
    assert leftovers_in(library, id) == ((3,), ())
    made = squash_session(library, id, is_purging=True)
    assert made.cleaned == 1
    assert leftovers_in(library, made.new) == ((), ())
    with library.open(made.new, read_only=True) as session:
        first, second, _ = session.conversation.visible
    assert "40712" not in str(first)
    assert "function" in str(second.parts[0].metadata)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("40712 is the door, again 40712", "is the door, again", "for 40712"),
        ("call Ann at 40712, then Bob", "call at , then Bob", "ANN"),
        ("the zq7 and the zq7", "the and the", "as zq7 says"),
        ("门牌是退货流程，再说一次退货流程", "门牌是，再说一次", "见退货流程"),
    ],
)
def test_what_was_removed_at_several_places_of_a_text_is_found_in_notes(
    library: Library, old: str, new: str, note: str
) -> None:
    edited = {**said("user", new), "metadata": {"openai": {"name": note}}}
    talk = Conversation([said("user", old)])
    talk.execute({"operation": "REPLACE", "index": 0, "message": edited})
    with library.create(talk, title="old") as session:
        id = session.id
    assert leftovers_in(library, id) == ((1,), ())


def test_notes_that_hold_nothing_that_was_removed_are_no_leftovers(library: Library) -> None:
    edited = {**said("user", "it is"), "metadata": {"openai": {"name": "island visitor"}}}
    talk = Conversation([said("user", "it is as is")])
    talk.execute({"operation": "REPLACE", "index": 0, "message": edited})
    with library.create(talk, title="old") as session:
        assert leftovers_in(library, session.id) == ((), ())


def test_what_a_file_of_an_older_version_holds_of_redacted_messages_is_found(
    tmp_path: Path,
) -> None:
    library = Library(tmp_path)
    thought = {"type": "thinking", "thinking": {"text": "of 40712"}}
    notes = {"metadata": {"responses": {"summary": "of 40712"}}}
    talk = Conversation([said("assistant", [{**thought, **notes}])])
    talk.execute({"operation": "REDACT", "indices": [0], "text": "gone"})
    with library.create(talk, title="old") as session:
        id = session.id
    assert leftovers_in(library, id) == ((), ())
    as_older_versions_wrote(tmp_path / f"{id}.json", 1, notes["metadata"])
    assert library.verify(id) == []
    assert leftovers_in(library, id) == ((1,), ())
    made = squash_session(library, id, is_purging=True)
    assert leftovers_in(library, made.new) == ((), ())
    assert everywhere(tmp_path, "40712") == []


def as_older_versions_wrote(path: Path, raw: int, metadata: dict[str, Any]) -> None:
    """Put into the part of a stored message what versions up to 0.1 kept there, and seal it."""
    tables = dict(read_checksummed(path.read_bytes()).tables)
    tables["messages"][str(raw + 1)]["content"][0]["metadata"] = metadata
    path.write_bytes(with_checksum(tables)[0])


def test_notes_of_a_session_squashed_before_are_suspect_where_they_say_something_else(
    library: Library,
) -> None:
    same, other = noted("call", 1), noted("call", 2)
    other["content"][0]["tool_use"]["input"]["zip"] = 3
    cited = {"anthropic": {"citations": [{"cited_text": "a sentence from a book"}]}}
    talk = Conversation(
        [same, other, said("assistant", [{"type": "text", "text": "yes", "metadata": cited}])]
    )
    with library.create(talk.squash(), title="old") as session:
        id = session.id
    assert leftovers_in(library, id) == ((), (1, 2))
    with library.create(talk, title="never squashed") as session:
        assert leftovers_in(library, session.id) == ((), ())
