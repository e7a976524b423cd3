"""What a library does, on disk and in memory alike."""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.storage import ImportSource, Library, Locked, NotFound, StorageError
from tests.storage.conftest import Make
from tests.storage.samples import EDITS, append, edited, said, small

ID = "session00001"


def test_a_new_session_is_saved_at_once(library: Library) -> None:
    session = library.create(small(), title="first")
    assert (session.id, session.title, session.is_saved) == (ID, "first", True)
    assert session.problem is None
    assert library.open(ID, read_only=True).conversation == session.conversation


def test_a_session_comes_back_equal_with_all_its_history(library: Library) -> None:
    conversation = edited()
    library.create(conversation).close()
    with library.open(ID) as again:
        assert again.conversation == conversation
        assert again.conversation.usage == conversation.usage
        assert again.notes == ()
        assert again.is_saved


def test_each_operation_is_confirmed_without_a_save(library: Library) -> None:
    session = library.create(small())
    for edit in EDITS:
        session.execute(edit)
        assert session.is_saved
        assert library.open(ID, read_only=True).conversation == session.conversation


def test_what_is_done_to_the_conversation_waits_for_a_sync(library: Library) -> None:
    session = library.create(small())
    session.conversation.execute(append("a"))
    session.conversation.execute(append("b"))
    waiting = session.is_saved
    assert len(library.open(ID, read_only=True).conversation.log) == 3
    session.sync()
    assert (waiting, session.is_saved) == (False, True)
    assert library.open(ID, read_only=True).conversation == session.conversation


def test_a_refused_operation_leaves_the_session_saved(library: Library) -> None:
    session = library.create(small())
    with pytest.raises(Refused):
        session.execute({"operation": "ROLLBACK", "targetBatchIndex": 7})
    assert session.is_saved


def test_undo_and_redo_go_on_after_reopening(library: Library) -> None:
    with library.create(small()) as session:
        session.execute(append("four"))
        session.execute({"operation": "CLEAR", "keepSystemMessage": False})
        session.execute({"operation": "UNDO"})
    with library.open(ID) as session:
        session.execute({"operation": "REDO"})
        assert len(session.conversation.view) == 0
        session.execute({"operation": "UNDO"})
        session.execute({"operation": "UNDO"})
        assert len(session.conversation.view) == 3


def test_a_journal_that_grows_is_folded_by_itself(make: Make) -> None:
    library = make(fold_at=2_000)
    session = library.create(small())
    for number in range(60):
        session.execute(append(f"message {number}"))
    assert library.list()[0].messages > 30
    assert library.open(ID, read_only=True).conversation == session.conversation


def test_a_second_opener_is_told_who_holds_the_session(library: Library) -> None:
    session = library.create(small(), title="mine")
    with pytest.raises(Locked, match="'mine' is open in") as refusal:
        library.open(ID)
    reader = library.open(ID, read_only=True)
    assert reader.read_only
    assert reader.holder == refusal.value.holder != ""
    session.close()
    with library.open(ID) as session:
        assert session.holder is None


def test_a_read_only_session_never_writes(library: Library) -> None:
    session = library.create(small())
    reader = library.open(ID, read_only=True)
    reader.conversation.execute(append("only in memory"))
    for write in (reader.sync, reader.save, lambda: reader.describe(title="x")):
        with pytest.raises(Locked, match="has it open"):
            write()
    reader.close()
    assert library.open(ID, read_only=True).conversation == session.conversation
    session.close()
    with pytest.raises(Locked, match="to be read only"):
        library.open(ID, read_only=True).save()


def test_a_closed_session_says_so(library: Library) -> None:
    session = library.create(small(), title="gone")
    session.close()
    session.close()
    with pytest.raises(StorageError, match="'gone' is closed"):
        session.save()


def test_details_are_journaled_and_kept(library: Library) -> None:
    session = library.create(small(), title="first")
    session.describe(title="second", tags=["a", "b", "a"])
    session.describe(status="needs work", note="look at the end")
    reader = library.open(ID, read_only=True)
    assert reader.details == session.details
    session.close()
    with library.open(ID) as again:
        details = again.details
    assert (details.title, details.tags) == ("second", ("a", "b"))
    assert (details.status, details.note) == ("needs work", "look at the end")


@pytest.mark.parametrize(
    ("news", "sentence"),
    [
        ({"status": "fine"}, "status 'fine' is not one of new, in review"),
        ({"title": ""}, "1 to 200 are legal"),
        ({"title": 5}, "title 5 is not text"),
        ({"tags": "a"}, "tags 'a' is not a list of tags"),
        ({"tags": ["a\nb"]}, "holds a control character"),
        ({"note": None}, "note null is not text"),
        ({"created": 5}, "'created' is not one of title, tags, status, note"),
    ],
)
def test_bad_details_are_refused_and_nothing_changes(
    library: Library, news: dict[str, object], sentence: str
) -> None:
    session = library.create(small())
    before = session.details
    with pytest.raises(Refused, match=sentence):
        session.describe(**news)
    assert session.details == before
    assert session.is_saved


def test_the_list_shows_each_session_with_its_figures(library: Library) -> None:
    library.create(small("a"), title="old").close()
    with library.create(edited(), title="new") as session:
        session.describe(tags=["x"], status="accepted")
    new, old = library.list()
    assert (new.title, old.title) == ("new", "old")
    c = session.conversation
    assert (new.messages, new.visible, new.batches) == (len(c.log), len(c.view), len(c.batches))
    assert (new.tokens, new.counter) == (c.tokens.total, "bytes/4")
    assert (new.tags, new.status, new.updated) == (("x",), "accepted", session.details.updated)
    assert old.problem is None


