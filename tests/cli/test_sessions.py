"""Commands work on sessions as they do on files; what they say is done is on disk."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxtui.cli import COMMANDS, sessions
from ctxtui.core.storage import Library
from tests.cli.conftest import SAMPLES, Run, Write
from tests.storage.processes import worker

TOUR, TRIP = SAMPLES / "tour.json", SAMPLES / "trip.openai.json"
WINDOW = SAMPLES / "recipes" / "plain-window.json"


def visible(run: Run, name: str) -> list[Any]:
    return [one["rawIndex"] for one in run("show", name, "--json").data]


def bytes_of(library: Path, id: str) -> dict[str, bytes]:
    """Return the files of a session; a lock file says nothing."""
    paths = [path for path in library.glob(f"{id}.*") if path.suffix in (".json", ".journal")]
    return {path.name: path.read_bytes() for path in paths}


@pytest.mark.parametrize(
    "asked",
    [
        ("show", "--json"),
        ("show", "--scope", "raw", "--batch", "#1"),
        ("lint", "--json"),
        ("diff", "0", "3"),
        ("why", "3"),
        ("simulate", "--policy", str(WINDOW)),
        ("apply", "--ops", str(WINDOW), "-o", "-"),
        ("apply", "--ops", str(WINDOW), "--dry-run"),
    ],
    ids=" ".join,
)
def test_a_session_answers_as_its_file_does(
    run: Run, tour: str, library: Path, asked: tuple[str, ...]
) -> None:
    command, *rest = asked
    before = bytes_of(library, tour)
    theirs = run(command, TOUR, *rest)
    for name in (tour, "fix-flaky-upload"):
        ours = run(command, name, *rest)
        assert ours.code == theirs.code
        if command != "apply":
            assert ours.out == theirs.out
    assert bytes_of(library, tour) == before


def test_a_file_wins_over_a_session_of_that_name(
    run: Run, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("chat.json", [{"role": "user", "content": "first"}])
    run("import", path)
    write("chat.json", [{"role": "user", "content": "second"}])
    monkeypatch.chdir(tmp_path)
    assert run("show", "chat.json", "--json").data[0]["content"] == "second"
    path.unlink()
    assert run("show", "chat.json", "--json").data[0]["content"] == "first"


def test_a_name_that_is_nothing_is_told_in_one_sentence(run: Run) -> None:
    for command, *rest in (("show",), ("lint",), ("why", "0"), ("apply", "--ops", WINDOW)):
        told = run(command, "nobody", *rest)
        assert (told.code, told.out) == (2, "")
        assert (
            told.err == "ctxtui: nobody: there is no such file, and no session is called 'nobody'\n"
        )


def test_apply_saves_in_place(run: Run, tour: str, library: Path) -> None:
    told = run("apply", tour, "--ops", WINDOW)
    assert (told.code, told.out) == (0, "")
    assert told.err.startswith("ctxtui: applied 1 operation: 7 messages visible, ")
    assert told.err.endswith(f"saved in session {tour}\n")
    with Library(library).open(tour, read_only=True) as session:
        assert len(session.conversation.view) == 7
        assert session.notes == ()
    assert run("list", "--json").data["sessions"][0]["visible"] == 7
    assert len(run("show", TOUR, "--json").data) == 11


def test_apply_in_place_prints_the_result_as_json(run: Run, tour: str) -> None:
    data = run("apply", "fix-flaky-upload", "--ops", WINDOW, "--json").data
    assert (data["session"], data["written"], data["createdBatch"]) == (tour, None, True)


def test_apply_with_an_output_leaves_the_session(run: Run, tour: str, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert run("apply", tour, "--ops", WINDOW, "-o", out).code == 0
    assert len(visible(run, str(out))) == 7
    chat = run("apply", tour, "--ops", WINDOW, "-o", "-", "--to", "openai")
    assert len(json.loads(chat.out)) == 7
    assert len(visible(run, tour)) == 11


def test_a_format_without_an_output_is_bad_usage(run: Run, tour: str) -> None:
    told = run("apply", tour, "--ops", WINDOW, "--to", "openai")
    assert (told.code, told.out) == (2, "")
    assert len(visible(run, tour)) == 11


def test_a_refused_recipe_changes_no_session(
    run: Run, tour: str, write: Write, library: Path
) -> None:
    bad = write("bad.json", [{"operation": "CLEAR"}, {"operation": "DELETE", "indices": [99]}])
    before = bytes_of(library, tour)
    for more in ((), ("--dry-run",), ("--json",)):
        told = run("apply", tour, "--ops", bad, *more)
        assert (told.code, told.out) == (1, "")
        assert told.err == f"ctxtui: {bad}: step 1: indices 99 is outside 0…31\n"
    assert bytes_of(library, tour) == before


def test_a_recipe_that_can_not_be_read_changes_no_session(
    run: Run, tour: str, write: Write
) -> None:
    assert run("apply", tour, "--ops", write("r.json", {})).code == 2
    assert run("apply", tour, "--ops", "nope.json").code == 2
    assert len(visible(run, tour)) == 11


def test_a_disk_that_refuses_is_told(run: Run, tour: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        told = run("apply", tour, "--ops", WINDOW)
    assert (told.code, told.out) == (1, "")
    assert "the disk is full" in told.err
    assert told.err.count("\n") == 1
    assert run("verify").code == 0


def test_a_session_open_elsewhere_can_be_read_but_not_changed(
    run: Run, tour: str, library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sessions, "WAIT_SECONDS", 0.1)
    with worker("hold", library, tour) as other:
        _, process = other.answer()
        for refused in (
            ("apply", tour, "--ops", WINDOW),
            ("delete", tour),
            ("delete", tour, "--purge"),
        ):
            told = run(*refused)
            assert (told.code, told.out) == (1, "")
            assert f"process {process} " in told.err
            assert told.err.count("\n") == 1
        other.ask("one more")
        assert other.answer() == ["confirmed"]
        assert run("show", tour, "--json").data[-1]["content"] == "one more"
        for fine in (
            ("why", "fix-flaky-upload", "0"),
            ("export", tour, "-o", tmp_path / "out.json"),
            ("apply", tour, "--ops", WINDOW, "-o", "-"),
            ("apply", tour, "--ops", WINDOW, "--dry-run"),
            ("verify", tour),
            ("import", TOUR),
        ):
            assert run(*fine).code == 0
    assert run("apply", tour, "--ops", WINDOW).code == 0


def test_a_session_that_becomes_free_in_time_is_changed(run: Run, tour: str, library: Path) -> None:
    with worker("hold", library, tour) as other:
        other.answer()
        assert other.process.stdin is not None
        other.process.stdin.close()
        assert run("apply", tour, "--ops", WINDOW).code == 0
    assert len(visible(run, tour)) == 7


def test_other_sessions_are_deleted_although_one_is_locked(
    run: Run, tour: str, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "WAIT_SECONDS", 0.1)
    (trip,) = run("import", TRIP, "--json").data["sessions"]
    with worker("hold", library, tour) as other:
        other.answer()
        told = run("delete", tour, trip["id"], "--json")
    assert told.code == 1
    assert [one["id"] for one in told.data["sessions"]] == [trip["id"]]
    assert [one["id"] for one in run("list", "--json").data["sessions"]] == [tour]


def test_what_a_killed_program_left_is_recovered_and_told(
    run: Run, tour: str, library: Path
) -> None:
    with worker("hold", library, tour) as other:
        other.answer()
        other.ask("just before the end")
        assert other.answer() == ["confirmed"]
        other.process.kill()
        other.process.wait()
    told = run("show", tour, "--json")
    assert told.err == "ctxtui: 1 change was recovered from the journal\n"
    assert told.data[-1]["content"] == "just before the end"
    assert run("verify", tour).code == 0
    assert run("show", tour).err == ""
    assert len(visible(run, tour)) == 12


def test_recipes_applied_at_the_same_time_are_all_kept(run: Run, tour: str, write: Write) -> None:
    added = {"operation": "APPEND", "messages": [{"role": "user", "content": "again"}]}
    command = [
        sys.executable,
        "-m",
        "ctxtui",
        "apply",
        tour,
        "--ops",
        str(write("r.json", [added])),
    ]
    running = [
        subprocess.Popen(command, cwd=SAMPLES.parent, stderr=subprocess.DEVNULL) for _ in range(4)
    ]
    assert [process.wait() for process in running] == [0] * 4
    assert len(visible(run, tour)) == 11 + 4


WITHOUT_LIBRARY = ("replay", "learn", "corpus", "find", "policies")


@pytest.mark.parametrize(
    "command", [one.name for one in COMMANDS if one.name not in WITHOUT_LIBRARY]
)
def test_every_command_can_be_told_which_library(run: Run, command: str) -> None:
    assert "--library DIR" in run(command, "--help").out
