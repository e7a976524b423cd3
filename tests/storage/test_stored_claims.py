"""A file that is sealed but tells something that can't be is never believed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.core.storage import ImportSource, Library
from ctxtui.core.storage.checksummed import ChecksummedStorage, stated_checksum
from ctxtui.core.storage.disk import RealDisk
from ctxtui.core.storage.journal_file import Header, JournalFile
from tests.storage.samples import append, edited, small

ID = "session00001"
Tables = dict[str, Any]


def last(tables: Tables, name: str) -> Any:
    return list(tables[name].values())[-1]


def group(tables: Tables) -> Any:
    return next(row for row in tables["journal"].values() if row["operation"] == "APPEND")


CLAIMS: dict[str, Callable[[Tables], object]] = {
    "another view": lambda t: last(t, "revisions").update(hash="0" * 16),
    "another parent": lambda t: last(t, "revisions").update(parent=0),
    "another length": lambda t: t["revisions"]["2"].update(length=1),
    "a revision less": lambda t: t["revisions"].popitem(),
    "a revision more": lambda t: t["revisions"].update({"99": {}}),
    "another mark": lambda t: t["marks"]["1"].update(raw=[[1, 1]]),
    "no marks": lambda t: t["marks"].clear(),
    "a message less": lambda t: t["messages"].popitem(),
    "a message more": lambda t: t["messages"].update(
        {str(len(t["messages"]) + 1): {"role": "user", "content": "x"}}
    ),
    "a message out of place": lambda t: t["messages"].update({"77": t["messages"].pop("5")}),
    "a record less": lambda t: t["journal"].popitem(),
    "another time": lambda t: group(t).update(times=[-1]),
    "other sizes": lambda t: group(t).update(sizes=[0, *group(t)["sizes"]]),
    "a size of none": lambda t: group(t).update(
        sizes=[0, *group(t)["sizes"]], times=[1, *group(t)["times"]]
    ),
    "no counter": lambda t: group(t).update(counter=None),
    "counts that are none": lambda t: group(t).update(counts="many"),
    "a count beyond all": lambda t: group(t)["counts"].__setitem__(0, 2**50),
    "messages of another": lambda t: group(t).update(raw=[0, 1]),
    "messages beyond the log": lambda t: group(t).update(raw=[900, 4]),
    "no such runs": lambda t: group(t).update(raw="all"),
    "another total": lambda t: t["meta"]["1"].update(tokens=1),
    "another current view": lambda t: t["meta"]["1"].update(view=[[0, 1]]),
    "no status": lambda t: t["meta"]["1"].update(status="fine"),
    "a table that is none": lambda t: t.update(journal={"1": 5}),
    "no table": lambda t: t.pop("marks"),
}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS.keys())
def test_a_false_claim_is_found(on_disk: Library, claim: Callable[[Tables], object]) -> None:
    conversation = edited()
    with on_disk.create(conversation, title="tea") as session:
        storage = ChecksummedStorage(on_disk.folder / f"{session.id}.json")
    tables = storage.read()
    assert tables is not None
    claim(tables)
    storage.write(tables)
    assert on_disk.verify(ID)
    with on_disk.open(ID) as session:
        assert session.id != ID
        assert "the session file is damaged" in session.notes[0]
        known = {message.text for message in conversation.log}
        kept = {message.text for message in session.conversation.log}
    assert len(known - kept) <= 1


@pytest.mark.parametrize("has_news", [False, True])
def test_a_journal_that_outlived_its_fold_is_not_done_twice(
    on_disk: Library, has_news: bool
) -> None:
    session = on_disk.create(small(), title="old")
    session.execute(append("a"))
    session.describe(title="newer")
    journal = on_disk.folder / f"{ID}.journal"
    before = journal.read_bytes()
    if has_news:
        session.conversation.execute(append("b"))
    session.describe(title="newest")
    session.save()
    session.abandon()
    journal.write_bytes(before)
    with on_disk.open(ID) as again:
        assert again.id == ID
        assert again.conversation == session.conversation
        assert again.title == "newest"
        again.execute(append("c"))
        again.describe(title="last")
        again.abandon()
    with on_disk.open(ID) as last:
        assert last.conversation == again.conversation
        assert last.title == "last"
    assert on_disk.verify(ID) == []
    assert not journal.exists()


def test_a_journal_that_leaves_a_change_out_is_not_followed(on_disk: Library) -> None:
    with on_disk.create(small()) as session:
        session.execute(append("a"))
        session.execute(append("b"))
        record = session.conversation.journal[1]
    path = on_disk.folder / f"{ID}.json"
    base = stated_checksum(path.read_bytes())
    assert base is not None
    journal = JournalFile(RealDisk(), on_disk.folder / f"{ID}.journal")
    journal.start(Header(ID, base, 3), [{"n": 4, "record": record.to_dict()}])
    assert "it is change 4, but change 3 should follow" in on_disk.verify(ID)[0]


def test_a_journal_older_than_the_last_fold_is_not_used(on_disk: Library) -> None:
    session = on_disk.create(small())
    session.execute(append("a"))
    journal = on_disk.folder / f"{ID}.journal"
    before = journal.read_bytes()
    session.save()
    session.execute(append("b"))
    session.save()
    session.execute(append("c"))
    session.close()
    journal.write_bytes(before)
    assert "continues another session file" in on_disk.verify(ID)[0]


def test_where_a_session_came_from_is_kept(on_disk: Library) -> None:
    from_file = on_disk.folder.parent / "chat.json"
    content = b"[]"
    source = ImportSource.of(from_file, content, 3)
    on_disk.create(small(), source=source).close()
    with on_disk.open(ID) as session:
        assert session.details.source == source
        session.execute(append("a"))
    assert [entry.id for entry in on_disk.made_from(ImportSource.of(from_file, content))] == [ID]
