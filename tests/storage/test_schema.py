"""Versions: files of newer versions are refused, and stay as they are."""

from __future__ import annotations

import pytest

from ctxtui.core.storage import Library, TooNew
from ctxtui.core.storage.checksummed import ChecksummedStorage
from tests.storage.samples import append, edited

ID = "session00001"


def rewritten(library: Library, version: object) -> ChecksummedStorage:
    """Save a session, then write its file as another version would."""
    library.create(edited(), title="tea").close()
    storage = ChecksummedStorage(library.folder / f"{ID}.json")
    tables = storage.read()
    assert tables is not None
    tables["meta"]["1"]["version"] = version
    storage.write(tables)
    return storage


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
