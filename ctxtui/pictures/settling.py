"""Waiting for an app that nobody sees: for what a key has caused, not for how busy a machine is."""

from __future__ import annotations

import asyncio

from ctxtui.app import CtxtuiApp

MOST_ROUNDS = 100
"""Drawing may lead to something that has to be drawn."""


async def settled(app: CtxtuiApp) -> None:
    """Wait until an app has done and drawn all that follows from what was typed."""
    for turn in range(MOST_ROUNDS):
        await app.type_ahead.settled()
        if not app.is_running or not app.screen_stack:
            return
        app._check_resize()
        await app.type_ahead.settled()
        app.screen._on_timer_update()
        if turn and not app.screen._layout_required:
            return
        await asyncio.sleep(0)
