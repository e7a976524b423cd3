"""README.md is short, and what it says is so."""

from __future__ import annotations

from tests.docs.pages import ROOT, code_in, page

README = page("README.md")
MOST_LINES = 120


def test_it_is_short() -> None:
    assert len(README.text.splitlines()) <= MOST_LINES


def test_its_code_runs() -> None:
    (code,) = README.blocks("python")
    exec(compile(code, README.name, "exec"), {})


def test_the_map_has_only_rooms_that_exist() -> None:
    named = [code for row in README.table("in the tree") for cell in row for code in code_in(cell)]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_two_commands_come_first() -> None:
    first = README.blocks()[0].splitlines()
    assert [line.split("#")[0].strip() for line in first] == ["make run", "make test"]
