"""Lessons as pages: everything is in them, nothing is loaded, and no text acts."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ctxtui.core.lessons import read_lesson, run_lesson
from ctxtui.lessons.files import find_lesson, load_lesson
from ctxtui.pages.lesson import LABELS, lesson_html, page_data
from tests.cli.conftest import Run, run
from tests.lessons.samples import BUNDLED, small

__all__ = ["run"]

HOSTILE = (
    "</script><script>alert(1)</script> <!-- ]]> [a](javascript:alert(1)) `x` *b* \x1b[31m\u202e"
)


def hostile() -> dict[str, Any]:
    """Return a lesson in which every text is hostile."""

    def spoilt(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: spoilt(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [spoilt(one, key) for one in value]
        return f"{HOSTILE} {value}" if key in ("en", "zh", "content") else value

    made: dict[str, Any] = spoilt(small())
    return made


def data_of(page: str) -> Any:
    """Return the data inside a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_holds_every_step_in_both_languages(path: Path, language: str) -> None:
    lesson = load_lesson(path, path.stem).lesson
    page = lesson_html(lesson, language)
    data = data_of(page)
    assert data["language"] == language
    assert f'<html lang="{language}">' in page
    for step, shown in zip(lesson.steps, data["steps"], strict=True):
        assert shown["brief"] == {"en": step.brief.to("en"), "zh": step.brief.to("zh")}
        assert (shown["question"] is None) == (step.predict is None)
    for before, after in pairwise(data["steps"]):
        assert before["after"]["visible"] == after["before"]["visible"]
    assert set(data["labels"]) == set(LABELS)


def test_a_step_has_the_states_before_and_after_it() -> None:
    data = page_data(read_lesson(small()))
    cut = data["steps"][1]
    assert cut["operations"] == ["TRUNCATE keepLast 2"]
    assert cut["before"]["visible"] == [0, 1, 2]
    assert cut["after"]["visible"] == [1, 2]
    assert cut["after"]["arrays"]["batchBoundaries"] == [0, 1]
    assert cut["naive"]["visible"] == [0, 1, 2]
    assert cut["question"]["rightAnswer"] == 1
    assert cut["question"]["candidates"] == [0, 1, 2]
    assert [step["lookedAt"] for step in data["steps"]] == [[], [], [], [0]]
    assert data["steps"][0]["story"] == {"en": ["Three messages."], "zh": ["Three messages. (zh)"]}


def test_a_page_loads_nothing() -> None:
    page = lesson_html(read_lesson(small()))
    assert not re.search(r"""(?:src|href)=|url\(|@import|https?:|fetch\(|innerHTML|eval\(""", page)
    assert "default-src &#x27;none&#x27;" in page


def test_every_label_the_program_says_is_there() -> None:
    program = re.findall(r'say\("(\w+)"\)', lesson_html(read_lesson(small())))
    assert set(program) <= set(LABELS)
    assert all(label.zh for label in LABELS.values())


def texts_of(drawing: str) -> list[str]:
    root = ElementTree.fromstring(drawing)
    return [one.text or "" for one in root.iter() if one.tag.endswith("text")]


def test_the_timeline_is_drawn_with_the_batch_that_is_shown_filled() -> None:
    lesson = find_lesson("rollback").lesson
    data = data_of(lesson_html(lesson))
    run = run_lesson(lesson)
    for stage, step in zip(run.stages, data["steps"], strict=True):
        for record, at in ((stage.before, "before"), (stage.after, "after")):
            drawing = data["timelines"][step["timeline"][at]]
            dots = re.findall(r'<circle [^>]*fill="var\(--(\w+)\)"', drawing)
            state = run.conversation.at_record(record)
            current = [one.id == state.batch.id for one in state.batches]
            assert [one == "hl" for one in dots] == current
    both = texts_of(data["timelines"][data["steps"][-1]["timeline"]["after"]])
    assert {" 0 START", " 1 TRUNCATE #1", " 1 TRUNCATE #2", "keepLast 2"} <= set(both)
    assert len(set(data["timelines"])) == len(data["timelines"])


def test_a_drawing_has_only_colours_that_the_page_has() -> None:
    page = lesson_html(find_lesson("rollback").lesson)
    used = set(re.findall(r"var\((--[\w-]+)\)", page))
    assert used <= set(re.findall(r"(--[\w-]+):", page))


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_a_page_speaks_of_no_key_of_the_app(path: Path) -> None:
    lesson = load_lesson(path, path.stem).lesson
    told = json.dumps(data_of(lesson_html(lesson))["steps"], ensure_ascii=False)
    assert not re.search(r"[Pp]ress \w\b|按 \w ", told)


def test_only_what_gives_the_answer_away_is_covered() -> None:
    def ask(lesson: dict[str, Any]) -> None:
        shown = lesson["steps"][0]
        shown["look"] = {"arrays": ["user"]}
        shown["predict"] = {
            "question": {"en": "?", "zh": "?"},
            "rows": [2],
            "query": {"kind": "all", "roles": ["assistant"]},
            "explain": {"en": "!", "zh": "!"},
        }

    steps = data_of(lesson_html(read_lesson(small(ask))))["steps"]
    assert steps[0]["covered"] == ["user", "assistant"]
    assert [step["covered"] for step in steps[1:]] == [[], [], []]


def test_hostile_texts_are_data_in_a_page() -> None:
    page = lesson_html(read_lesson(hostile()))
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    data = data_of(page)
    assert "alert(1)" in data["steps"][0]["brief"]["en"]
    tags = {
        one.tag for drawing in data["timelines"] for one in ElementTree.fromstring(drawing).iter()
    }
    assert tags == {"svg", "title", "rect", "path", "circle", "text"}
    assert not set("\x1b\u202e") & set(page)


def test_a_lesson_is_written_as_a_page(run: Run, tmp_path: Path) -> None:
    steps = len(find_lesson("rollback").lesson.steps)
    done = run("learn", "rollback", "-o", tmp_path / "b.html", "--json")
    assert done.data == {"written": str(tmp_path / "b.html"), "kind": "html", "steps": steps}
    page = (tmp_path / "b.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert run("learn", "rollback", "-o", "-").out == page


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in a folder without anything in it."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-o", "x.html"), "-o x.html needs a lesson to write"),
        (("rollback", "-o", "x.md"), "ends with .md; .html or .htm can be written"),
        (("rollback", "-o", "no/such/x.html"), "it can't be written"),
    ],
)
def test_what_can_not_be_written_is_said(
    arguments: tuple[str, ...],
    sentence: str,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("learn", *arguments)
    assert done.code == 2
    assert sentence in done.err
