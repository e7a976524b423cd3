"""docs/pictures.md names every screen, and `make screenshots` takes every picture there is."""

from __future__ import annotations

import re
import shlex

import pytest

from ctxtui.cli.screenshot import LARGEST, SMALLEST
from ctxtui.pictures.screen import SCREENS
from tests.docs.conftest import Shell
from tests.docs.pages import ROOT, all_pages, code_in, page

PAGE = page("docs/pictures.md")


def target() -> list[str]:
    """Return the commands of `make screenshots`."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rule = re.search(r"^screenshots:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert rule is not None
    return [line.strip().removeprefix("$(BIN)/") for line in rule[1].splitlines()]


def test_the_table_names_every_screen() -> None:
    told = [name for row in PAGE.table("`--screen`") for name in code_in(row[0])]
    assert told == list(SCREENS)


def test_the_pictures_of_the_documents_are_those_the_target_takes() -> None:
    taken = {shlex.split(command)[-1] for command in target()}
    assert taken == {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.svg")}
    shown = {
        (one.path.parent / link).resolve().relative_to(ROOT).as_posix()
        for one in all_pages()
        for link in one.links
        if link.endswith(".svg")
    }
    assert taken == shown


@pytest.mark.parametrize("command", target(), ids=lambda command: command.rpartition("/")[2])
def test_each_command_of_the_target_takes_a_picture(command: str, shell: Shell) -> None:
    out = shlex.split(command)[-1]
    assert "<svg" in shell(command.replace(out, "-"))


def test_the_limits_are_those_of_the_code() -> None:
    said = "{}×{} to {}×{} cells".format(*SMALLEST, *LARGEST)
    assert said in PAGE.section("Limits").text
