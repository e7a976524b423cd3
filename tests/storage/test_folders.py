"""Folders and files that are missing, read-only, or removed while a session is open."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxtui.core import Conversation
from ctxtui.core.storage import Library, NotSaved, Session
from ctxtui.core.storage.disk import RealDisk
from ctxtui.core.storage.folder import sweep
from tests.storage.samples import append, small

ID = "session00001"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_is_made_on_the_first_write_and_is_private(on_disk: Library) -> None:
    assert on_disk.list() == []
    assert not on_disk.folder.exists()
    session = on_disk.create(small())
    session.execute(append("a"))
    assert mode(on_disk.folder) == 0o700
    assert {mode(path) for path in on_disk.folder.iterdir()} == {0o600}


@pytest.mark.parametrize("gone", ["main", "journal", "everything"])
@pytest.mark.parametrize("write", ["sync", "save", "close"])
def test_files_removed_while_open_are_written_anew(on_disk: Library, gone: str, write: str) -> None:
    session = on_disk.create(small())
    session.execute(append("a"))
    match gone:
        case "main":
            (on_disk.folder / f"{ID}.json").unlink()
        case "journal":
            (on_disk.folder / f"{ID}.journal").unlink()
        case _:
            shutil.rmtree(on_disk.folder)
    session.conversation.execute(append("b"))
    getattr(session, write)()
    assert session.is_saved
    again = on_disk.open(ID, read_only=True)
    assert again.conversation == session.conversation
    if session.is_open:
        assert again.holder is not None
        session.close()
    assert on_disk.verify(ID) == []


def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "library").write_text("not a folder")
    session = Library(tmp_path / "library").create(small(), title="tea")
    assert session.problem is not None
    assert "'tea' could not be saved in" in session.problem
    (tmp_path / "library").unlink()
    session.save()
    assert session.is_saved


def test_a_place_where_the_system_makes_no_folders_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path, *_: object, **__: object) -> None:
        # What a system says of folders such as those of its processes, although they are there.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))

    monkeypatch.setattr(Path, "mkdir", refuse)
    session = Library(tmp_path / "library").create(small(), title="tea")
    assert session.problem == (
        f"'tea' could not be saved in {tmp_path / 'library'}: no folder can be made there"
    )


@pytest.fixture
def locked_folder(on_disk: Library) -> Iterator[Library]:
    on_disk.create(small(), title="tea").close()
    for path in on_disk.folder.iterdir():
        path.chmod(0o400)
    on_disk.folder.chmod(0o500)
    if os.access(on_disk.folder, os.W_OK):
        on_disk.folder.chmod(0o700)
        pytest.skip("this user may write anywhere; failing disks are tested elsewhere")
    yield on_disk
    on_disk.folder.chmod(0o700)


def test_a_read_only_folder_can_be_read_and_refuses_in_a_sentence(locked_folder: Library) -> None:
    assert [entry.title for entry in locked_folder.list()] == ["tea"]
    session = locked_folder.open(ID)
    with pytest.raises(NotSaved, match="permission is denied"):
        session.execute(append("a"))
    locked_folder.folder.chmod(0o700)
    for path in locked_folder.folder.iterdir():
        path.chmod(0o600)
    session.close()
    assert locked_folder.open(ID, read_only=True).conversation == session.conversation


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount here")
    if made.returncode:
        pytest.skip("this user may not mount; failing disks are tested elsewhere")
    yield folder
    # Lazily, so that a failing test with a file still open leaves no mount behind.
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill_up(session: Session) -> Conversation:
    """Add to a session until the disk refuses; return what was confirmed."""
    confirmed = session.conversation.copy()
    for number in range(10_000):
        try:
            session.execute(append(f"message {number} " * 20))
        except NotSaved:
            return confirmed
        confirmed = session.conversation.copy()
    raise AssertionError("the disk never got full")


def test_a_full_disk_loses_nothing_and_saving_works_once_there_is_room(tiny_disk: Path) -> None:
    ballast = tiny_disk / "ballast"
    ballast.write_bytes(b"x" * 100_000)
    library = Library(tiny_disk / "library")
    session = library.create(small())
    confirmed = fill_up(session)
    assert library.open(session.id, read_only=True).conversation == confirmed
    with pytest.raises(NotSaved, match="the disk is full"):
        session.save()
    assert library.open(session.id, read_only=True).conversation == confirmed
    ballast.unlink()
    session.save()
    session.close()
    assert library.open(session.id, read_only=True).conversation == session.conversation
    assert library.verify(session.id) == []


def test_unfinished_files_of_dead_processes_are_swept(tmp_path: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    token = "-0123456789abcdef.part"
    ours = [f"{name}.{dead.pid}{token}" for name in (f"{ID}.holder", f"{ID}.json", "index.json")]
    others = [f"{ID}.json.{os.getpid()}{token}", "zsession.json"]
    for name in (*ours, *others):
        (tmp_path / name).write_bytes(b"")
    assert sorted(sweep(RealDisk(), tmp_path)) == sorted(ours)
    assert RealDisk().names(tmp_path) == others
