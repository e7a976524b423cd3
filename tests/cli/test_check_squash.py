"""``verify`` checks files as well as sessions, ``squash`` makes new ones of what is visible."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from tests.cli.conftest import SAMPLES, Run, Write

TOUR, TRIP = SAMPLES / "tour.json", SAMPLES / "trip.openai.json"


def imported(run: Run) -> str:
    """Return the id of the tour as a session."""
    made: str = run("import", TOUR, "--json").data["sessions"][0]["id"]
    return made


def test_verify_reports_that_every_invariant_of_a_file_holds(run: Run) -> None:
    id = imported(run)
    told = run("verify", TOUR, id)
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines() == [
        f"✓ {id}  fix-flaky-upload: fine",
        f"✓ {TOUR}: every invariant holds (32 messages, 9 revisions)",
        "1 session, 0 with something wrong",
    ]
    data = run("verify", TRIP, "--json").data
    assert data == {"sessions": [], "files": [{"name": str(TRIP), "ok": True, "findings": []}]}


def test_verify_reports_what_is_broken_in_a_file_and_exits_with_1(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ["message 3 of the log has changed", "\x1b[31mevil"]
    monkeypatch.setattr(Conversation, "check", lambda _: broken)
    told = run("verify", TRIP)
    assert told.code == 1
    assert told.out.splitlines()[0] == f"✖ {TRIP}: message 3 of the log has changed"
    assert "\x1b" not in told.out
    asked = run("verify", TRIP, "--json")
    assert (asked.code, asked.data["files"][0]["findings"]) == (1, broken)


@pytest.mark.parametrize("command", ["verify", "squash"])
def test_missing_names_are_bad_input(run: Run, command: str) -> None:
    told = run(command, "nowhere")
    assert told.code == 2
    assert "there is no such file" in told.err


def test_standard_input_is_verified_once_and_squash_needs_a_name(run: Run) -> None:
    assert run("verify", "-", "-").code == 2
    assert run("squash").code == 2


def test_squash_makes_a_session_beside_the_old_one(run: Run, library: Path) -> None:
    id = imported(run)
    before = run("export", id).out
    with Library(library).open(id) as session:
        session.describe(tags=("good",))
    told = run("squash", "fix-flaky-upload", "--json")
    assert told.code == 0
    (row,) = told.data["squashed"]
    assert (row["from"], row["messages"], row["rawMessages"]) == (id, 11, 32)
    assert (row["title"], row["written"]) == ("fix-flaky-upload (squashed)", None)
    with Library(library).open(row["session"], read_only=True) as session:
        made = session.conversation
        assert session.details.tags == ("good",)
    assert [one.metadata["squashedFrom"] for one in made.log if one.metadata] == list(
        Conversation.from_dict(json.loads(before)).view
    )
    assert made.meta["origin"]["messages"] == 32
    assert len(made.batches) == 1
    assert run("export", id).out == before


def test_several_sessions_are_squashed_at_once_and_named(run: Run) -> None:
    ids = [imported(run), run("import", TRIP, "--json").data["sessions"][0]["id"]]
    told = run("squash", *ids)
    rows = [line.split("  ") for line in told.out.splitlines()]
    assert [row[1] for row in rows] == [
        f"fix-flaky-upload (squashed): 11 of 32 messages, from {ids[0]}",
        f"trip.openai.json (squashed): 21 of 21 messages, from {ids[1]}",
    ]
    assert len(run("list", "--json").data["sessions"]) == 4


def test_a_file_is_squashed_into_a_file_or_printed(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "small.json"
    told = run("squash", TOUR, "-o", out)
    assert (told.code, told.out) == (0, "")
    assert f"squashed {TOUR}: 11 of 32 messages, written to {out}" in told.err
    made = Conversation.from_dict(json.loads(out.read_text("utf-8")))
    assert len(made.log) == len(made.view) == 11
    printed = run("squash", TOUR, "--to", "openai")
    assert len(json.loads(printed.out)) == 11
    assert run("list", "--json").data["sessions"] == []


def test_a_session_goes_to_a_file_with_o_and_makes_no_session(run: Run, tmp_path: Path) -> None:
    id, out = imported(run), tmp_path / "small.json"
    row = run("squash", id, "-o", out, "--json").data["squashed"][0]
    assert (row["session"], row["written"]) == (None, str(out))
    assert len(run("list", "--json").data["sessions"]) == 1


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((TOUR, TRIP), "a file needs one conversation at a time, and 2 are named"),
        (("x", "y", "-o", "z"), "-o needs one conversation at a time, and 2 are named"),
        (("x", "--to", "openai"), "--to needs -o"),
    ],
)
def test_what_makes_no_sense_together_is_refused(
    run: Run, given: tuple[object, ...], sentence: str
) -> None:
    told = run("squash", *given)
    assert told.code == 2
    assert sentence in told.err


def test_a_hostile_title_does_no_harm(run: Run, write: Write) -> None:
    evil = "\x1b[31m[/x]\u202egnp"
    made = Conversation([{"role": "user", "content": "hi"}], meta={"title": evil})
    path = write("evil.json", made.to_dict())
    id = run("import", path, "--json").data["sessions"][0]["id"]
    told = run("squash", id)
    assert told.code == 0
    assert "\x1b" not in told.out
    assert "\u202e" not in told.out
