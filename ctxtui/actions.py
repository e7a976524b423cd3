"""Running a command that was not given by its key, but with the palette or the mouse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.screen import Screen
from textual.widget import Widget


async def run_command(screen: Screen[Any], action: str) -> None:
    """Run an action of a screen, or of the part of it that has such an action."""
    await _run([screen, *screen.walk_children(Widget)], screen, action)


def may_run(screen: Screen[Any], action: str) -> bool:
    """Return whether an action can do anything on a screen as it is now."""
    part = _part([screen, *screen.walk_children(Widget)], screen, action)
    return bool(part.check_action(action.partition("(")[0], ()))


async def run_at_focus(screen: Screen[Any], action: str) -> None:
    """Run an action where its key would: at what has the focus, or nearest around it."""
    focus = [] if screen.focused is None else screen.focused.ancestors_with_self
    around = [node for node in focus if isinstance(node, Widget)]
    await _run([*around, screen, *screen.walk_children(Widget)], screen, action)


async def _run(parts: Iterable[Widget], screen: Screen[Any], action: str) -> None:
    await _part(parts, screen, action).run_action(action)


def _part(parts: Iterable[Widget], screen: Screen[Any], action: str) -> Widget:
    name = f"action_{action.partition('(')[0]}"
    return next((one for one in parts if hasattr(one, name)), screen)
