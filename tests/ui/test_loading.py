"""A large file is read behind a screen that moves; what can't be read gives the terminal back."""

from __future__ import annotations

import threading

from core import Conversation
from ctxtui.app import CtxtuiApp
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.loading import LoadingScreen


async def test_the_inspector_follows_when_the_file_is_read() -> None:
    may_go = threading.Event()

    def read() -> Conversation:
        assert may_go.wait(timeout=30)
        return Conversation([{"role": "user", "content": "hi"}])

    app = CtxtuiApp(read, "big [/b].json")
    async with app.run_test() as pilot:
        await pilot.pause()
        seen = [type(app.screen)]
        may_go.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        seen.append(type(app.screen))
        assert seen == [LoadingScreen, InspectorScreen]


async def test_what_can_not_be_read_is_told_after_the_app_has_gone() -> None:
    def read() -> Conversation:
        raise ValueError("line 3 is not JSON")

    app = CtxtuiApp(read, "bad.json")
    async with app.run_test() as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
    assert app.return_value == "line 3 is not JSON"
