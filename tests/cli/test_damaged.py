"""Sessions are checked; a damaged one is told of, kept as it is, and stops no other."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import SAMPLES, Run

TRIP = SAMPLES / "trip.openai.json"
WINDOW = SAMPLES / "recipes" / "plain-window.json"


def test_verify_says_that_all_is_fine(run: Run, tour: str) -> None:
    told = run("verify")
    assert (told.code, told.err) == (0, "")
    assert told.out == (f"✓ {tour}  fix-flaky-upload: fine\n1 session, 0 with something wrong\n")
    assert run("verify", "fix-flaky-upload", tour, "--json").data == {
        "sessions": [{"id": tour, "title": "fix-flaky-upload", "ok": True, "findings": []}]
    }
    run("delete", tour)
    assert run("verify").out == "0 sessions, 0 with something wrong\n"


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "noise": lambda data: b"\x00\xff" * 50,
    "half": lambda data: data[: len(data) // 2],
    "changed": lambda data: data.replace(b"flaky", b"FLAKY"),
    "strange": lambda data: b'{"meta": {"1": {"messages": "many"}}}',
    "list": lambda data: b"[1, 2]",
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_session_is_told_and_never_written(
    run: Run, tour: str, library: Path, kind: str
) -> None:
    run("import", TRIP)
    path = library / f"{tour}.json"
    damaged = DAMAGE[kind](path.read_bytes())
    path.write_bytes(damaged)
    assert run("list").code == 0
    verified = run("verify", "--json")
    assert verified.code == 1
    assert {one["title"]: one["ok"] for one in verified.data["sessions"]}["trip.openai.json"]
    assert "✖ " + tour in run("verify", tour).out
    for asked in (("show", tour), ("export", tour), ("apply", tour, "--ops", WINDOW)):
        told = run(*asked)
        assert told.code in (0, 1)
        assert told.err.startswith("ctxtui: ")
        assert "Traceback" not in told.err
    assert path.read_bytes() == damaged
    assert run("delete", tour, "--purge").code == 0


def test_a_file_that_is_no_session_is_listed_with_its_problem(
    run: Run, tour: str, library: Path
) -> None:
    (library / f"{tour}.json").write_bytes(b"\x1b[31m")
    told = run("list")
    assert told.code == 0
    assert f"✖ {tour}: " in told.out
    assert "\x1b" not in told.out
    (one,) = run("list", "--json").data["sessions"]
    assert one["problem"]


def test_a_recipe_for_a_damaged_session_goes_nowhere_unasked(
    run: Run, tour: str, library: Path
) -> None:
    path = library / f"{tour}.json"
    path.write_bytes(path.read_bytes().replace(b"flaky", b"FLAKY"))
    told = run("apply", tour, "--ops", WINDOW)
    assert (told.code, told.out) == (1, "")
    (copy,) = [one for one in run("list", "--json").data["sessions"] if one["id"] != tour]
    assert told.err.endswith(
        f"what could be read is in session {copy['id']}: apply the recipe to that one\n"
    )
    assert copy["visible"] == 11
    assert run("apply", copy["id"], "--ops", WINDOW).code == 0
    assert len(run("show", copy["id"], "--json").data) == 7


def test_a_session_of_a_newer_version_is_refused_politely(
    run: Run, tour: str, library: Path
) -> None:
    path = library / f"{tour}.json"
    path.write_bytes(path.read_bytes().replace(b'"version":1', b'"version":99'))
    told = run("show", tour)
    assert (told.code, told.out) == (1, "")
    assert "version 99" in told.err
    assert told.err.count("\n") == 1
    assert run("verify").code == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb'"tokens":218', b'"tokens":"\\u001b[2J"'),
        (rb'"messages":32', b'"messages":null'),
        (rb'"counter":"bytes/4","records"', b'"counter":5,"records"'),
        (rb'"updated":\d+', b'"updated":9000000000000000000'),
        (rb'"title":"fix-flaky-upload"', b'"title":"\\ud800\\u202e\\n\\u001b[2J"'),
    ],
    ids=["tokens", "messages", "counter", "updated", "title"],
)
def test_a_list_survives_whatever_a_file_says_of_itself(
    run: Run, tour: str, library: Path, old: bytes, new: bytes
) -> None:
    run("import", TRIP)
    path = library / f"{tour}.json"
    strange = re.sub(old, lambda _: new, path.read_bytes())
    assert strange != path.read_bytes()
    path.write_bytes(strange)
    told = run("list")
    assert told.code == 0
    assert {line.split()[0] for line in told.out.splitlines()[1:3]} >= {tour}
    assert not any(ord(c) < 32 or c in "\u202e\ud800" for c in told.out.replace("\n", ""))
    assert len(run("list", "--json").data["sessions"]) == 2
