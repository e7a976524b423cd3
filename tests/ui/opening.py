"""Opens the app for a test, and reads what it shows."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.scripts import Script
from ctxtui.core.storage import MemoryLibrary, Session
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt

TOUR = Path(__file__).parents[2] / "sample_sessions" / "tour.json"


LONG_AGO = 1_700_049_600_000
"""Noon of a day in November 2023: told by its date, which is the same in every time zone."""


def tour() -> Conversation:
    """Return the tour before its last two steps: 16 of 27 messages in batch 3, and clean."""
    script = json.loads(TOUR.read_text(encoding="utf-8"))
    without_two = Script.from_dict({**script, "steps": script["steps"][:-2]})
    return without_two.run(clock=lambda: LONG_AGO)


def kept(conversation: Conversation) -> Session:
    """Return a session that is kept in memory."""
    return MemoryLibrary().create(conversation)


@asynccontextmanager
async def opened(
    conversation: Conversation | None = None, size: tuple[int, int] = (140, 42)
) -> AsyncIterator[tuple[Pilot[str], InspectorScreen]]:
    """Open the app on a conversation, by default on the tour."""
    app = CtxtuiApp(kept(conversation or tour()))
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, InspectorScreen)
        yield pilot, app.screen


def lines(screen: InspectorScreen, pane: str) -> list[str]:
    """Return what a pane shows, line by line."""
    widget = screen.query_one(f"#{pane}")
    return [widget.render_line(y).text for y in range(widget.size.height)]


def listed(screen: InspectorScreen, pane: str) -> LineList:
    """Return a list by its name."""
    return screen.query_one(f"#{pane}", LineList)


def painted(screen: Screen[Any]) -> str:
    """Return what is on the terminal by now, as it was really drawn."""
    return "\n".join(strip.text for strip in screen._compositor.render_strips())


def toasts(pilot: Pilot[str]) -> str:
    """Return what the app tells in passing, a line for each toast."""
    assert isinstance(pilot.app, CtxtuiApp)
    return "\n".join(one.text for one in pilot.app.toasts)


def refusal(screen: Screen[Any]) -> str:
    """Return why a prompt did not take the answer; nothing if it did."""
    why = screen.query_one("#why-not", Static)
    return str(why.content) if screen.query_one(Prompt).is_open and why.display else ""
