"""What a lesson does with a learner in a hurry: it asks for answers, and stops at its end."""

from __future__ import annotations

import pytest

from ctxtui.lessons.files import load_learner
from tests.lessons.samples import said, small
from tests.ui.opening import painted, toasts
from tests.ui.test_lessons import pane, playing

SIZES = [(80, 24), (120, 40), (140, 42)]


async def test_any_number_of_enters_stops_at_the_first_question() -> None:
    async with playing("lost-zero") as (pilot, screen):
        await pilot.press(*["enter"] * 30)
        assert pilot.app.screen is screen
        assert screen.player.at == 1
        assert screen.player.is_covered
    learnt = load_learner()
    assert list(learnt.lessons) == ["lost-zero"]
    assert not learnt.of("lost-zero").is_seen


async def test_any_number_of_enters_stops_at_the_end_of_a_lesson() -> None:
    async with playing("rollback", step="home") as (pilot, screen):
        await pilot.press(*["enter"] * 30)
        assert pilot.app.screen is screen
        assert " >  Next lesson    esc  Leave" in pane(screen, "story")
    assert list(load_learner().lessons) == ["rollback"]


async def test_the_next_lesson_is_opened_only_from_the_end() -> None:
    async with playing("rollback") as (pilot, screen):
        await pilot.press("greater_than_sign")
        assert pilot.app.screen is screen
        assert "The lesson is not at its end" in toasts(pilot)


async def test_questions_that_were_given_up_are_open_at_the_end_and_can_be_answered() -> None:
    async with playing(small()) as (pilot, screen):
        await pilot.press("enter", "s", "enter", "s", "enter")
        story = pane(screen, "story")
        assert "◌ 0 of 2 answered; backspace leads back" in story
        assert "◌ Cut" in story
        assert "● Look" in story
        await pilot.press("backspace", "backspace", "0", "enter", "enter")
        assert "◌ 1 of 2 answered" in pane(screen, "story")
        await pilot.press(*["backspace"] * 5, "space", "2", *["enter"] * 4)
        assert screen.player.is_done
        assert "◌" not in pane(screen, "story")
        assert "The end. 2 of 3 right" in pane(screen, "story")


@pytest.mark.parametrize("size", SIZES)
async def test_a_missing_answer_is_asked_for_where_it_is_to_be_given(size: tuple[int, int]) -> None:
    async with playing("lost-zero", size, step="none") as (pilot, screen):
        await pilot.press("enter", "enter", "enter")
        assert screen.player.is_covered
        assert toasts(pilot) == ""
        asked = " ".join(pane(screen, "story").split())
        assert "Answer first: type a number; s shows the answer." in asked
        await pilot.press("4")
        assert "Answer first" not in painted(screen)
        assert "Type a number:" in painted(screen)
        await pilot.press("enter")
        assert "Answer first" not in painted(screen)
        assert screen.player.score == (0, 1)


async def test_what_is_given_up_is_not_answered_and_does_not_count_as_wrong() -> None:
    async with playing("rollback", step="log") as (pilot, screen):
        await pilot.press("s")
        assert "Not answered.  7" in painted(screen)
        assert screen.player.score == (0, 0)
        await pilot.press("s")
        assert screen.player.step.id == "log"
        await pilot.press("backspace", "6", "enter")
        assert "Not quite.  7" in painted(screen)
        assert screen.player.score == (0, 1)


async def test_only_what_is_missing_is_asked_for() -> None:
    async with playing(step="window") as (pilot, screen):
        seen = []
        for key in ("", "space", "2", "space"):
            await pilot.press(*[key] * bool(key), "enter")
            seen.append(" ".join(pane(screen, "story").split()))
            await pilot.press("k", *["space"] * (key == "2"))
    both, choice = seen[:2]
    assert "pick rows with space (n for none), then choose one by its number; s" in both
    assert "Answer first: choose one by its number; s shows" in choice
    assert "Answer first" not in seen[2]


async def test_none_of_the_rows_is_an_answer_of_its_own() -> None:
    def spoil(lesson: dict[str, object]) -> None:
        steps = lesson["steps"]
        assert isinstance(steps, list)
        steps[2]["predict"] = {"question": said("?"), "rows": [], "explain": said("!")}

    async with playing(small(spoil), step="none") as (pilot, screen):
        await pilot.press("enter", "n")
        assert "your prediction: none of them" in painted(screen)
        await pilot.press("enter")
        assert "✓ Right." in painted(screen)


async def test_what_is_asked_is_asked_in_chinese_too() -> None:
    async with playing("lost-zero", language="zh", step="none") as (pilot, screen):
        await pilot.press("enter")
        asked = "".join(pane(screen, "story").split())
        assert "请先作答：输入一个数字；按s直接揭晓。" in asked
