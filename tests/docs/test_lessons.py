"""docs/lessons.md: the example is a lesson, and the tables have every field there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ctxtui.cli import main
from ctxtui.core.formats.source import MIB
from ctxtui.core.lessons import (
    ARRAYS,
    NUMBERS,
    PANES,
    READERS,
    SERIES,
    LessonStep,
    Naive,
    Prediction,
    problems_of,
    read_lesson,
)
from ctxtui.lessons.files import MOST_LESSON_BYTES
from tests.docs.pages import code_in, page

PAGE = page("docs/lessons.md")
WRITING = PAGE.section("Writing one")


def firsts(heading: str) -> list[str]:
    return [code_in(row[0])[0] for row in WRITING.table(heading)]


def test_the_tables_have_every_field() -> None:
    assert firsts("of a lesson") == list(READERS)
    assert firsts("of a step") == [*LessonStep.model_fields]
    assert firsts("of a predict") == list(Prediction.model_fields)
    assert firsts("of a naive") == list(Naive.model_fields)
    assert firsts("number of") == list(NUMBERS)


def test_every_series_pane_and_array_is_told() -> None:
    assert {*SERIES, *PANES, *ARRAYS} <= set(WRITING.code)


def test_the_example_is_a_lesson_that_tells_no_lie(tmp_path: Path) -> None:
    (example,) = WRITING.blocks("json")
    data = json.loads(example)
    assert problems_of(data) == []
    assert len(read_lesson(data).steps) == 3
    path = tmp_path / "own.json"
    path.write_text(example, encoding="utf-8")
    assert main(["learn", "--check", str(path)]) == 0


def test_the_number_in_the_table_is_one() -> None:
    (row,) = [row for row in WRITING.table("of a predict") if "`number`" in row[0]]
    (given,) = re.findall(r"`(\{.*?\})`", row[1])
    assert json.loads(given)["of"] in NUMBERS


def test_the_limit_is_that_of_the_code() -> None:
    assert f"{MOST_LESSON_BYTES // MIB} MiB" in PAGE.section("Limits").text
