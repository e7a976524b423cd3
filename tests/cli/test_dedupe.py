"""``ctxtui dedupe`` tells what is the same, and changes only what it is asked to."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core.storage import Library
from tests.cli.conftest import Run
from tests.cli.test_replace import make

LONG = " ".join(f"word{number}" for number in range(100))


@pytest.fixture
def ids(library: Path) -> list[str]:
    """Return four sessions: two identical ones, one that is near them, one other."""
    return [
        make(library, LONG, title="a"),
        make(library, LONG, title="b", status="accepted"),
        make(library, LONG + " more", title="c", status="rejected"),
        make(library, "something else", title="d"),
    ]


def status(library: Path) -> dict[str, str]:
    return {one.title: one.status for one in Library(library).list()}


def test_identical_ones_are_told_and_nothing_is_changed(
    run: Run, library: Path, ids: list[str]
) -> None:
    told = run("dedupe")
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines() == [
        "group 1: 2 sessions",
        f"     =  {ids[1]}  b  accepted",
        f"     =  {ids[0]}  a  new",
        "1 group among 4 sessions, 1 of them more than once",
    ]
    assert status(library) == {"a": "new", "b": "accepted", "c": "rejected", "d": "new"}


def test_near_ones_too_and_two_verdicts_warn(run: Run, ids: list[str]) -> None:
    told = run("dedupe", "--near", "0.9")
    assert f"  0.99  {ids[2]}  c  rejected" in told.out
    assert "  ▲ accepted and rejected in one group" in told.out
    (group,) = run("dedupe", "--near", "0.9", "--json").data["groups"]
    assert group["torn"]
    assert [one["likeness"] for one in group["sessions"]] == [1.0, 1.0, pytest.approx(98 / 99)]


def test_all_but_the_first_are_rejected_or_tagged(run: Run, library: Path, ids: list[str]) -> None:
    told = run("dedupe", "--tag", "twice")
    assert told.out.count("→ tagged twice") == 1
    assert {one.title: one.tags for one in Library(library).list()}["a"] == ("twice",)
    run("dedupe", "--tag", "twice")
    assert {one.title: one.tags for one in Library(library).list()}["a"] == ("twice",)
    assert run("dedupe", "--reject").code == 0
    assert status(library) == {"a": "rejected", "b": "accepted", "c": "rejected", "d": "new"}


def test_where_and_names_choose(run: Run, ids: list[str]) -> None:
    assert "0 groups among 3 sessions" in run("dedupe", "--where=-title:a").out
    assert "1 group among 2 sessions" in run("dedupe", *ids[:2]).out


@pytest.mark.parametrize("given", [("--near", "0.2"), ("--near", "x"), ("--tag", "a", "--reject")])
def test_bad_usage_is_refused(run: Run, given: tuple[str, ...]) -> None:
    told = run("dedupe", *given)
    assert told.code == 2
    assert "Traceback" not in told.err


def test_another_verdict_on_an_identical_one_is_told_at_once(run: Run, ids: list[str]) -> None:
    told = run("status", "rejected", ids[0], ids[3])
    assert told.code == 0
    assert told.out.splitlines()[2:] == [
        f"▲ {ids[0]}  a: rejected, but {ids[1]}  b, which is identical, is accepted"
    ]
    rows = run("status", "needs-work", ids[0], ids[3], "--json").data["sessions"]
    assert [row["otherVerdicts"] for row in rows] == [
        [{"id": ids[1], "title": "b", "status": "accepted"}],
        [],
    ]
    assert "▲" not in run("status", "new", ids[0]).out
    assert "▲" not in run("status", "rejected", ids[0], ids[1]).out


def test_groups_have_one_number_whoever_asks(run: Run, library: Path, ids: list[str]) -> None:
    for number, text in enumerate(("x", "y")):
        make(library, text, title=f"{text}1", status=("new", "accepted")[number])
        make(library, text, title=f"{text}2")
    listed = {one["title"]: one["alike"] for one in run("list", "--json").data["sessions"]}
    numbers = {title: one["group"] for title, one in listed.items() if one is not None}
    assert numbers == {"a": 1, "b": 1, "x1": 2, "x2": 2, "y1": 3, "y2": 3}
    for given in ((), ("--where", "title:y"), ("--where", "title:x")):
        groups = run("dedupe", *given, "--json").data["groups"]
        assert groups
        for group in groups:
            assert {numbers[one["title"]] for one in group["sessions"]} == {group["group"]}
    assert "group 3: 2 sessions" in run("dedupe", "--where", "title:y").out
    near = run("dedupe", "--near", "0.9", "--json").data["groups"]
    assert [(one["group"], one["sessions"][0]["title"]) for one in near] == [
        (1, "b"),
        (2, "x1"),
        (3, "y1"),
    ]
