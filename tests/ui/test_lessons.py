"""Lessons in the app: playing one with keys and mouse, and the ways in and out."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core.lessons import read_lesson
from ctxtui.core.storage import MemoryLibrary
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.lessons.files import LessonFile, find_lesson, load_learner, save_progress
from ctxtui.lessons.list_screen import LessonsScreen
from ctxtui.lessons.models import LessonProgress
from ctxtui.lessons.screen import LessonScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.line_list import LineList
from tests.lessons.samples import said, small
from tests.ui.hostility import HOSTILE
from tests.ui.opening import painted, toasts
from tests.ui.test_library_choosing import screen_of

SIZES = [(80, 24), (200, 60), (40, 12)]


@asynccontextmanager
async def playing(
    found: LessonFile | str | dict[str, Any] = "orphaned-results",
    size: tuple[int, int] = (140, 42),
    language: str = "en",
    step: str = "",
) -> AsyncIterator[tuple[Pilot[str], LessonScreen]]:
    if isinstance(found, str):
        found = find_lesson(found)
    elif isinstance(found, dict):
        found = LessonFile("own", Path("own.json"), read_lesson(found))
    if step:
        save_progress(found.name, LessonProgress(step))
    app = CtxtuiApp(library=MemoryLibrary(), lesson=found, language=language)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, LessonScreen)
        yield pilot, app.screen


def keys(screen: Any) -> str:
    line = screen.query_one(KeyFooter)
    return ", ".join(f"{key.keys} {key.word}" for group in line.keys for key in group)


def pane(screen: LessonScreen, name: str) -> str:
    widget = screen.query_one(f"#lesson-{name}")
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))


REVEAL = ("s",)
"""What reveals an answer to whoever gives none."""

FOOTERS = [
    ("rollback", "batch-zero", "", "enter next step, o try it yourself, t 中文", "space, h, 1–3"),
    ("rollback", "window", "", "space pick, enter reveal, backspace step back, h hint", "1–3"),
    ("rollback", "window", "enter", "n none of them, s show answer, enter reveal", ">"),
    ("rollback", "window", "s", "enter next step, r restart", "space, h, s, n"),
    ("rollback", "log", "", "0–9 type a number, enter reveal", "space"),
    ("rollback", "log", "7", "backspace rub out", ""),
    ("rollback", "checkout", "", "space pick, 1–3 answer", "1–4, 1–2"),
    ("orphaned-results", "window", "tab tab", "1–4 answer, tab next, esc back, ? help", ""),
    ("rollback", "home", "", "> next lesson, esc back", "enter"),
]


@pytest.mark.parametrize(("name", "step", "pressed", "there", "missing"), FOOTERS)
async def test_the_line_of_keys_shows_what_can_be_done(
    name: str, step: str, pressed: str, there: str, missing: str
) -> None:
    async with playing(name, (200, 50), step=step) as (pilot, screen):
        await pilot.press(*pressed.split())
        line = keys(screen).split(", ")
        assert [one for one in there.split(", ") if one not in line] == []
        lead = {one.split(" ")[0] for one in line}
        assert not lead & set(missing.split(", "))


async def test_a_question_covers_the_answer_everywhere_until_it_is_revealed() -> None:
    async with playing(step="window") as (pilot, screen):
        assert "Which messages will the model be" in painted(screen)
        arrays = pane(screen, "arrays")
        assert arrays.count("▒▒▒▒▒▒") == 7
        assert "3–6" not in arrays
        assert "?" in pane(screen, "timeline")
        assert "not applied yet" in painted(screen)
        assert "✖" not in pane(screen, "visible")
        await pilot.press(*REVEAL)
        arrays = pane(screen, "arrays")
        assert "▒" not in arrays
        assert "3–6" in arrays
        assert "✖ G1" in pane(screen, "visible")
        assert "−   0 § sys" in pane(screen, "raw")


async def test_rows_are_picked_with_space_and_an_answer_with_its_number() -> None:
    async with playing(step="window") as (pilot, screen):
        await pilot.press("j", "j", "space", "space", "space", "space", "2")
        assert screen.player.given.rows == {2, 3, 4, 5}
        assert screen.player.given.answer == 1
        assert "4 picked" in painted(screen)
        assert "(●) 2 no, a result has lost its call" in painted(screen)
        await pilot.press("enter")
        judged = {row.raw: row.verdict for row in screen.shown.pick_rows() if row.verdict != "left"}
        assert judged == {2: "not sent", 3: "right", 4: "right", 5: "right", 6: "missed"}
        assert "1 not sent  1 missed  3 right" in painted(screen)
        assert screen.player.score == (1, 2)


async def test_a_step_is_taken_with_enter_and_back_with_backspace() -> None:
    async with playing("rollback") as (pilot, screen):
        before = painted(screen)
        await pilot.press("enter")
        assert screen.player.step.id == "window"
        await pilot.press("backspace")
        assert painted(screen).splitlines()[3:-1] == before.splitlines()[3:-1]
        await pilot.press("backspace")
        assert "This is the first step" in toasts(pilot)


async def test_a_number_is_typed_and_rubbed_out() -> None:
    async with playing("rollback", step="log") as (pilot, screen):
        assert "0–9 type a number" in keys(screen)
        await pilot.press("1", "7", "backspace", "backspace", "7")
        assert screen.player.given.number == 7
        assert screen.player.step.id == "log"
        await pilot.press("enter")
        assert screen.player.verdict is not None
        assert screen.player.verdict.is_right
        assert "✓ Right.  7" in painted(screen)


async def test_the_hint_comes_when_it_is_asked_for() -> None:
    async with playing(step="window") as (pilot, screen):
        assert "It doesn't ask what they are" not in painted(screen)
        await pilot.press("h")
        assert "It doesn't ask what they are" in painted(screen)
        assert "h hint" not in keys(screen)


async def test_what_a_simpler_rule_leaves_stands_beside_what_this_engine_sends() -> None:
    async with playing("rollback", step="roll-back") as (pilot, screen):
        assert not screen.query_one("#lesson-naive").display
        await pilot.press(*REVEAL)
        assert screen.query_one("#lesson-naive").display
        rule = pane(screen, "naive")
        assert "+  5 ❯ Two more guests" in rule
        assert "−  0 § You help" in rule
        assert "A rule that only shortens" in painted(screen)
        await pilot.press("enter")
        assert not screen.query_one("#lesson-naive").display


async def test_a_rule_that_gives_nothing_says_what_happens() -> None:
    async with playing("rollback", step="two-ones") as (pilot, screen):
        await pilot.press(*REVEAL)
        assert "ROLLBACK 1: which 1?" in pane(screen, "naive")


async def test_a_step_points_at_a_pane_and_at_rows_once_it_is_revealed() -> None:
    async with playing("rollback", step="log") as (pilot, screen):
        raw = screen.query_one("#lesson-raw", LineList)
        assert not raw.has_class("-looked-at")
        assert raw.selected == set()
        await pilot.press(*REVEAL)
        assert raw.has_class("-looked-at")
        assert raw.selected == {5, 6}
        assert raw.key == 5


async def test_a_small_screen_shows_the_pane_that_is_pointed_at() -> None:
    async with playing("rollback", (80, 24), step="log") as (pilot, screen):
        assert screen.has_class("-at-visible")
        await pilot.press(*REVEAL)
        assert screen.query_one("#lesson-raw").has_focus
        await pilot.press("enter")
        assert screen.query_one("#lesson-visible").has_focus


async def test_nothing_of_the_steps_to_come_is_in_the_panes() -> None:
    async with playing("rollback", step="window") as (_, screen):
        assert len(screen.shown.conversation.batches) == 1
        assert "ROLLBACK" not in pane(screen, "timeline")


async def test_it_goes_on_where_it_was_left() -> None:
    async with playing() as (pilot, screen):
        await pilot.press("enter", "2", "enter", "enter")
        assert screen.player.step.id == "one-gone"
    async with playing() as (pilot, screen):
        assert screen.player.step.id == "one-gone"
        assert screen.player.score == (1, 1)
        await pilot.press("r")
        assert screen.player.at == 0
    assert load_learner().of("orphaned-results").answers == {}


async def test_the_language_is_switched_and_remembered() -> None:
    async with playing() as (pilot, screen):
        assert "A model can't look out of the window" in painted(screen)
        await pilot.press("t")
        assert "模型看不到窗外" in painted(screen)
        assert "t English" in keys(screen)
    assert load_learner().language == "zh"


async def test_what_is_shown_can_be_tried_and_is_forgotten() -> None:
    async with playing("rollback", step="go-on") as (pilot, screen):
        library = pilot.app.library  # type: ignore[attr-defined]
        await pilot.press("o")
        inspector = pilot.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert len(inspector.conversation.log) == 7
        assert "A practice copy" in toasts(pilot)
        assert "practice copy, not saved" in painted(inspector)
        await pilot.press("u")
        assert len(inspector.conversation.view) == 2
        await pilot.press("S")
        assert "Nothing of it is saved" in toasts(pilot)
        await pilot.press("O")
        assert pilot.app.screen is screen
        assert len(screen.shown.frame.view) == 4
        assert library.list() == []


async def test_whatever_is_pressed_in_a_practice_copy_it_leads_back_to_the_lesson() -> None:
    async with playing("rollback", step="go-on") as (pilot, screen):
        library = pilot.app.library  # type: ignore[attr-defined]
        await pilot.press("o")
        for key in ("plus", "minus", "less_than_sign", "greater_than_sign", "S", "ctrl+s"):
            await pilot.press(key)
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
        there = pilot.app.screen
        assert isinstance(there, InspectorScreen)
        await pilot.press("O")
        assert pilot.app.screen is screen
        assert library.list() == []


async def test_the_last_step_leads_to_the_next_lesson() -> None:
    async with playing("rollback", step="home") as (pilot, _):
        await pilot.press("greater_than_sign")
        following = pilot.app.screen
        assert isinstance(following, LessonScreen)
        assert following.found.name != "rollback"
        assert following.found.lesson.series == "basics"


async def test_a_lesson_of_ones_own_ends_with_the_list() -> None:
    async with playing(small(), step="back") as (pilot, screen):
        assert "esc back" in keys(screen)
        await pilot.press("greater_than_sign", "enter")
        assert "There is no next lesson" in toasts(pilot)
        assert pilot.app.screen is screen
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, LessonsScreen)


async def test_the_library_leads_to_the_lessons_and_they_lead_back() -> None:
    app = CtxtuiApp(library=MemoryLibrary())
    async with app.run_test(size=(140, 42)) as pilot:
        seen: list[object] = []
        for key in ("l", "enter", "escape", "escape"):
            await pilot.press(key)
            await pilot.pause()
            seen.append(type(app.screen))
        assert seen == [LessonsScreen, LessonScreen, LessonsScreen, LibraryScreen]


async def test_a_lesson_opened_by_name_is_left_for_the_list_and_then_the_library() -> None:
    async with playing("orphaned-results") as (pilot, _):
        await pilot.press("escape")
        listed = pilot.app.screen
        assert isinstance(listed, LessonsScreen)
        assert listed.lesson is not None
        assert listed.lesson.name == "orphaned-results"
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, LibraryScreen)


async def test_the_list_tells_how_far_each_lesson_was_taken() -> None:
    save_progress("rollback", LessonProgress("log"))
    save_progress("orphaned-results", LessonProgress("with-care", True, True))
    app = CtxtuiApp(library=MemoryLibrary())
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.press("l")
        drawn = painted(app.screen)
        assert "step 5 of 10" in drawn
        assert "seen, 0 of 6 answered" in drawn
        assert "0 of 22 lessons done" in drawn
        await pilot.press("t")
        assert "回退与被放弃的分支" in painted(app.screen)


@pytest.mark.parametrize("size", SIZES)
async def test_tab_goes_through_all_panes_at_every_size(size: tuple[int, int]) -> None:
    async with playing("rollback", size, step="roll-back") as (pilot, screen):
        await pilot.press(*REVEAL)
        seen = []
        for _ in range(6):
            assert screen.focused is not None
            assert screen.focused.display
            assert screen.focused.size.height > 0
            seen.append(screen.focused.id)
            await pilot.press("tab")
        assert seen == [
            f"lesson-{name}" for name in ("visible", "naive", "story", "raw", "timeline", "arrays")
        ]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (140, 42), (200, 60)])
async def test_question_answers_and_rows_are_in_sight_at_every_size(size: tuple[int, int]) -> None:
    async with playing(size=size, step="window") as (pilot, screen):
        drawn = painted(screen)
        assert "PREDICT" in drawn
        assert "4 no, it ends with the" in drawn
        rows = screen.query_one("#lesson-visible", LineList)
        assert rows.in_sight[1] - rows.in_sight[0] >= 5
        await pilot.press(*REVEAL)
        assert "3 to 6. The cut" in painted(screen)


async def test_answers_are_clicked_and_rows_double_clicked() -> None:
    async with playing(step="window") as (pilot, screen):
        story = screen.query_one("#lesson-story")
        rows = pane(screen, "story").splitlines()
        at = next(y for y, row in enumerate(rows) if "2 no, a result" in row)
        await pilot.click(story, offset=(12, at + 2))
        assert screen.player.given.answer == 1
        await pilot.click("#lesson-visible", offset=(20, 5), times=2)
        assert screen.player.given.rows == {3}


async def test_keys_typed_in_a_burst_are_all_taken() -> None:
    async with playing() as (pilot, screen):
        burst = ["enter", "2", "enter", "enter", "2", "enter", "enter", "enter", "2", "j", "j"]
        await pilot.press(*burst, "j", "space", "space", "space", "space", "enter")
        assert screen.player.step.id == "window"
        assert screen.player.score == (4, 4)


def hostile() -> dict[str, Any]:
    """Return a lesson whose every text is of the worst kind."""
    lesson = small()

    def spoil(value: Any) -> Any:
        if isinstance(value, dict):
            if set(value) == {"en", "zh"}:
                return said(HOSTILE)
            return {key: spoil(one) for key, one in value.items()}
        return [spoil(one) for one in value] if isinstance(value, list) else value

    lesson = spoil(lesson)
    for message in lesson["start"]["messages"]:
        message["content"] = HOSTILE
    lesson["steps"][1]["naive"] = {"says": said(HOSTILE), "texts": [HOSTILE, "[/red]"]}
    return dict(json.loads(json.dumps(lesson)))


@pytest.mark.parametrize("size", [(80, 24), (140, 42)])
async def test_hostile_text_of_a_lesson_is_only_text(size: tuple[int, int]) -> None:
    async with playing(hostile(), size) as (pilot, screen):
        for _ in range(8):
            drawn = painted(screen)
            assert "\x1b" not in drawn
            assert "\u202e" not in drawn
            await pilot.press("h", "enter", "s")
        assert screen.player.is_last


async def test_progress_that_can_not_be_kept_is_told_in_the_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("CTXTUI_CONFIG", str(blocked))
    async with playing() as (pilot, screen):
        await pilot.press("enter", *REVEAL, "enter")
        assert "kept" not in toasts(pilot)
        assert "not even progress" in painted(screen)
        assert screen.player.at == 2


async def test_the_list_comes_first_and_leads_to_the_library_whose_tab_leads_back() -> None:
    app = CtxtuiApp(library=MemoryLibrary(), home="lessons")
    async with app.run_test(size=(140, 42)) as pilot:
        assert app.screen.query("#lessons")
        await pilot.press("escape")
        await pilot.pause()
        tabs = screen_of(app).panes.tabs(140)
        first = next(first for first, _, name in tabs.places if name == "lessons")
        await pilot.click("#library-head", offset=(first + 1, 0))
        await pilot.pause()
        assert isinstance(app.screen, LessonsScreen)
