"""Running a command that was not given by its key, but with the palette or the mouse."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.widget import Widget


async def run_command(screen: Screen[Any], action: str) -> None:
    """Run an action of a screen, or of the part of it that has such an action."""
    name = f"action_{action.partition('(')[0]}"
    parts: list[Widget] = [screen, *screen.walk_children(Widget)]
    await next((one for one in parts if hasattr(one, name)), screen).run_action(action)
