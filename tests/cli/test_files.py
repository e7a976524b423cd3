"""What is read is bounded: devices, pipes and giants are told in one sentence, never waited for."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxtui.core.formats.source import MIB, MOST_BYTES
from ctxtui.files.reading import MOST_RECIPE_BYTES, read_bytes
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.writing import write_new, write_whole
from tests.cli.conftest import SAMPLES, Run

TOUR, TRIP = SAMPLES / "tour.json", SAMPLES / "trip.openai.json"
WINDOW = SAMPLES / "recipes" / "plain-window.json"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run ``ctxtui`` as a shell does; $RUN is the command."""
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RUN": f"{sys.executable} -m ctxtui"},
        cwd=SAMPLES.parent,
        timeout=60,
    )


def giant(path: Path, size: int) -> Path:
    """Make a file of a size that takes no room on disk."""
    path.touch()
    os.truncate(path, size)
    return path


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_a_device_is_no_file(run: Run, device: str) -> None:
    for asked in (
        ("show", device),
        ("import", device),
        ("replay", device),
        ("apply", TRIP, "--ops", device),
        ("simulate", TRIP, "--policy", device),
        (device,),
    ):
        told = run(*asked)
        assert (told.code, told.out) == (2, "")
        assert told.err == f"ctxtui: {device}: it is a device, not a file\n"


def test_a_device_as_standard_input_is_no_file() -> None:
    told = shell("$RUN show - < /dev/zero")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == "ctxtui: standard input: it is a device, not a file\n"


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(run: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    for asked in (("show", pipe), ("import", pipe), ("apply", TRIP, "--ops", pipe), (pipe,)):
        told = run(*asked)
        assert (told.code, told.out) == (2, "")
        assert told.err == f"ctxtui: {pipe}: it is a pipe, not a file\n"


@pytest.mark.parametrize("place", ["", "./"])
def test_a_link_that_leads_to_no_file_is_called_what_it_is(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop.json").symlink_to("loop.json")
    Path("dead.json").symlink_to("gone.json")
    kinds = {
        "loop.json": "it is a link that leads back to itself",
        "dead.json": "it is a link to a file that does not exist",
    }
    for name, kind in kinds.items():
        path = place + name
        for asked in (
            ("lint", path),
            ("import", path),
            ("replay", path),
            ("apply", TRIP, "--ops", path),
            (path,),
        ):
            told = run(*asked)
            assert (told.code, told.out) == (2, "")
            assert told.err == f"ctxtui: {path}: {kind}\n"


def test_a_folder_is_called_one(run: Run, tmp_path: Path) -> None:
    told = run("show", tmp_path)
    assert told.code == 2
    assert told.err == f"ctxtui: {tmp_path}: it is a folder, not a file\n"


@pytest.mark.parametrize(
    "command",
    [
        f"$RUN show <(cat {TRIP})",
        f"cat {TRIP} | $RUN show -",
        f"cat {TRIP} | $RUN show /dev/stdin",
        f"$RUN show - < {TRIP}",
        f"$RUN simulate {TRIP} --policy <(cat {WINDOW})",
    ],
)
def test_streams_a_shell_hands_over_are_read(command: str) -> None:
    told = shell(command)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout


TOO_LARGE = "a line or document in it is larger than the 1,024 MiB limit"


def test_a_giant_is_refused_before_it_is_read(run: Run, tmp_path: Path) -> None:
    path = giant(tmp_path / "giant.json", MOST_BYTES + 1)
    told = run("show", path)
    assert (told.code, told.out) == (2, "")
    assert told.err == f"ctxtui: {path}: {TOO_LARGE}\n"
    recipe = giant(tmp_path / "recipe.json", MOST_RECIPE_BYTES + 1)
    for command in (("apply", TRIP, "--ops"), ("simulate", TRIP, "--policy")):
        told = run(*command, recipe)
        assert told.code == 2
        assert told.err == f"ctxtui: {recipe}: it is larger than the 64 MiB limit\n"


def test_a_stream_without_end_is_left_at_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        read_so_far = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            assert self.read_so_far < 100 * MIB
            self.read_so_far += len(buffer)
            return len(buffer)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    with pytest.raises(Unreadable, match="standard input: it is larger than the 9 MiB limit"):
        read_bytes("-", most=9 * MIB)


def test_a_file_of_just_the_bound_is_read(tmp_path: Path) -> None:
    path = giant(tmp_path / "file", MIB)
    assert len(read_bytes(str(path), most=MIB)) == MIB


@pytest.mark.parametrize(
    "places",
    [
        ("ctxtui.files.reading._handle",),
        ("ctxtui.core.formats.source.read_dirty_json", "ctxtui.core.formats.read_json"),
    ],
    ids=["bytes", "json"],
)
def test_memory_that_does_not_suffice_is_one_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch, places: tuple[str, ...]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    for place in places:
        monkeypatch.setattr(place, full)
    for asked in (
        ("show", TRIP),
        ("import", TRIP),
        ("replay", TRIP),
        ("apply", TRIP, "--ops", TRIP),
    ):
        told = run(*asked)
        assert (told.code, told.out) == (2, "")
        assert told.err == f"ctxtui: {TRIP}: there is not enough memory to read it\n"


def test_memory_that_runs_out_later_is_one_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("ctxtui.cli.lint.open_target", full)
    told = run("lint", TRIP)
    assert (told.code, told.err) == (2, "ctxtui: there is not enough memory for that\n")


@pytest.mark.parametrize(
    "asked",
    [
        ("apply", "-", "--ops", "-"),
        ("simulate", "-", "--policy", "-"),
        ("simulate", TRIP, "--policy", "-", WINDOW, "-"),
        ("import", "-", TRIP, "-"),
    ],
    ids=lambda asked: asked[0],
)
@pytest.mark.parametrize("text", ["hello", "[]", '[{"role": "user", "content": "hi"}]'])
def test_standard_input_is_given_only_once(
    run: Run, asked: tuple[object, ...], text: str, library: Path
) -> None:
    told = run(*asked, stdin=text)
    assert (told.code, told.out) == (2, "")
    assert sys.stdin.read() == text
    assert not library.exists()
    assert told.err == (
        "ctxtui: standard input: it can be read only once, and - is given more than once\n"
    )


def test_a_new_file_takes_no_other_ones_place(tmp_path: Path) -> None:
    for text in ("one", "two", "three"):
        write_new(tmp_path, "name", ".txt", text)
    found = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert found == {"name.txt": "one", "name-2.txt": "two", "name-3.txt": "three"}


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "file.json"
    write_whole(path, "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Unreadable, match=r"file\.json: it can't be written: No space left"):
        write_whole(path, "new")
    with pytest.raises(OSError, match="No space left"):
        write_new(tmp_path, "other", ".json", "new")
    assert [one.name for one in tmp_path.iterdir()] == ["file.json"]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_file_that_is_written_over_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_whole(path, "old")
    path.chmod(0o640)
    write_whole(path, "new")
    assert path.stat().st_mode & 0o777 == 0o640
