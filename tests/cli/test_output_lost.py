"""What is saved is a success, even where nobody can be told; a second try would do it twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ctxtui.core.storage import Library
from tests.cli.conftest import SAMPLES, Run, Write

TOUR, TRIP = SAMPLES / "tour.json", SAMPLES / "trip.openai.json"
WINDOW = SAMPLES / "recipes" / "plain-window.json"
SAID = "ctxtui: standard output can't be written: {}; what was done is saved\n"


@contextmanager
def broken(kind: str) -> Iterator[int]:
    """Give a stream that can't be written: a full device, or a pipe that nobody reads."""
    if kind == "full":
        handle = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, handle = os.pipe()
        os.close(reader)
    try:
        yield handle
    finally:
        os.close(handle)


def ctxtui(*arguments: object, out: str = "", err: str = "") -> tuple[int, str]:
    """Run a command whose output is broken; return its exit code and its standard error."""
    with broken(out or "full") as output, broken(err or "full") as error:
        done = subprocess.run(
            [sys.executable, "-m", "ctxtui", *map(str, arguments)],
            stdout=output if out else subprocess.DEVNULL,
            stderr=error if err else subprocess.PIPE,
            text=True,
            check=False,
            cwd=SAMPLES.parent,
        )
    return done.returncode, done.stderr or ""


REASONS = {"full": "No space left on device", "closed": "Broken pipe"}
BOTH_WAYS = pytest.mark.parametrize(
    ("kind", "more"), [("full", ()), ("closed", ("--json",))], ids=REASONS
)
"""Each reason once, with output as text or as JSON: every start of a program costs time."""


@pytest.fixture
def batches(tour: str, library: Path) -> Iterator[list[int]]:
    """Give a list that has the number of batches when all is done."""
    found: list[int] = []
    yield found
    with Library(library).open(tour, read_only=True) as session:
        assert [len(session.conversation.batches)] == found


@pytest.mark.parametrize("kind", REASONS)
def test_a_recipe_that_was_saved_is_a_success(tour: str, batches: list[int], kind: str) -> None:
    code, said = ctxtui("apply", tour, "--ops", WINDOW, "--json", out=kind)
    assert (code, said) == (0, SAID.format(REASONS[kind]))
    batches.append(7)


@BOTH_WAYS
def test_it_is_one_where_standard_error_is_lost_too(
    tour: str, batches: list[int], kind: str, more: tuple[str, ...]
) -> None:
    assert ctxtui("apply", tour, "--ops", WINDOW, *more, out=kind, err=kind)[0] == 0
    batches.append(7)


def test_a_recipe_that_was_refused_is_none(tour: str, batches: list[int], write: Write) -> None:
    bad = write("bad.json", [{"operation": "DELETE", "indices": [99]}])
    assert ctxtui("apply", tour, "--ops", bad, "--json", out="full", err="full")[0] == 1
    batches.append(6)


@pytest.mark.parametrize("kind", REASONS)
def test_a_file_that_was_written_is_a_success(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "out.json"
    code, said = ctxtui("apply", TRIP, "--ops", WINDOW, "-o", path, "--json", out=kind)
    assert code == 0
    assert said.endswith(SAID.format(REASONS[kind]))
    assert path.exists()


@pytest.mark.parametrize("kind", REASONS)
def test_a_result_that_was_only_to_be_printed_is_lost(kind: str) -> None:
    code, _ = ctxtui("apply", TRIP, "--ops", WINDOW, out=kind)
    assert code == {"full": 2, "closed": 1}[kind]


@BOTH_WAYS
def test_every_session_is_deleted_and_restored_all_the_same(
    run: Run, kind: str, more: tuple[str, ...]
) -> None:
    made = run("import", TOUR, TRIP, "--json").data["sessions"]
    ids = [one["id"] for one in made]
    for way, left in (((), 0), (("--restore",), 2), (("--purge",), 0)):
        code, said = ctxtui("delete", *ids, *way, *more, out=kind)
        assert (code, said) == (0, SAID.format(REASONS[kind]))
        assert len(run("list", "--json").data["sessions"]) == left


@BOTH_WAYS
def test_every_file_is_imported_all_the_same(run: Run, kind: str, more: tuple[str, ...]) -> None:
    code, told = ctxtui("import", TOUR, TRIP, *more, out=kind)
    said = told.removeprefix("ctxtui: 2 files: 2 sessions (1 native, 1 openai) made\n")
    assert (code, said) == (0, SAID.format(REASONS[kind]))
    assert len(run("list", "--json").data["sessions"]) == 2


@pytest.mark.parametrize("kind", REASONS)
def test_a_standard_error_nobody_reads_changes_no_exit_code(kind: str) -> None:
    assert ctxtui("show", "nobody", err=kind)[0] == 2
    assert ctxtui("apply", TRIP, "--ops", WINDOW, err=kind)[0] == 0


def shell(command: str) -> tuple[int, str, str]:
    """Run a shell's command, in which $RUN is ctxtui; return the exit code and both outputs."""
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RUN": f"{sys.executable} -m ctxtui"},
        cwd=SAMPLES.parent,
    )
    return done.returncode, done.stdout, done.stderr


CLOSED = [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"]


@pytest.mark.parametrize(("streams", "more"), zip(CLOSED, ["", "--json"] * 2, strict=True))
def test_a_recipe_is_applied_where_streams_are_closed(
    tour: str, batches: list[int], streams: str, more: str
) -> None:
    assert shell(f"$RUN apply {tour} --ops {WINDOW} {more} {streams}")[0] == 0
    batches.append(7)


@pytest.mark.parametrize(
    ("command", "streams", "code"),
    [
        (f"show {TRIP}", ">&- 2>&-", 0),
        (f"lint {TOUR}", "<&- >&- 2>&-", 1),
        ("show nobody", "<&- >&- 2>&-", 2),
        ("list", "<&- >&- 2>&-", 0),
        ("--help", "<&- >&- 2>&-", 0),
        ("--nonsense", ">&- 2>&-", 2),
    ],
)
def test_a_closed_stream_changes_no_exit_code(command: str, streams: str, code: int) -> None:
    assert shell(f"$RUN {command} {streams}")[0] == code


def test_the_stream_that_is_open_says_what_it_would() -> None:
    assert shell("$RUN show nobody >&-") == shell("$RUN show nobody >/dev/null")
    assert shell(f"$RUN show {TRIP} 2>&-") == shell(f"$RUN show {TRIP}")


def test_the_app_needs_a_terminal_where_standard_input_is_closed_too() -> None:
    code, out, err = shell(f"$RUN {TRIP} <&-")
    assert (code, out) == (2, "")
    assert err.startswith("ctxtui: the app needs a terminal: ")
    assert err.count("\n") == 1
