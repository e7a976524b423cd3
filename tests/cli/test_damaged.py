"""Sessions are checked; a damaged one is told of, kept as it is, and stops no other."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from tests.cli.conftest import SAMPLES, Run

TRIP = SAMPLES / "trip.openai.json"
WINDOW = SAMPLES / "recipes" / "plain-window.json"


def test_verify_says_that_all_is_fine(run: Run, tour: str) -> None:
    told = run("verify")
    assert (told.code, told.err) == (0, "")
    assert told.out == (f"✓ {tour}  fix-flaky-upload: fine\n1 session, 0 with something wrong\n")
    row = {"id": tour, "title": "fix-flaky-upload", "ok": True, "findings": []}
    assert run("verify", "fix-flaky-upload", tour, "--json").data == {
        "sessions": [{**row, "leftovers": {"edited": [], "suspect": []}}],
        "files": [],
    }
    run("delete", tour)
    assert run("verify").out == "0 sessions, 0 with something wrong\n"


def test_verify_names_messages_that_still_hold_removed_text_but_not_the_text(
    run: Run, library: Path
) -> None:
    notes = {"metadata": {"openai": {"function": {"arguments": '{"zip":  "40712"}'}}}}
    uses = [{"id": "c1", "name": "send", "input": {"zip": zip}} for zip in ("40712", "")]
    old, new = (
        {"role": "assistant", "content": [{"type": "tool_use", "tool_use": use, **notes}]}
        for use in uses
    )
    talk = Conversation([old])
    talk.execute({"operation": "REPLACE", "index": 0, "message": new})
    with Library(library).create(talk, title="old") as session:
        id = session.id
    told = run("verify")
    assert told.code == 0
    assert told.out.splitlines() == [
        f"▲ {id}  old: 1 message (1) holds text in the notes of a format that an edit took out",
        "1 session, 0 with something wrong",
        "1 session with notes of formats that hold removed text or may; "
        "ctxtui squash --purge drops them",
    ]
    told = run("squash", id, "--purge")
    assert "  dropped what formats kept of 1 message, which could hold removed text" in told.out
    assert run("verify").out.endswith(": fine\n1 session, 0 with something wrong\n")


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
    assert told.err.endswith(f"what could be read is in session {copy['id']}\n")
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


@pytest.fixture
def crashed(run: Run, tour: str, library: Path) -> Path:
    """Return the journal file of a program that was killed after three confirmed changes."""
    session = Library(library).open(tour)
    for text in ("one", "two", "three"):
        message = {"role": "user", "content": text}
        session.execute({"operation": "APPEND", "messages": [message]})
    session.abandon()
    return library / f"{tour}.journal"


@pytest.mark.parametrize(
    ("damage", "lost"),
    [
        (lambda data: data[:-1], 1),
        (lambda data: data[: data.rindex(b"two")], 2),
        (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), 1),
        (lambda data: data.splitlines(keepends=True)[0], 3),
        (lambda data: data[:-3] + b"\0\0\n", 1),
    ],
    ids=["a byte", "a line and a half", "a line", "all lines", "zeros"],
)
def test_a_journal_that_lost_its_end_is_a_finding_and_stays_as_it_is(
    run: Run, tour: str, crashed: Path, damage: Callable[[bytes], bytes], lost: int
) -> None:
    damaged = damage(crashed.read_bytes())
    crashed.write_bytes(damaged)
    for _ in range(2):
        told = run("verify")
        assert told.code == 1
        assert f"✖ {tour}  fix-flaky-upload: {lost} confirmed change" in told.out
        assert crashed.read_bytes() == damaged
    assert f"{lost} confirmed change" in run("show", tour).err


def test_a_check_that_finds_something_changes_no_file_but_who_holds_the_session(
    run: Run, tour: str, crashed: Path
) -> None:
    crashed.write_bytes(crashed.read_bytes()[:-1])
    holder = crashed.with_suffix(".holder")
    holder.write_bytes(b"{}")
    before = {path: path.read_bytes() for path in crashed.parent.glob(f"{tour}.*")}
    assert run("verify", tour).code == 1
    after = {path: path.read_bytes() for path in crashed.parent.glob(f"{tour}.*")}
    assert before.items() - after.items() == {(holder, b"{}")}
    assert after.items() < before.items()


def test_an_empty_record_of_what_is_confirmed_is_a_finding_and_nothing_is_folded(
    run: Run, tour: str, crashed: Path
) -> None:
    crashed.write_bytes(crashed.read_bytes().splitlines(keepends=True)[0])
    crashed.with_suffix(".confirmed").write_bytes(b"")
    for _ in range(2):
        told = run("verify")
        assert told.code == 1
        assert "the record of what is confirmed can't be read: it is empty; whether" in told.out
        assert crashed.exists()
    assert "it is empty" in run("show", tour).err


def test_a_journal_that_is_whole_is_folded_and_fine(run: Run, tour: str, crashed: Path) -> None:
    assert run("verify").out.startswith(f"✓ {tour}  fix-flaky-upload: fine\n")
    assert not crashed.exists()
    assert run("list", "--json").data["sessions"][0]["messages"] == 35


def test_a_line_that_was_never_confirmed_is_a_finding_until_the_session_is_opened(
    run: Run, tour: str, crashed: Path
) -> None:
    crashed.write_bytes(crashed.read_bytes() + b"0123456789")
    told = run("verify")
    assert told.code == 1
    assert "1 line was dropped that broke off" in told.out
    assert "none of that was confirmed" in told.out
    assert run("apply", tour, "--ops", WINDOW).code == 0
    assert run("verify").code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("kind", ["pipe", "loop"])
def test_a_session_that_is_no_file_is_listed_as_a_problem_beside_the_others(
    run: Run, tour: str, library: Path, kind: str
) -> None:
    path = library / "abcdefghijkl.json"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    told = run("list")
    assert told.code == 0
    assert "fix-flaky-upload" in told.out
    assert "✖ abcdefghijkl: it can't be read: it is " in told.out
    assert run("verify").code == 1
    assert run("show", "abcdefghijkl").code == 1
    assert run("show", tour).code == 0
