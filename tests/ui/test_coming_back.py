"""Coming back from anywhere: the cursor and what is in sight are where they were."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary
from ctxtui.library.screen import LibraryScreen
from ctxtui.widgets.line_list import LineList
from tests.ui.test_library import wait

WAYS = {
    "a session": (["enter"], ["escape"]),
    "samples": (["6"], ["5"]),
    "the trash": (["9"], ["escape"]),
    "watching": (["7"], ["escape"]),
    "lessons": (["8"], ["escape"]),
    "settings": (["comma"], ["escape"]),
    "many sessions": (["percent_sign"], ["escape"]),
    "what was found": (["slash", *"number", "enter"], ["escape"]),
    "sorting": (["s"], ["escape"]),
    "help": (["question_mark"], ["escape"]),
    "a prompt": (["ampersand"], ["escape"]),
}


def many() -> MemoryLibrary:
    library = MemoryLibrary()
    for at in range(60):
        said = [{"role": "user", "content": f"number {at}"}, {"role": "assistant", "content": "ok"}]
        library.create(Conversation(said), title=f"session {at:02}").close()
    return library


async def at_home(pilot: Pilot[str]) -> LibraryScreen:
    for _ in range(300):
        if isinstance(pilot.app.screen, LibraryScreen):
            break
        await pilot.pause(0.01)
    await wait(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, LibraryScreen)
    return screen


@pytest.mark.parametrize("where", WAYS)
async def test_the_library_is_as_it_was_left(where: str) -> None:
    there, back = WAYS[where]
    app = CtxtuiApp(library=many())
    app.animation_level = "none"
    async with app.run_test(size=(100, 30)) as pilot:
        await wait(pilot)
        screen = await at_home(pilot)
        await pilot.press("G", *["k"] * 25, *["j"] * 3)
        await wait(pilot)
        before = (screen.entry and screen.entry.title, screen.listed.cursor, screen.listed.scroll_y)
        assert before[2] > 0
        await pilot.press(*there)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press(*back)
        screen = await at_home(pilot)
        now = (screen.entry and screen.entry.title, screen.listed.cursor, screen.listed.scroll_y)
        assert now == before


async def test_what_was_found_is_as_it_was_left_after_a_session_was_opened() -> None:
    app = CtxtuiApp(library=many())
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await at_home(pilot)
        await pilot.press("slash", *"number", "enter")
        await at_home(pilot)
        await pilot.press("G", *["k"] * 25)
        before = (screen.panes.mode, screen.listed.cursor, screen.listed.scroll_y)
        assert before[0] == "hits"
        assert before[2] > 0
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert app.screen is not screen
        await pilot.press("escape", "escape")  # The search in the session, then the session.
        await at_home(pilot)
        assert (screen.panes.mode, screen.listed.cursor, screen.listed.scroll_y) == before


async def test_the_lessons_are_as_they_were_left_after_one_was_opened() -> None:
    app = CtxtuiApp(library=many(), home="lessons")
    async with app.run_test(size=(80, 24)) as pilot:
        await wait(pilot)
        listed = app.screen.query_one(LineList)
        home = app.screen
        await pilot.press("G", *["k"] * 6)
        before = (listed.cursor, listed.scroll_y)
        await pilot.press("enter")
        await wait(pilot)
        assert app.screen is not home
        await pilot.press("escape")
        await wait(pilot)
        again = app.screen.query_one(LineList)
        assert (again.cursor, again.scroll_y) == before
