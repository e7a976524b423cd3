"""Lessons as pages: everything is in them, nothing is loaded, and no text acts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from core import Conversation
from core.lessons import read_lesson
from ctxtui.files.lessons import find_lesson, load_lesson
from ctxtui.lessons.frames import lesson_frames
from ctxtui.models.batch_tree import batch_tree
from ctxtui.pages.html import lesson_html
from ctxtui.pages.markdown import TIMELINE, lesson_markdown
from ctxtui.pages.state_svg import state_svg
from ctxtui.pages.telling import LABELS
from ctxtui.render.timeline_drawing.text import NOW, timeline_text
from ctxtui.theme import colours_of
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
    for frame, step in zip(lesson_frames(lesson, "zh"), data["steps"], strict=True):
        assert step["brief"]["zh"] == frame.brief
        assert step["after"]["visible"] == list(frame.after.visible)
        assert (step["question"] is None) == (frame.question is None)
    assert set(data["labels"]) == set(LABELS)


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
    for frame, step in zip(lesson_frames(lesson), data["steps"], strict=True):
        for state, at in ((frame.before, "before"), (frame.after, "after")):
            drawing = data["timelines"][step["timeline"][at]]
            dots = re.findall(r'<circle [^>]*fill="var\(--(\w+)\)"', drawing)
            assert [one == "hl" for one in dots] == [one.is_current for one in state.timeline]
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
    told += lesson_markdown(lesson, "en") + lesson_markdown(lesson, "zh")
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


def test_hostile_texts_are_text_in_markdown() -> None:
    shown = (
        MarkdownIt("commonmark", {"html": True})
        .enable("table")
        .render(lesson_markdown(read_lesson(hostile()), "en", lambda frame: f"{frame.number}.svg"))
    )
    assert not re.search(r"<script|<!--|<a |<em>b", shown)
    assert shown.count("<pre>") == shown.count("</pre>") >= 1
    assert "&lt;script&gt;alert(1)" in shown
    assert len(re.findall(r"<img ", shown)) == len(small()["steps"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_timeline_stands_in_markdown_below_each_step_that_changed_it(language: str) -> None:
    lesson = find_lesson("rollback").lesson
    text = lesson_markdown(lesson, language)
    steps = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    before: list[bool] = []
    for frame, step in zip(lesson_frames(lesson), steps, strict=True):
        now = [one.is_current for one in frame.after.timeline]
        blocks = re.findall(r"```text\n(.*?)```", step, re.DOTALL)
        if blocks:
            assert [one.lstrip()[0] == NOW for one in blocks[0].splitlines()] == now
            assert text.count(TIMELINE.to(language)) == text.count("```text")
        else:
            assert now == before
        before = now
    last = re.findall(r"```text\n(.*?)```", text, re.DOTALL)[-1]
    assert last == (
        "○    0 START        5 messages              +7   ·  7\n"
        "  ○  1 TRUNCATE #1  keepLast 2              +2  −3  4\n"
        "●    1 TRUNCATE #2  keepLast 4, keepSystem   ·  −2  5  ← 0 START\n"
    )
    shown = MarkdownIt("commonmark").render(text)
    assert shown.count('<code class="language-text">') == text.count("```text")


def test_no_batch_ends_the_block_that_its_timeline_stands_in() -> None:
    conversation = Conversation([{"role": "user", "content": "a"}] * 3)
    cut = {"operation": "TRUNCATE", "keepLast": 1, "description": "```\n</code>\n```"}
    conversation.execute(cut)
    text = timeline_text(batch_tree(conversation))
    assert [line[0] for line in text.splitlines()] == ["○", NOW]
    shown = MarkdownIt("commonmark").render(f"```text\n{text}```\n\nafter")
    assert shown.count("<pre>") == 1
    assert shown.endswith("<p>after</p>\n")


@pytest.mark.parametrize("text", ["- a", "+ a", "12. a", "3) a", "# a", "> a", "a | b", "***"])
def test_no_text_begins_something_else(text: str) -> None:
    lesson = small()
    lesson["steps"][0]["tell"]["en"] = text
    shown = MarkdownIt("commonmark").render(lesson_markdown(read_lesson(lesson), "en"))
    written = text.replace(">", "&gt;")
    assert f"<p>{written}</p>" in shown


@pytest.mark.parametrize("data", [small(), hostile()], ids=["small", "hostile"])
def test_the_picture_of_a_step_has_every_message(data: dict[str, Any]) -> None:
    for frame in lesson_frames(read_lesson(data)):
        root = ElementTree.fromstring(state_svg(frame, colours_of("paper")))
        tags = {one.tag.rpartition("}")[2] for one in root.iter()}
        assert tags == {"svg", "title", "rect", "text"}
        texts = [one.text for one in root.iter() if one.tag.endswith("text")]
        assert len(texts) == 1 + 5 * len(frame.after.rows)


def test_a_lesson_is_written_as_what_its_file_is_called(run: Run, tmp_path: Path) -> None:
    lesson = find_lesson("rollback").lesson
    count = len(lesson.steps)
    done = run("learn", "rollback", "-o", tmp_path / "a b.md", "--lang", "zh", "--json")
    assert done.data == {
        "written": str(tmp_path / "a b.md"),
        "kind": "markdown",
        "steps": count,
        "pictures": count,
    }
    text = (tmp_path / "a b.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {lesson.title.zh}\n")
    pictures = re.findall(r"\]\(([^)]*)\)", text)
    assert len(pictures) == count
    assert all((tmp_path / one.replace("%20", " ")).is_file() for one in pictures)
    assert run("learn", "rollback", "-o", tmp_path / "b.html").code == 0
    assert (tmp_path / "b.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    printed = run("learn", "rollback", "-o", "-", "--to", "markdown", "--lang", "en").out
    assert printed.startswith(f"# {lesson.title.en}\n")
    assert "![" not in printed


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in a folder without anything in it."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("rollback", "--to", "html"), "--to html needs a file to write"),
        (("-o", "x.html"), "-o x.html needs a lesson to write"),
        (("rollback", "-o", "no/such/x.md"), "it can't be made"),
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
