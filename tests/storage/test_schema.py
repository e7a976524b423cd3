"""Versions: older files are brought up to date, newer ones are refused politely."""

from __future__ import annotations

import pytest

from ctxtui.core.storage import Library, TooNew
from ctxtui.core.storage import checksummed as versions
from ctxtui.core.storage.checksummed import ChecksummedStorage, TableRow, Tables
from tests.storage.samples import append, edited

ID = "session00001"


def rewritten(library: Library, version: object) -> ChecksummedStorage:
    """Save a session, then write its file as another version would."""
    library.create(edited(), title="tea").close()
    storage = ChecksummedStorage(library.folder / f"{ID}.json")
    tables = storage.read()
    assert tables is not None
    tables["meta"]["1"]["version"] = version
    if version == 0 and versions.MIGRATIONS:
        tables["log"] = tables.pop("messages")
    storage.write(tables)
    return storage


def rename_log(tables: Tables) -> Tables:
    """Bring tables of the invented version 0 to version 1."""
    meta = {"1": {**tables["meta"]["1"], "version": 1}}
    others = {name: table for name, table in tables.items() if name != "log"}
    return {**others, "messages": tables["log"], "meta": meta}


def test_an_older_file_is_migrated_and_then_saved_as_new(
    on_disk: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(versions.MIGRATIONS, 0, rename_log)
    storage = rewritten(on_disk, 0)
    session = on_disk.open(ID)
    assert session.conversation == edited()
    assert "of version 0" in session.notes[0]
    session.execute(append("new"))
    session.abandon()
    session = on_disk.open(ID)
    assert session.conversation.log[-1].text == "new"
    session.close()
    tables = storage.read()
    assert tables is not None
    assert tables["meta"]["1"]["version"] == 1
    assert on_disk.open(ID, read_only=True).notes == ()


def test_a_newer_file_is_refused_and_left_alone(on_disk: Library) -> None:
    storage = rewritten(on_disk, 2)
    before = storage.path.read_bytes()
    with pytest.raises(TooNew, match=r"has version 2 and the newest .* is 1; update ctxtui"):
        on_disk.open(ID)
    assert storage.path.read_bytes() == before
    entry = on_disk.list()[0]
    assert entry.problem is not None
    assert "update ctxtui" in entry.problem
    assert len(on_disk.verify(ID)) == 1


@pytest.mark.parametrize("version", [-1, 0, True, "1", None])
def test_a_version_that_never_was_counts_as_damage(on_disk: Library, version: object) -> None:
    rewritten(on_disk, version)
    with on_disk.open(ID) as session:
        assert session.id != ID
        assert "is not a version of the session file" in session.notes[0]


def test_a_newer_journal_is_refused(on_disk: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    on_disk.create(edited()).close()
    with monkeypatch.context() as later:
        later.setattr("ctxtui.core.storage.journal_file.VERSION", 2)
        session = on_disk.open(ID)
        session.execute(append("by a newer program"))
        session.abandon()
    with pytest.raises(TooNew, match="the journal file has version 2"):
        on_disk.open(ID)


def test_lines_of_an_older_journal_are_migrated(
    on_disk: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_disk.create(edited()).close()
    monkeypatch.setitem(versions.MIGRATIONS, 0, rename_log)
    with monkeypatch.context() as earlier:
        earlier.setattr("ctxtui.core.storage.journal_file.VERSION", 0)
        earlier.setattr(
            "ctxtui.core.storage.session.record_line", lambda n, r: {"at": n, **r.to_dict()}
        )
        earlier.setattr("ctxtui.core.storage.session.with_figures", lambda lines, *_: lines)
        session = on_disk.open(ID)
        session.execute(append("by an older program"))
        session.abandon()

    def nested(line: TableRow) -> TableRow:
        return {"n": line["at"], "record": {key: line[key] for key in line if key != "at"}}

    monkeypatch.setitem(versions.LINE_MIGRATIONS, 0, nested)
    assert on_disk.open(ID, read_only=True).conversation == session.conversation
