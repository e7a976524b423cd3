"""Judging, tagging, noting and finding sessions, one or many, from the command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.query import choose
from ctxtui.core.storage import STATUSES, Library
from ctxtui.core.values.models import ROLES
from tests.cli.conftest import SAMPLES, Run, Write
from tests.core.curation.many import many

TOUR, TRIP = SAMPLES / "tour.json", SAMPLES / "trip.openai.json"
RECIPE = SAMPLES / "recipes" / "sliding-window.json"


@pytest.fixture
def ids(run: Run) -> list[str]:
    """Return the ids of two sessions in the library."""
    return [one["id"] for one in run("import", TOUR, TRIP, "--json").data["sessions"]]


def by_id(run: Run, *where: str) -> dict[str, dict[str, object]]:
    return {one["id"]: one for one in run("list", *where, "--json").data["sessions"]}


def test_a_verdict_is_given_by_name_and_by_what_is_so(run: Run, ids: list[str]) -> None:
    told = run("status", "accepted", ids[0], "trip.openai.json")
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines() == [
        f"{ids[0]}  fix-flaky-upload: new → accepted",
        f"{ids[1]}  trip.openai.json: new → accepted",
    ]
    assert run("status", "needs-work", "--where", "lint:error", "--json").data == {
        "sessions": [
            {
                "id": ids[0],
                "title": "fix-flaky-upload",
                "status": "needs work",
                "was": "accepted",
                "otherVerdicts": [],
            }
        ]
    }
    assert set(by_id(run, "--where", "status:accepted")) == {ids[1]}
    assert "as it was" in run("status", "needs work", ids[0]).out


def test_a_status_that_is_none_is_refused_with_those_there_are(run: Run, ids: list[str]) -> None:
    told = run("status", "good", ids[0])
    assert told.code == 2
    assert told.err == f"ctxtui: status 'good' is not one of {', '.join(STATUSES)}\n"
    assert by_id(run)[ids[0]]["status"] == "new"


@pytest.mark.parametrize(
    "command",
    [
        ("status", "rejected"),
        ("note", "x"),
        ("tag", "+x"),
        ("replace", "upload", "x", "--titles"),
        ("squash", "--purge"),
        ("squash",),
        ("apply", "--ops", str(RECIPE)),
    ],
    ids=lambda command: " ".join(command[:2]).replace(str(SAMPLES), ""),
)
@pytest.mark.parametrize("where", ["", " \t"])
def test_a_choice_that_says_nothing_changes_nothing(
    run: Run, ids: list[str], library: Path, command: tuple[str, ...], where: str
) -> None:
    before = [(library / f"{id}.json").read_bytes() for id in ids]
    told = run(*command, "--where", where)
    assert (told.code, told.out) == (2, "")
    assert len(list(library.glob("*.json"))) == len(ids)
    assert "every session" in told.err
    assert "-has:problem" in told.err
    assert [(library / f"{id}.json").read_bytes() for id in ids] == before


def test_a_dry_run_takes_all_and_a_word_means_all(run: Run, ids: list[str]) -> None:
    assert run("replace", "upload", "x", "--where", "", "--dry-run").code == 0
    assert run("apply", "--ops", RECIPE, "--where", "", "--dry-run").code == 0
    told = run("status", "accepted", "--where", "-has:problem", "--json")
    assert {one["id"] for one in told.data["sessions"]} == set(ids)


def test_tags_are_given_and_taken_away(run: Run, ids: list[str]) -> None:
    told = run("tag", "+good", "+two words", *ids)
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines()[0] == f"{ids[0]}  fix-flaky-upload: good, two words"
    run("tag", "--where", "trip", "-good", "+kept", "-missing")
    assert by_id(run)[ids[1]]["tags"] == ["two words", "kept"]
    assert by_id(run)[ids[0]]["tags"] == ["good", "two words"]
    assert set(by_id(run, "--where", "-tag:good")) == {ids[1]}
    assert run("tag", "-good", "-two words", ids[0], "--json").data["sessions"][0]["tags"] == []


def test_a_title_that_begins_like_a_tag_stands_behind_two_hyphens(run: Run, write: Write) -> None:
    data = {"messages": [{"role": "user", "content": "x"}], "meta": {"title": "-new"}, "steps": []}
    run("import", write("odd.json", data))
    assert run("tag", "+x", "--", "-new").code == 0
    assert run("tag", "+x").code == 2
    assert run("tag", "-new").code == 2
    assert run("tag", "+", "-new").code == 2
    assert run("tag", "+bad\ntag", "--", "-new").code == 2


def test_notes_are_about_sessions_or_about_a_message(
    run: Run, ids: list[str], library: Path
) -> None:
    assert run("note", "the second call is odd", ids[0]).out == (
        f"{ids[0]}  fix-flaky-upload: the second call is odd\n"
    )
    assert run("note", "this one", "--message", "3", ids[0]).out == (
        f"{ids[0]}  fix-flaky-upload: raw 3: this one\n"
    )
    run("note", "that one", ids[0], "--message", "1")
    with Library(library).open(ids[0], read_only=True) as session:
        assert session.details.note == "the second call is odd"
        assert session.details.remarks == ((1, "that one"), (3, "this one"))
    run("note", "", ids[0], "--message", "3")
    run("note", "", ids[0])
    with Library(library).open(ids[0], read_only=True) as session:
        assert (session.details.note, session.details.remarks) == ("", ((1, "that one"),))
    outside = run("note", "x", *ids, "--message", "25")
    assert outside.code == 1
    assert "message 25 is outside 0…20" in outside.err
    assert set(by_id(run, "--where", "has:note")) == {ids[0]}


@pytest.mark.parametrize("command", [("status", "accepted"), ("tag", "+x"), ("note", "x")])
def test_one_bad_session_stops_no_other(
    run: Run, ids: list[str], library: Path, command: tuple[str, ...]
) -> None:
    path = library / f"{ids[0]}.json"
    path.write_bytes(path.read_bytes()[:-200])
    told = run(*command, *ids)
    assert told.code == 1
    assert ids[0] in told.err
    assert told.out.startswith(f"{ids[1]}  trip.openai.json: ")
    assert run(*command, "--where", "trip").code == 0


@pytest.mark.parametrize("command", [("status", "accepted"), ("tag", "+x"), ("note", "x")])
def test_nothing_is_done_where_a_name_is_unknown_or_none_is_given(
    run: Run, ids: list[str], command: tuple[str, ...]
) -> None:
    before = by_id(run)
    for rest in ([ids[0], "nobody"], [], [ids[0], "--where", "x"], ["--where", "colour:red"]):
        told = run(*command, *rest)
        assert told.code == 2
        assert told.err.count("\n") == 1
    assert by_id(run) == before
    assert run(*command, "--where", "nobody").out == "no session matches\n"


def test_the_list_tells_format_lint_and_what_is_alike(
    run: Run, ids: list[str], tmp_path: Path
) -> None:
    twin = tmp_path / "twin.openai.json"
    twin.write_bytes(TRIP.read_bytes())
    run("import", twin)
    told = {row["title"]: row for row in run("list", "--json").data["sessions"]}
    tour, trip = told["fix-flaky-upload"], told["trip.openai.json"]
    assert (tour["format"], trip["format"]) == ("native", "openai")
    assert tour["lint"] == {"profile": "generic", "errors": 1, "warnings": 0, "rules": ["G1"]}
    assert (tour["alike"], trip["alike"]) == (None, {"group": 1, "size": 2})
    assert told["twin.openai.json"]["alike"] == trip["alike"]
    lines = run("list").out.splitlines()
    assert "alike" in lines[0]
    assert sum("1 (2)" in line for line in lines) == 2
    assert len(by_id(run, "--where", "dup:yes")) == len(by_id(run, "--where", "dup:1")) == 2
    assert set(by_id(run, "--where", "-dup:yes")) == {ids[0]}
    assert set(by_id(run, "--where", "format:openai -dup:2 lint:clean")) == {
        trip["id"],
        told["twin.openai.json"]["id"],
    }
    assert run("list", "--where", "nobody").out == "none of 3 sessions matches\n"


def test_search_tells_where_a_text_is(run: Run, ids: list[str]) -> None:
    told = run("search", "UPLOAD")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith(f"{ids[0]}  fix-flaky-upload\n  raw 2: ")
    assert "«upload»" in told.out
    found = run("search", "upload", "--json", "--limit", "2").data
    assert found["text"] == "upload"
    assert [hit["raw"] for hit in found["hits"]] == [None, 2]
    assert list(found["hits"][0]) == ["id", "raw", "before", "match", "after", "field", "title"]
    assert run("search", "upload", "--where", "trip").out == "0 hits in 0 sessions\n"
    assert run("search", "").code == 2
    assert run("search", "x", "--limit", "-1").code == 2


def test_many_are_linted_in_one_go(run: Run, ids: list[str], library: Path) -> None:
    told = run("lint", *ids)
    assert told.code == 1
    assert told.out.splitlines() == [
        f"✖ {ids[0]}  fix-flaky-upload: 1 error, 0 warnings (generic): G1",
        f"✓ {ids[1]}  trip.openai.json: every rule of generic passes",
        "2 conversations, 1 with errors",
    ]
    found = run("lint", TRIP, "--where", "status:new")
    assert found.code == 2
    both = run("lint", ids[0], TRIP, "--json").data["conversations"]
    assert [one["errors"] for one in both] == [1, 0]
    assert [one["title"] for one in both] == ["fix-flaky-upload", None]
    assert run("lint", "--where", "lint:clean").code == 0
    path = library / f"{ids[0]}.json"
    path.write_bytes(b"{" + path.read_bytes())
    rest = run("lint", "nobody", TRIP)
    assert rest.code == 1
    assert "1 conversation, 0 with errors" in rest.out
    assert "nobody" in rest.err


def test_a_recipe_is_tried_on_many_and_then_applied_to_each_as_one_step(
    run: Run, ids: list[str], library: Path
) -> None:
    tried = run("apply", *ids, "--ops", RECIPE, "--dry-run")
    assert (tried.code, tried.err) == (
        0,
        "ctxtui: would change 2 sessions of 2; nothing was written\n",
    )
    assert tried.out.splitlines()[1] == (
        f"{ids[1]}  trip.openai.json: 21 → 6 visible, 334 → 45 tokens"
    )
    assert by_id(run)[ids[1]]["visible"] == 21
    rows = run("apply", "--where", "status:new", "--ops", RECIPE, "--json").data["sessions"]
    assert [(row["id"], row["saved"]) for row in rows] == [(one, True) for one in reversed(ids)]
    assert rows[0]["visible"] == {"before": 21, "after": 6}
    assert by_id(run)[ids[1]]["visible"] == 6
    with Library(library).open(ids[1]) as session:
        session.execute({"operation": "UNDO"})
        assert len(session.conversation.view) == 21


def test_an_accepted_session_that_a_recipe_changes_is_in_review_again(
    run: Run, ids: list[str], write: Write
) -> None:
    run("status", "accepted", *ids)
    nothing = write("none.json", [{"operation": "FILTER", "includeRoles": list(ROLES)}])
    run("apply", ids[0], "--ops", nothing)
    assert by_id(run)[ids[0]]["status"] == "accepted"
    tried = run("apply", *ids, "--ops", RECIPE, "--dry-run")
    assert "2 accepted sessions would go back to in review" in tried.err
    assert {one["status"] for one in by_id(run).values()} == {"accepted"}
    told = run("apply", ids[0], "--ops", RECIPE)
    assert "it had been accepted, now in review again" in told.err
    assert by_id(run)[ids[0]]["status"] == "in review"
    rest = run("apply", *ids, "--ops", RECIPE)
    assert "1 session had been accepted, now in review again" in rest.err
    assert rest.out.splitlines()[1].endswith("45 tokens, in review again")
    assert {one["status"] for one in by_id(run).values()} == {"in review"}
    run("status", "accepted", ids[1])
    cut = write("cut.json", [{"operation": "TRUNCATE", "keepLast": 1}])
    assert run("apply", ids[1], "--ops", cut, "--json").data["inReviewAgain"] is True


def test_a_recipe_leaves_sessions_alone_of_which_nothing_else_would_be_sent(
    run: Run, ids: list[str], write: Write
) -> None:
    run("status", "accepted", *ids)
    before = by_id(run)
    keep, least = min((before[one]["visible"], one) for one in ids)
    (most,) = set(ids) - {least}
    window = write("window.json", [{"operation": "TRUNCATE", "keepLast": keep}])
    tried = run("apply", *ids, "--ops", window, "--dry-run")
    assert "would change 1 session of 2; nothing was written" in tried.err
    told = run("apply", *ids, "--ops", window)
    assert f"{least}  {before[least]['title']}: no change" in told.out
    assert "changed 1 session of 2" in told.err
    after = by_id(run)
    assert (after[least]["status"], after[most]["status"]) == ("accepted", "in review")
    assert after[least]["batches"] == before[least]["batches"]


def test_a_recipe_that_one_session_refuses_is_applied_to_the_others(
    run: Run, ids: list[str], write: Write
) -> None:
    recipe = write("late.json", [{"operation": "DELETE", "indices": [31]}])
    told = run("apply", *ids, "--ops", recipe)
    assert told.code == 1
    assert f"{ids[1]}  trip.openai.json: step 0: " in told.err
    assert "changed 1 session of 2" in told.err


def policy(when: dict[str, int], *more: Mapping[str, object]) -> dict[str, object]:
    cut = {"when": when, "do": [{"operation": "TRUNCATE", "keepLast": 4}]}
    return {"name": "short", "stages": [cut, *more]}


def test_a_policy_does_once_what_is_due_in_a_session_and_in_a_file(
    run: Run, ids: list[str], write: Write, tmp_path: Path
) -> None:
    due = write("due.json", policy({"messagesAbove": 10}))
    told = run("apply", ids[1], "--ops", due)
    assert told.code == 0
    assert "applied policy short: 4 messages visible, 334 → " in told.err
    assert by_id(run)[ids[1]]["visible"] == 4
    again = run("apply", ids[1], "--ops", due)
    assert (again.code, "policy short: 4 messages visible, not due" in again.err) == (0, True)
    out = tmp_path / "out.json"
    assert run("apply", TRIP, "--ops", due, "-o", out).code == 0
    shown = run("apply", out, "--ops", due, "--json", "--dry-run").data
    assert (shown["policy"], shown["due"], shown["stages"]) == ("short", False, [])


def test_a_policy_goes_to_many_sessions_and_changes_those_where_it_is_due(
    run: Run, ids: list[str], write: Write
) -> None:
    sizes = {id: int(str(by_id(run)[id]["visible"])) for id in ids}
    most, least = max(sizes, key=sizes.__getitem__), min(sizes, key=sizes.__getitem__)
    due = write("due.json", policy({"messagesAbove": sizes[least]}))
    told = run("apply", *ids, "--ops", due)
    assert told.code == 0
    assert next(one for one in told.out.splitlines() if least in one).endswith("not due")
    assert {id: by_id(run)[id]["visible"] for id in ids} == {most: 4, least: sizes[least]}


def test_a_policy_of_which_a_stage_is_refused_changes_nothing(
    run: Run, ids: list[str], write: Write
) -> None:
    bad = {"do": [{"operation": "DELETE", "indices": [99_999]}]}
    refused = write("bad.json", policy({"messagesAbove": 10}, bad))
    told = run("apply", ids[1], "--ops", refused)
    assert (told.code, "99999" in told.err) == (1, True)
    assert by_id(run)[ids[1]]["visible"] == 21


def test_a_policy_stands_alone_and_other_objects_are_none(run: Run, write: Write) -> None:
    told = run("apply", TRIP, "--ops", RECIPE, write("due.json", policy({"messagesAbove": 1})))
    assert (told.code, "a policy is applied alone" in told.err) == (2, True)
    told = run("apply", TRIP, "--ops", write("x.json", {"messages": []}))
    assert (told.code, "a list of operations or a policy" in told.err) == (2, True)


def test_files_are_taken_one_at_a_time_by_a_recipe(
    run: Run, ids: list[str], tmp_path: Path
) -> None:
    for more in ([TRIP, ids[0]], [*ids, "-o", tmp_path / "x"], [*ids, "--to", "openai"]):
        told = run("apply", *more, "--ops", RECIPE)
        assert told.code == 2
        assert "one file or to many sessions" in told.err
    assert not (tmp_path / "x").exists()


def test_verify_checks_the_sessions_of_a_query(run: Run, ids: list[str]) -> None:
    verified = run("verify", "--where", "flaky", "--json").data["sessions"]
    assert [one["id"] for one in verified] == [ids[0]]
    missing = run("verify", "nobody", ids[0])
    assert (missing.code, missing.out) == (2, "")
    assert "nobody" in missing.err


def test_notes_about_messages_are_found_like_those_about_sessions(
    run: Run, ids: list[str], library: Path
) -> None:
    run("list")
    run("note", "Ask Berta", "--message", "1", ids[1])
    for where in ("has:note", "note:berta", "berta"):
        assert set(by_id(run, "--where", where)) == {ids[1]}
        assert [one.id for one in choose(Library(library), [], where)] == [ids[1]]
    assert by_id(run)[ids[1]]["remarks"] == ["Ask Berta"]
    run("note", "", "--message", "1", ids[1])
    assert by_id(run, "--where", "has:note") == {}


def test_a_verdict_on_three_hundred_keeps_what_is_known_of_them(run: Run, library: Path) -> None:
    many(library, 300)
    assert len(by_id(run)) == 300
    told = run("status", "accepted", "--where", "talk", "--json")
    assert len(told.data["sessions"]) == 300
    with Catalog(Library(library)) as catalog:
        assert catalog.missing() == []
        assert {row.entry.status for row in catalog.rows()} == {"accepted"}
