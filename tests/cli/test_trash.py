"""Deleting is a way back: to the trash, out of it, and only on demand for good."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import SAMPLES, Run

TOUR, TRIP = SAMPLES / "tour.json", SAMPLES / "trip.openai.json"


@pytest.fixture
def ids(run: Run) -> list[str]:
    """Return the ids of two sessions in the library."""
    return [one["id"] for one in run("import", TOUR, TRIP, "--json").data["sessions"]]


def listed(run: Run) -> set[str]:
    return {one["id"] for one in run("list", "--json").data["sessions"]}


def test_a_deleted_session_can_be_restored(run: Run, ids: list[str]) -> None:
    before = run("show", ids[0], "--scope", "raw", "--json").out
    told = run("delete", "fix-flaky-upload")
    assert (told.code, told.err) == (0, "")
    assert told.out == f"{ids[0]}  fix-flaky-upload: in the trash\n"
    assert listed(run) == {ids[1]}
    assert run("show", ids[0]).code == 2
    back = run("delete", "--restore", ids[0])
    assert (back.code, back.out) == (0, f"{ids[0]}  fix-flaky-upload: restored\n")
    assert run("show", ids[0], "--scope", "raw", "--json").out == before


def test_several_are_deleted_and_told_as_json(run: Run, ids: list[str]) -> None:
    told = run("delete", *ids, ids[0], "--json")
    assert told.data == {
        "sessions": [
            {"id": ids[0], "title": "fix-flaky-upload", "became": "in the trash"},
            {"id": ids[1], "title": "trip.openai.json", "became": "in the trash"},
        ]
    }
    assert listed(run) == set()


def test_purge_removes_for_good_what_is_named(run: Run, ids: list[str], library: Path) -> None:
    run("delete", ids[0])
    told = run("delete", "--purge", ids[0], "trip.openai.json")
    assert told.code == 0
    gone = [f"{ids[0]}  fix-flaky-upload", f"{ids[1]}  trip.openai.json"]
    assert told.out.splitlines() == [f"{one}: removed for good" for one in gone]
    assert listed(run) == set()
    for id in ids:
        assert run("delete", "--restore", id).code == 2
        assert not list(library.rglob(f"{id}.json"))


def test_purge_without_a_name_empties_the_trash_only(run: Run, ids: list[str]) -> None:
    assert run("delete", "--purge").out == "the trash is empty\n"
    run("delete", ids[0])
    told = run("delete", "--purge")
    assert (told.code, told.out) == (0, f"{ids[0]}  fix-flaky-upload: removed for good\n")
    assert listed(run) == {ids[1]}
    assert run("delete", "--purge", "--json").data == {"sessions": []}


def test_nothing_named_is_bad_usage(run: Run, ids: list[str]) -> None:
    for arguments in ((), ("--restore",), ("--purge", "--restore", ids[0])):
        told = run("delete", *arguments)
        assert (told.code, told.out) == (2, "")
        assert told.err.count("\n") == 1
    assert listed(run) == set(ids)


@pytest.mark.parametrize("name", ["../precious", "../../precious", "..", "/etc/passwd", "\x1b[2J"])
def test_no_name_leads_out_of_the_library(
    run: Run, ids: list[str], library: Path, name: str
) -> None:
    run("delete", ids[0])
    precious = [library / "precious.json", library.parent / "precious.json"]
    for path in precious:
        path.write_text("{}", encoding="utf-8")
    for way in ((), ("--purge",), ("--restore",)):
        told = run("delete", *way, name)
        assert (told.code, told.out) == (2, "")
        assert told.err.count("\n") == 1
        assert "\x1b" not in told.err
    assert all(path.exists() for path in precious)
    assert listed(run) == {ids[1]}


def test_one_unknown_name_keeps_all_where_they_are(run: Run, ids: list[str]) -> None:
    assert run("delete", ids[0], "nobody").code == 2
    assert run("delete", "--purge", ids[0], "nobody").code == 2
    assert listed(run) == set(ids)


def test_an_imported_file_whose_session_was_deleted_is_imported_anew(
    run: Run, ids: list[str]
) -> None:
    run("delete", ids[1])
    (again,) = run("import", TRIP, "--json").data["sessions"]
    assert again["id"] != ids[1]
    assert run("delete", "--restore", ids[1]).code == 0
    assert listed(run) == {*ids, again["id"]}


def test_what_is_in_the_trash_comes_back_by_its_title(run: Run, ids: list[str]) -> None:
    run("delete", *ids)
    told = run("delete", "--restore", "trip.openai.json")
    assert (told.code, told.out) == (0, f"{ids[1]}  trip.openai.json: restored\n")
    missing = run("delete", "--restore", "trip")
    assert missing.code == 2
    assert missing.err == "ctxtui: in the trash, no session is called 'trip'\n"
    close = run("delete", "--restore", "flaky")
    assert f"there are {ids[0]} (fix-flaky-upload)" in close.err


def test_sessions_are_deleted_and_restored_by_what_is_so(run: Run, ids: list[str]) -> None:
    told = run("delete", "--where", "lint:error")
    assert (told.code, told.out) == (0, f"{ids[0]}  fix-flaky-upload: in the trash\n")
    assert listed(run) == {ids[1]}
    assert run("delete", "--where", "lint:error").out == "no session matches\n"
    assert run("delete", "--restore", "--where", "lint:error").code == 2
    assert run("delete", "--restore").code == 2
    assert run("delete", "--restore", ids[0], "--where", "x").code == 2
    back = run("delete", "--restore", "--where", "flaky")
    assert (back.code, back.out) == (0, f"{ids[0]}  fix-flaky-upload: restored\n")


def test_what_is_purged_may_be_named_by_title_wherever_it_is(run: Run, ids: list[str]) -> None:
    run("delete", ids[0])
    told = run("delete", "--purge", "fix-flaky-upload", "trip.openai.json", ids[0])
    assert told.code == 0
    assert [line.split()[0] for line in told.out.splitlines()] == ids
    assert run("delete", "--purge", "fix-flaky-upload").err == (
        "ctxtui: no session is called 'fix-flaky-upload'\n"
    )


def test_a_session_that_is_in_the_library_and_in_the_trash(
    run: Run, ids: list[str], library: Path
) -> None:
    data = (library / f"{ids[0]}.json").read_bytes()
    run("delete", ids[0])
    (library / f"{ids[0]}.json").write_bytes(data)
    run("delete", "--purge")
    assert listed(run) == set(ids)
    run("delete", ids[0])
    (library / f"{ids[0]}.json").write_bytes(data)
    assert run("delete", "--purge", ids[0]).code == 0
    assert not list(library.rglob(f"{ids[0]}*"))


@pytest.mark.parametrize("way", [(), ("--purge",), ("--restore",)])
def test_a_choice_that_says_nothing_deletes_nothing(
    run: Run, ids: list[str], way: tuple[str, ...]
) -> None:
    for where in ("", "  "):
        told = run("delete", *way, "--where", where)
        assert told.code == 2
        assert "would delete every session" in told.err
    assert listed(run) == set(ids)


def test_nothing_of_what_is_purged_is_left_in_a_cache(
    run: Run, ids: list[str], library: Path
) -> None:
    run("search", "flaky")
    run("list")
    assert any(b"flaky" in path.read_bytes() for path in library.iterdir() if path.is_file())
    assert run("delete", "--purge", "fix-flaky-upload").code == 0
    for path in library.rglob("*"):
        if path.is_file():
            assert b"flaky" not in path.read_bytes(), path
    assert listed(run) == {ids[1]}
