"""README.md is short, and what it says is true."""

from __future__ import annotations

import re

import pytest

from ctxtui.core.formats import FORMATS
from tests.docs.pages import Page, page

README, CHINESE = page("README.md"), page("README.zh.md")
MOST_LINES = 105
BOTH = pytest.mark.parametrize("readme", [README, CHINESE], ids=["English", "Chinese"])


@BOTH
def test_it_is_short(readme: Page) -> None:
    assert len(readme.text.splitlines()) <= MOST_LINES


@BOTH
def test_its_code_runs(readme: Page) -> None:
    (code,) = readme.blocks("python")
    exec(compile(code, readme.name, "exec"), {})


def test_both_have_the_same_transcripts_tour_and_neighbours() -> None:
    assert README.blocks()[1:] == CHINESE.blocks()[1:]
    assert len(README.table("tool")) == len(CHINESE.table("工具"))
    tours = [re.findall(r"^\d\. ", one.text, re.MULTILINE) for one in (README, CHINESE)]
    assert tours[0] == tours[1]


@BOTH
def test_the_two_commands_come_first(readme: Page) -> None:
    first = readme.blocks()[0].splitlines()
    assert [line.split("#")[0].strip() for line in first] == ["make run", "make test"]


def test_both_count_the_formats() -> None:
    read = [one for one in FORMATS if one.reads]
    only = sum(not one.writes for one in read)
    assert f"files of {len(read)} formats" in README.text
    assert f"{only} of the [formats]" in README.text
    assert f"{len(read)} 种可读，其中 {only} 种" in CHINESE.text
    assert f"{len(read)} 种格式" in CHINESE.text
