"""Pictures of a lesson: a question with its answer covered, and the answer revealed."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core.lessons import read_lesson
from ctxtui.core.storage import MemoryLibrary
from ctxtui.lessons.files import LessonFile, save_progress
from ctxtui.lessons.models import LessonProgress
from ctxtui.lessons.screen import LessonScreen
from tests.lessons.samples import FOLDER, bundled
from tests.snapshots.test_snapshots import Compare


def lesson(name: str, step: str) -> CtxtuiApp:
    """Return the app on a step of a lesson, which is none of the series' own here."""
    save_progress("own", LessonProgress(step))
    found = LessonFile("own", FOLDER / f"{name}.json", read_lesson(bundled(name)))
    shown = CtxtuiApp(library=MemoryLibrary(), lesson=found, language="en")
    shown.animation_level = "none"
    return shown


def after(*keys: str, is_covered: bool) -> Any:
    """Return what to do before the shot: press keys, and see whether the answer is covered."""

    async def run_before(pilot: Pilot[str]) -> None:
        await pilot.pause()
        await pilot.press(*keys)
        screen = pilot.app.screen
        assert isinstance(screen, LessonScreen)
        assert screen.player.is_covered == is_covered
        assert len(screen.player.given.rows) == 4

    return run_before


def test_a_prediction(snap_compare: Compare) -> None:
    shown = lesson("orphaned-results", "window")
    run = after("j", "j", "j", *["space"] * 4, "2", is_covered=True)
    assert snap_compare(shown, terminal_size=(140, 42), run_before=run)


def test_a_revealed_answer_beside_a_simpler_rule(snap_compare: Compare) -> None:
    shown = lesson("rollback", "roll-back")
    run = after("j", *["space"] * 4, "enter", is_covered=False)
    assert snap_compare(shown, terminal_size=(120, 40), run_before=run)
