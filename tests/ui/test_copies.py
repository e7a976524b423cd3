"""Copies and pictures: files a user asked for, kept where they are found and not for ever."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.app import App

from ctxtui.clipboard import KEPT, MOST_CHARACTERS, copies_folder, copy_text, save_picture
from ctxtui.files.preferences import FOLDER

LARGE = "x" * MOST_CHARACTERS + "\ud800"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep copies in a folder of this test's own, and work in another one."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "config" / "copies"


def copied(name: str, text: str = LARGE) -> str:
    return copy_text(App[None](), name, text).text


def test_a_large_copy_is_a_private_file_that_stays(folder: Path) -> None:
    path = folder / "raw-3.txt"
    assert copied("raw-3") == f"Too large for the clipboard, so written to a file. {path}"
    assert path.read_text(encoding="utf-8", errors="surrogatepass") == LARGE
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_second_copy_of_the_same_message_leaves_the_first(folder: Path) -> None:
    copied("raw-3")
    copied("raw-3", "y" * (MOST_CHARACTERS + 1))
    assert sorted(path.name for path in folder.iterdir()) == ["raw-3-2.txt", "raw-3.txt"]
    assert (folder / "raw-3.txt").read_bytes().startswith(b"x")


def test_only_the_last_copies_stay(folder: Path) -> None:
    for number in range(KEPT + 3):
        copied(f"raw-{number}")
        # Copies made within one tick of the clock would be equally old.
        os.utime(folder / f"raw-{number}.txt", (number, number))
    left = {path.name for path in folder.iterdir()}
    assert left == {f"raw-{number}.txt" for number in range(3, KEPT + 3)}


def test_the_newest_copy_stays_whatever_the_clock_says(folder: Path) -> None:
    for number in range(KEPT):
        copied(f"raw-{number}")
        os.utime(folder / f"raw-{number}.txt", (2**33, 2**33))
    copied("newest")
    assert (folder / "newest.txt").exists()
    assert len(list(folder.iterdir())) == KEPT


def test_a_copy_that_can_not_be_written_is_told(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where a folder should be", encoding="utf-8")
    assert copied("raw-3") == f"Not copied. No file can be written in {folder}: File exists"


def test_copies_are_in_the_cache_unless_another_folder_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(FOLDER)
    assert copies_folder().name == "copies"
    assert "ctxtui" in copies_folder().parts


async def test_pictures_taken_in_one_second_are_all_kept() -> None:
    app = App[None]()
    async with app.run_test():
        said = [save_picture(app) for _ in range(3)]
    paths = [Path(one.detail) for one in said]
    assert len({*paths}) == 3
    assert all(path.read_text(encoding="utf-8").startswith("<svg") for path in paths)
    assert sorted(Path.cwd().iterdir()) == sorted(paths)


async def test_a_folder_that_takes_no_picture_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    app = App[None]()
    async with app.run_test():
        monkeypatch.setattr(os, "fsync", full)
        said = save_picture(app)
    assert said.text == "No picture. It can't be written here: No space left on device"
    assert list(Path.cwd().iterdir()) == []
