"""Two real programs and one session: one writes, the other is told who."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ctxtui.core.storage import Library, Locked, Stale
from tests.storage.processes import worker
from tests.storage.samples import append, small


def test_the_second_opens_read_only_and_names_the_holder(on_disk: Library) -> None:
    on_disk.create(small(), title="tea").close()
    with worker("hold", on_disk.folder, "session00001") as other:
        process = other.answer()[1]
        with pytest.raises(Locked, match=rf"'tea' is open in .*process {process} on") as refusal:
            on_disk.open("session00001")
        other.ask("from the other side")
        assert other.answer() == ["confirmed"]
        reader = on_disk.open("session00001", read_only=True)
        assert reader.holder == refusal.value.holder
        assert reader.conversation.log[-1].text == "from the other side"
        assert reader.notes == ()
        with pytest.raises(Locked, match=f"while .*process {process} on .* has it open"):
            reader.save()
        assert on_disk.verify("session00001") == []


def test_a_lock_is_waited_for(on_disk: Library) -> None:
    on_disk.create(small()).close()
    with worker("hold", on_disk.folder, "session00001") as other:
        other.answer()
        assert other.process.stdin is not None
        other.process.stdin.close()
        with on_disk.open("session00001", wait=30) as session:
            assert not session.read_only


def test_the_lock_of_a_killed_holder_is_free_at_once(on_disk: Library) -> None:
    on_disk.create(small()).close()
    with worker("hold", on_disk.folder, "session00001") as other:
        other.answer()
        other.ask("confirmed before the end")
        other.answer()
        other.process.kill()
        other.process.wait()
        with on_disk.open("session00001") as session:
            assert session.conversation.log[-1].text == "confirmed before the end"
            assert session.notes == ("1 change was recovered from the journal",)


@pytest.mark.parametrize("has_journal", [False, True])
def test_a_stale_save_is_refused_and_nothing_is_written_over(
    on_disk: Library, tmp_path: Path, has_journal: bool
) -> None:
    session = on_disk.create(small(), title="tea")
    if has_journal:
        session.execute(append("a"))
    elsewhere = Library(tmp_path / "elsewhere")
    shutil.copytree(on_disk.folder, elsewhere.folder)
    with elsewhere.open(session.id) as other:
        other.execute(append("by somebody who knows no locks"))
    theirs = (elsewhere.folder / f"{session.id}.json").read_bytes()
    main = on_disk.folder / f"{session.id}.json"
    main.write_bytes(theirs)
    for write in (lambda: session.execute(append("b")), session.sync, session.save, session.close):
        with pytest.raises(Stale, match="changed by another program since it was opened"):
            write()
        assert not session.is_saved
    assert main.read_bytes() == theirs
    assert session.conversation.log[-1].text == "b"
    with on_disk.create(session.conversation.copy(), title="my copy") as copy:
        assert copy.is_saved
    session.abandon()


def test_a_file_that_was_only_touched_is_not_stale(on_disk: Library) -> None:
    session = on_disk.create(small())
    main = on_disk.folder / f"{session.id}.json"
    data = main.read_bytes()
    main.unlink()
    main.write_bytes(data)
    session.execute(append("a"))
    session.save()
    session.close()
    assert on_disk.verify(session.id) == []


def test_an_edit_in_the_middle_of_the_file_of_an_open_session_is_not_written_over(
    on_disk: Library,
) -> None:
    on_disk.create(small(), title="tea").close()
    session = on_disk.open("session00001")
    path = on_disk.folder / "session00001.json"
    changed = path.read_bytes().replace(b'"role":"user"', b'"role":"tool"', 1)
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    session.conversation.execute(append("after the edit"))
    with pytest.raises(Stale):
        session.sync()
    assert path.read_bytes() == changed
    session.abandon()