def test_an_empty_library_lists_nothing(library: Library) -> None:
    assert library.list() == []
    assert library.purge() == []


def test_a_session_is_found_by_id_or_unique_title(library: Library) -> None:
    library.create(small(), title="tea time").close()
    library.create(small(), title="tea").close()
    library.create(small(), title="tea").close()
    assert library.find("session00002") == "session00002"
    assert library.find("tea time") == ID
    with pytest.raises(NotFound, match="2 sessions are called 'tea'; choose by id: session0000"):
        library.find("tea")
    with pytest.raises(NotFound, match=r"no session is called 'TIME'; .*session00001 \(tea time\)"):
        library.find("TIME")
    with pytest.raises(NotFound, match=r"no session is called 'coffee'$"):
        library.find("coffee")


def test_titles_come_from_the_conversation_or_its_file(library: Library) -> None:
    named = Conversation([said("user", "x")], meta={"title": "told\nby itself"})
    assert library.create(named).title == "told by itself"
    assert library.create(small(), source=ImportSource.of("chats/a.json", b"{}")).title == "a.json"
    assert library.create(small()).title == "untitled"


def test_the_same_file_with_the_same_content_is_found_again(library: Library) -> None:
    for part in (1, 0):
        library.create(small(), source=ImportSource.of("a.json", b"[]", part)).close()
    library.create(small(), source=ImportSource.of("a.json", b"[1]")).close()
    found = library.made_from(ImportSource.of("./a.json", b"[]"))
    assert [entry.id for entry in found] == ["session00002", "session00001"]
    assert library.made_from(ImportSource.of("b.json", b"[]")) == []


def test_a_deleted_session_can_be_restored(library: Library) -> None:
    session = library.create(edited(), title="kept")
    with pytest.raises(Locked):
        library.delete(ID)
    session.execute(append("in the journal file"))
    session.abandon()
    library.delete(ID)
    assert library.list() == []
    assert library.trash.ids() == [ID]
    with pytest.raises(NotFound):
        library.open(ID)
    library.restore(ID)
    assert library.open(ID, read_only=True).conversation == session.conversation
    assert library.trash.ids() == []


def test_the_trash_can_be_emptied(library: Library) -> None:
    for _ in range(3):
        library.create(small()).close()
    for number in (1, 2):
        library.delete(f"session0000{number}")
    assert library.purge(ID) == [ID]
    with pytest.raises(NotFound, match="no session session00001 in the trash"):
        library.restore(ID)
    with pytest.raises(NotFound):
        library.purge(ID)
    assert library.purge() == ["session00002"]
    assert library.trash.ids() == []
    assert len(library.list()) == 1


def test_no_new_session_takes_the_id_of_one_in_use_or_in_the_trash(make: Make) -> None:
    names = iter([ID, ID, "session00002", ID, "session00002", "session00003"])
    library = make(ids=lambda: next(names))
    library.create(small("a")).close()
    assert library.create(small("b")).id == "session00002"
    library.delete(ID)
    assert library.create(small("c")).id == "session00003"


def test_a_duplicate_is_independent(library: Library) -> None:
    with library.create(edited(), title="one") as session:
        twin = library.duplicate(ID)
        assert twin.title == "one (copy)"
        assert twin.conversation == session.conversation
        twin.execute(append("more"))
        assert twin.conversation != session.conversation
    assert library.verify(twin.id) == []


@pytest.mark.parametrize(
    "id",
    ["../../../etc", "index", "session0000/", "SESSION00001", "", "session000001", "séssion00001"],
)
def test_nothing_but_an_id_opens_anything(library: Library, id: str) -> None:
    for use in (library.open, library.delete, library.restore, library.purge, library.verify):
        with pytest.raises(NotFound, match="12 small letters and digits"):
            use(id)


def test_details_of_a_small_session_are_safe_without_a_journal(library: Library) -> None:
    library.create(small()).close()
    session = library.open(ID)
    session.describe(title="another", tags=["kept"])
    assert session.is_saved
    assert not library.listing.has_journal(ID)
    assert library.open(ID, read_only=True).details == session.details
    session.execute(append("more"))
    session.describe(status="accepted")
    assert library.listing.has_journal(ID)
    session.abandon()
    with library.open(ID) as again:
        assert (again.title, again.details.status) == ("another", "accepted")


def test_an_unknown_session_is_named(library: Library) -> None:
    for use in (library.open, library.delete, library.verify, library.duplicate):
        with pytest.raises(NotFound, match="there is no session session00001 in"):
            use(ID)


def test_verify_finds_nothing_wrong_and_folds_a_leftover_journal(library: Library) -> None:
    session = library.create(edited())
    session.execute(append("in the journal file"))
    session.abandon()
    assert library.listing.has_journal(ID)
    assert library.verify(ID) == []
    assert not library.listing.has_journal(ID)
    assert library.open(ID, read_only=True).notes == ()


def test_recovery_from_the_journal_is_told(library: Library) -> None:
    session = library.create(small())
    session.execute(append("a"))
    session.execute(append("b"))
    session.abandon()
    with library.open(ID) as again:
        assert again.notes == ("2 changes were recovered from the journal",)
        assert again.conversation == session.conversation
        again.execute(append("c"))
    assert len(library.open(ID, read_only=True).conversation.log) == 6
