"""A large file is read behind a screen that moves; what can't be read gives the terminal back."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

from textual.widgets import ProgressBar, Static

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.formats import READABLE
from ctxtui.core.storage import Session
from ctxtui.files.opening import read_conversation
from ctxtui.files.sandbox import Unreadable
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.opening import LoadingScreen, ProblemScreen
from ctxtui.progress import TaskProgress
from tests.ui.opening import kept


async def test_the_inspector_follows_when_the_file_is_read() -> None:
    may_go = threading.Event()

    def read(_: TaskProgress) -> Session:
        assert may_go.wait(timeout=60)
        return kept(Conversation([{"role": "user", "content": "hi"}]))

    app = CtxtuiApp(read, None, "big [/b].json")
    async with app.run_test() as pilot:
        await pilot.pause()
        seen = [type(app.screen)]
        may_go.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        seen.append(type(app.screen))
        assert seen == [LoadingScreen, InspectorScreen]


async def test_what_can_not_be_read_is_told_on_a_screen_and_after_the_app_has_gone() -> None:
    def read(_: TaskProgress) -> Session:
        raise Unreadable("line 3 [/b] is not JSON")

    app = CtxtuiApp(read, None, "bad [/b].json")
    async with app.run_test() as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.screen, ProblemScreen)
        advice = str(app.screen.query_one("#advice", Static).content)
        assert all(name in advice for name in READABLE)
        await pilot.press("q")
    assert app.return_value == "line 3 [/b] is not JSON"


async def test_the_bar_tells_how_far_it_is_and_leaving_stops_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi"}] * 5_000))
    told, stopped = threading.Event(), threading.Event()
    seen: list[float] = []

    def read(watch: TaskProgress) -> Session:
        real = watch.step

        def step(done: float) -> None:
            real(done)
            seen.append(done)
            if done > 0.5:
                told.set()
                assert stopped.wait(timeout=60)

        watch.step = step  # type: ignore[method-assign]
        return kept(read_conversation(str(path), watch).conversation)

    app = CtxtuiApp(read, None, "big.json")
    async with app.run_test() as pilot:
        await asyncio.to_thread(told.wait, 30)
        await pilot.pause()
        bar = app.screen.query_one(ProgressBar)
        assert bar.percentage is not None
        assert bar.percentage > 0.4
        await pilot.press("escape")
        stopped.set()
    assert app.return_value is None
    assert seen == sorted(seen)
    assert max(seen) < 1


def test_reading_without_a_watch_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / "small.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi"}] * 3))
    watched = read_conversation(str(path), TaskProgress()).conversation
    assert list(watched.log) == list(read_conversation(str(path)).conversation.log)
