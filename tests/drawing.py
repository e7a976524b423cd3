"""Apps without a terminal are drawn when a test looks, and their widgets once before they close.

Drawing every change takes a third of the time of a test of the app, and nobody sees it: tests read
the lines of a widget, or what ``painted`` and pictures draw on demand. What can't be drawn still
fails its test, since the screen is drawn in the end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakSet

from rich.console import RenderableType
from textual._compositor import Compositor
from textual._context import active_app, visible_screen_stack
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen


def draw(app: App[Any]) -> None:
    """Draw all of the screen, and of those that are seen below it."""
    _changed.discard(app)
    app.screen._compositor.render_update(True, app._background_screens)


def draw_contents(app: App[Any]) -> None:
    """Draw what is in each widget in sight, which is what may fail; borders are Textual's own.

    It takes a third of the time of putting the lines of a whole screen together.
    """
    for screen in (*app._background_screens, app.screen):
        for widget in list(screen._compositor.visible_widgets):
            for y in range(widget.content_size.height):
                widget.render_line(y)


_changed: WeakSet[App[Any]] = WeakSet()
"""Apps that have something to draw since they were drawn."""
_render_update = Compositor.render_update
_run_test = App.run_test


def _render_if_seen(
    self: Compositor,
    full: bool = False,
    screen_stack: list[Screen[Any]] | None = None,
    simplify: bool = False,
) -> RenderableType | None:
    if full or not active_app.get().is_headless:
        return _render_update(self, full, screen_stack, simplify)
    visible_screen_stack.set(screen_stack or [])
    _changed.add(active_app.get())
    self._dirty_regions.clear()
    return None


@asynccontextmanager
async def _run_and_draw(self: App[Any], **options: Any) -> AsyncIterator[Pilot[Any]]:
    async with _run_test(self, **options) as pilot:
        yield pilot
        if (
            self.is_running
            and self.screen_stack
            and (self in _changed or self.screen._dirty_widgets)
        ):
            draw_contents(self)


def install() -> None:
    """Draw apps without a terminal only when that is asked for."""
    Compositor.render_update = _render_if_seen  # type: ignore[method-assign]
    App.run_test = _run_and_draw  # type: ignore[method-assign]
