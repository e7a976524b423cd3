"""Screens of what-if without the screens below them, for tests of one alone."""

from __future__ import annotations

from contextlib import suppress

from textual import events
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from ctxtui.app import CtxtuiApp
from ctxtui.files.policies import PolicyFile, list_policies


class Bare(CtxtuiApp):
    """The app without a screen of its own below the one that is tested."""

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        """Show nothing."""
        event.prevent_default()


def policies(count: int) -> list[PolicyFile]:
    """Return saved policies, then bundled ones; a plain window is first among these."""
    known = list_policies()
    saved = [one for one in known if one.origin == "saved"]
    bundled = [one for one in known if one.origin == "bundled"]
    return [*saved, *sorted(bundled, key=lambda one: one.name != "plain-window")][:count]


async def wait(pilot: Pilot[str]) -> None:
    """Wait until everything is found out and shown; what is asked again is cancelled before."""
    await pilot.pause()
    is_done = False
    while not is_done:
        with suppress(WorkerCancelled):
            await pilot.app.workers.wait_for_complete()
            is_done = True
    await pilot.pause()
