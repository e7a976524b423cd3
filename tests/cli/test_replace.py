"""``ctxtui replace`` shows every hit and replaces it in many sessions, each as a whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import WRITABLE
from ctxtui.core.storage import Library
from tests.cli.conftest import Run
from tests.core.curation.canary import CANARIES, below, holds, plant
from tests.storage.processes import worker
from tests.storage.samples import said

MAIL = "kb@mail.example"
UNSEARCHED = "not searched: the history of changes, which squash --purge removes"


def make(library: Path, *texts: str, title: str = "talk", **details: Any) -> str:
    with Library(library).create(Conversation([said("user", one) for one in texts])) as session:
        session.describe(title=title, **details)
        return session.id


def texts(library: Path, id: str) -> list[Any]:
    with Library(library).open(id, read_only=True) as session:
        return [one.content for one in session.conversation.visible]


def test_a_dry_run_shows_every_hit_before_and_after_and_changes_nothing(
    run: Run, library: Path
) -> None:
    id = make(library, f"My mail is {MAIL}.", "saved as label@2x.png", status="accepted")
    before = (library / f"{id}.json").read_bytes()
    told = run("replace", "--what", "mail,phone", id, "--dry-run")
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines() == [
        f"{id}  talk",
        "     0  user      - My mail is kb@mail.example.",
        "                  + My mail is [mail].",
        "     1  user      - saved as label@2x.png",
        "                    left out: label@2x.png is a file name, not an address",
        "dry run, nothing is changed: 1 hit in 1 of 2 visible messages, 1 of 1 session; 1 left out",
        "tokens 13 → 11",
        "1 accepted session would go back to in review",
        "stays: 1 in the log and journal of these sessions, so that UNDO can bring it back; "
        "squash --purge removes it",
        UNSEARCHED,
    ]
    assert (library / f"{id}.json").read_bytes() == before


def test_hits_are_printed_for_programs(run: Run, library: Path) -> None:
    id = make(library, f"a {MAIL}", title=f"of {MAIL}")
    told = run("replace", "--what", "mail", id, "--dry-run", "--titles", "--json").data
    (row,) = told["sessions"]
    assert row["hits"][0] == {
        "raw": 0,
        "position": 0,
        "role": "user",
        "path": [0, "text"],
        "start": 2,
        "end": 17,
        "before": MAIL,
        "after": "[mail]",
        "pattern": "mail",
        "doubt": "",
        "kind": "text",
        "where": "text",
    }
    assert [(hit["raw"], hit["path"], hit["where"]) for hit in row["hits"][1:]] == [
        (None, ["title"], "title")
    ]
    sums = {"log": 2, "everywhere": 0, "purge": 0, "roles": 0, "trash": 0, "spool": 0, "sealed": 0}
    assert told["stays"] == sums
    assert told["notSearched"] == ["history"]
    assert row["stays"] == {"places": [], "sealed": 0}


def test_places_that_stay_are_named_with_what_removes_them(run: Run, library: Path) -> None:
    call = {"id": "c7", "name": "send", "input": {MAIL: 1}}
    talk = Conversation(
        [
            said("user", "hi"),
            said("assistant", [{"type": "tool_use", "tool_use": call}]),
            said("user", MAIL),
        ]
    )
    talk.execute({"operation": "DELETE", "indices": [2]})
    talk.record_call(answer={"text": MAIL})
    with Library(library).create(talk, title="talk") as session:
        id = session.id
    stays = [
        "  stays: 1 hit: field name in arguments of send, message 1; "
        "replace --everywhere changes it",
        "  stays: 1 hit: hidden message 2; squash --purge removes it",
        "  stays: 1 hit: recorded call 0: answer; squash --purge removes it",
    ]
    for more in (("--dry-run",), ()):
        lines = run("replace", "--what", "mail", id, *more).out.splitlines()
        assert [line for line in lines if line.startswith("  stays")] == stays
        assert UNSEARCHED in lines
        assert not any(MAIL in line for line in lines)
    assert run("replace", "--what", "mail", id, "--everywhere").code == 0
    assert run("squash", id, "--purge").code == 0
    (entry,) = Library(library).list()
    told = run("replace", "--what", "mail", entry.id, "--dry-run", "--everywhere", "--json").data
    assert not any(told["stays"].values())


@pytest.mark.parametrize("text", CANARIES[::4])
def test_after_replacing_everywhere_and_purging_nothing_is_left_in_the_library(
    run: Run, library: Path, text: str
) -> None:
    id = plant(Library(library), text)
    run("list")
    assert run("replace", text, "[gone]", id, "--everywhere").code == 0
    told = run("squash", id, "--purge")
    assert told.code == 0
    assert "other fields kept: the title, the note, " in told.out
    assert not holds(told.out.encode(), text)
    run("list")
    assert below(library, text) == []
    (entry,) = Library(library).list()
    for name in WRITABLE:
        assert not holds(run("export", entry.id, "--to", name).out.encode(), text)


def test_own_words_are_replaced_in_the_sessions_named(run: Run, library: Path) -> None:
    ids = [make(library, "Red red", "blue", title=str(n)) for n in range(3)]
    told = run("replace", "red", "green", *ids[:2])
    assert told.code == 0
    assert told.out.splitlines() == [
        f"{ids[0]}  0: 2 hits in 1 message",
        f"{ids[1]}  1: 2 hits in 1 message",
        "4 hits replaced in 2 messages of 2 of 2 sessions",
        UNSEARCHED,
        "the old text is hidden, not gone: UNDO brings it back, squash --purge removes it",
    ]
    assert [texts(library, id)[0] for id in ids] == ["green green", "green green", "Red red"]
    assert run("replace", "red", "x", ids[2], "--case", "--json").data["sessions"][0]["hits"] == 1


def test_an_expression_names_its_groups_and_where_chooses(run: Run, library: Path) -> None:
    ids = [make(library, "K-44 K-45", tags=["x"]), make(library, "K-46")]
    told = run("replace", r"K-(\d+)", r"order \1", "--regex", "--where", "tag:x")
    assert told.code == 0
    assert [texts(library, id)[0] for id in ids] == ["order 44 order 45", "K-46"]


def test_accepted_sessions_that_change_are_in_review_again_and_others_stay(
    run: Run, library: Path
) -> None:
    ids = [make(library, MAIL, status="accepted"), make(library, "calm", status="accepted")]
    told = run("replace", "--what", "mail", "--where", "status:accepted")
    assert "1 session had been accepted, now in review again" in told.out
    status = {one.id: one.status for one in Library(library).list()}
    assert [status[id] for id in ids] == ["in review", "accepted"]


def test_a_role_limits_where_is_looked(run: Run, library: Path) -> None:
    id = make(library, MAIL)
    lines = run("replace", "--what", "mail", id, "--role", "system").out.splitlines()
    assert lines[1:3] == [
        "  stays: 1 hit: text, message 0; replace without --role changes it",
        "0 hits replaced in 0 messages of 0 of 1 session",
    ]
    assert run("replace", "--what", "mail", id, "--role", "user").out.startswith(f"{id}  talk: 1")


def test_one_that_is_open_elsewhere_does_not_stop_the_others(
    run: Run, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxtui.cli.replace.WAIT_SECONDS", 0.0)
    ids = [make(library, MAIL, title="held"), make(library, MAIL, title="free")]
    with worker("hold", library, ids[0]) as other:
        other.answer()
        told = run("replace", "--what", "mail", *ids)
    assert told.code == 1
    assert f"{ids[0]}  held: " in told.err
    assert "1 hit replaced in 1 message of 1 of 2 sessions; 1 refused" in told.out
    assert [texts(library, id)[0] for id in ids] == [MAIL, "[mail]"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((), "a PATTERN and a TEXT are needed"),
        (("a",), "a PATTERN and a TEXT are needed"),
        (("a", "b"), "no session is named"),
        (("--what", "fax", "x"), "is not one of mail, phone, key"),
        (("--what", "mail", "x", "--regex"), "--regex and --case go with a PATTERN of your own"),
        (("(", "b", "x", "--regex"), "is not a regular expression"),
        (("((a{1000}){1000}){1000}", "b", "x", "--regex"), "steps"),
        (("a", r"\1", "x", "--regex"), "can't be used"),
        (("", "b", "x"), "text '' is empty"),
        (("a", "b", "nobody"), "no session is called 'nobody'"),
        (("a", "b", "x", "--role", "robot"), "invalid choice"),
        (("a", "b", "--where", "colour:red"), "is not a field"),
    ],
)
def test_bad_usage_is_one_sentence(run: Run, given: tuple[str, ...], sentence: str) -> None:
    told = run("replace", *given)
    assert told.code == 2
    assert sentence in told.err
    assert "Traceback" not in told.err


def test_a_pattern_that_takes_too_long_is_told_and_changes_nothing(run: Run, library: Path) -> None:
    id = make(library, "a" * 40 + "b")
    for more in ((), ("--dry-run",)):
        told = run("replace", "(a|aa|aaa)+$", "x", "--regex", id, *more)
        assert told.code == 1
        assert "takes too long on message 0" in told.err
    assert texts(library, id) == ["a" * 40 + "b"]


def test_undo_brings_the_old_text_back(run: Run, library: Path) -> None:
    id = make(library, MAIL, "calm", MAIL)
    run("replace", "--what", "mail", id)
    assert texts(library, id) == ["[mail]", "calm", "[mail]"]
    with Library(library).open(id) as session:
        session.execute({"operation": "UNDO"})
    assert texts(library, id) == [MAIL, "calm", MAIL]


def test_what_a_killed_proxy_has_left_is_named(run: Run, library: Path) -> None:
    slip = Library(library).spool.begin()
    slip.add(json.dumps({"request": {"messages": [{"role": "user", "content": MAIL}]}}).encode())
    slip.close()
    make(library, "hi")
    told = run("replace", "--what", "mail", "--where", "status:new", "--dry-run")
    line = "stays: 1 in recorded calls that are in no session yet; "
    assert f"{line}ctxtui capture --recover stores them as sessions" in told.out
