"""``ctxtui dedupe`` tells what is the same, and changes only what it is asked to."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.storage import Library
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
