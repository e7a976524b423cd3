"""Who writes which session right now is known from locks, not from what was left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxtui.core.storage import Library, StorageError
from tests.storage.processes import worker
from tests.storage.samples import append, small


def test_only_sessions_that_are_open_for_writing_are_told(library: Library) -> None:
    assert library.writers() == {}
    with library.create(small(), title="open") as writer:
        library.create(small(), title="closed").close()
        reader = library.open(writer.id, read_only=True)
        assert list(library.writers()) == [writer.id]
        assert f"process {os.getpid()}" in library.writers()[writer.id]
        reader.close()
    assert library.writers() == {}


def test_what_a_killed_program_left_is_no_writer(on_disk: Library) -> None:
    on_disk.create(small(), title="tea").close()
    with worker("hold", on_disk.folder, "session00001") as other:
        process = other.answer()[1]
        other.ask("a line in the journal")
        other.answer()
        assert f"process {process}" in on_disk.writers()["session00001"]
        other.process.kill()
        other.process.wait()
        assert (on_disk.folder / "session00001.holder").exists()
        assert on_disk.writers() == {}


def test_a_writer_without_a_note_is_found_by_its_journal(on_disk: Library) -> None:
    writer = on_disk.create(small(), title="tea")
    writer.execute(append("four"))
    (on_disk.folder / f"{writer.id}.holder").unlink()
    assert on_disk.writers() == {writer.id: "another program"}


def test_a_folder_that_is_no_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(StorageError, match="is not a library"):
        Library(tmp_path).writers()
