"""Sides of what-if without the screens below them, for tests of one side alone."""

from __future__ import annotations

from textual import events
from textual.pilot import Pilot

from ctxtui.app import CtxtuiApp
from ctxtui.inspector.models.search import Spot
from ctxtui.what_if.models.over_run import PolicyComparison
from ctxtui.what_if.models.sweep import PolicySweep, SweepCursor


class Alone:
    """Stands for the first side where that doesn't matter: notes what it is asked for."""

    def __init__(self, comparison: PolicyComparison) -> None:
        self.cursor = SweepCursor(PolicySweep(comparison))
        self.asked: list[object] = []

    def turn_to(self, side: str) -> None:
        """Note a side that is turned to."""
        self.asked.append(side)

    def end(self, outcome: Spot | None = None) -> None:
        """Note how it is left."""
        self.asked.append(outcome)


class Bare(CtxtuiApp):
    """The app without a screen of its own below the one that is tested."""

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        """Show nothing."""
        event.prevent_default()


async def wait(pilot: Pilot[str]) -> None:
    """Wait until everything is found out and shown."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
