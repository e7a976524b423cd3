"""Waiting in tests for what a key has caused, and not for how busy the machine is.

Textual's pilot guesses from the processor time that an app has nothing left to do. Our app knows.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual import events
from textual._context import active_app
from textual._wait import wait_for_idle
from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget

from ctxtui.app import CtxtuiApp
from ctxtui.files.preferences import FOLDER
from ctxtui.pictures.screen import settled as settled_app
from tests import drawing

FOR_EVER_SECONDS = 86_400.0
LOOK_AGAIN_SECONDS = 0.5
MOST_ROUNDS = 1_000


async def settled(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Wait until an app has done and drawn all that follows from what was typed."""
    app = active_app.get(None)
    if not isinstance(app, CtxtuiApp):
        await wait_for_idle(min_sleep, max_sleep)
        return
    await settled_app(app)


async def idle(pilot: Pilot[str]) -> None:
    """Wait until nothing is being done in the background, and what was found out is shown.

    What is found out may lead to more that is to be found out, and so may drawing it.
    """
    is_drawn = False
    for _ in range(MOST_ROUNDS):
        await pilot.pause()
        at_work = [worker for worker in pilot.app.workers if not worker.is_finished]
        if at_work:
            await pilot.app.workers.wait_for_complete(at_work)
            is_drawn = False
        elif late := _to_be_drawn(pilot.app):
            for part in late:
                part.check_idle()  # One that was made while another was drawn was never asked.
            is_drawn = False
        elif is_drawn:
            return
        else:
            drawing.draw(pilot.app)
            is_drawn = True
        await asyncio.sleep(0)
    raise AssertionError("something is never drawn, or never ends")


def _to_be_drawn(app: App[Any]) -> list[Widget]:
    """Return the widgets, and bars that scroll them, that are not yet drawn as they are by now."""
    parts: list[Widget] = []
    for widget in app.screen.query(Widget):
        parts += [widget, widget.vertical_scrollbar] if widget.show_vertical_scrollbar else [widget]
    return [one for one in parts if one._repaint_required or one._layout_required]


class Marks:
    """Counts the parts of an app that have not yet done what was asked of them before."""

    def __init__(self) -> None:
        self.count = 0
        self.are_met = asyncio.Event()

    def meet(self) -> None:
        self.count -= 1
        if not self.count:
            self.are_met.set()


async def screen_settled(pilot: Pilot[str]) -> bool:
    """Wait until all parts of the screen have done what was asked of them, or one has failed."""
    app = pilot.app
    if not app.screen_stack:
        return False
    marks = Marks()
    for part in (app, *app.screen.walk_children(with_self=True)):
        marks.count += part.post_message(events.Callback(marks.meet))
    has_failed: asyncio.Event = app._exception_event
    while not marks.are_met.is_set() and app.is_running and not has_failed.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN_SECONDS):
                await marks.are_met.wait()
    return marks.are_met.is_set()


def install() -> None:
    """Let pilots wait for the app instead of the clock, and let no toast go before it is read."""
    CtxtuiApp.NOTIFICATION_TIMEOUT = FOR_EVER_SECONDS
    textual.app.wait_for_idle = settled  # type: ignore[attr-defined]
    textual.pilot.wait_for_idle = settled  # type: ignore[attr-defined]
    Pilot._wait_for_screen = screen_settled  # type: ignore[method-assign, assignment]


@pytest.fixture(autouse=True, scope="session")
def _pilots_wait_for_the_app() -> None:
    install()
    drawing.install()


@pytest.fixture(autouse=True)
def _preferences_of_its_own(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """Let no test see which theme or signs another one has chosen."""
    if request.node.path.parent.name in ("ui", "snapshots"):
        monkeypatch.setenv(FOLDER, str(tmp_path_factory.mktemp("config")))
