"""What all our screens have in common: they leave only themselves, and once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.await_complete import AwaitComplete

from ctxtui.threads import from_thread
from ctxtui.widgets.toasts import Toasts

if TYPE_CHECKING:
    from textual.screen import Screen

    Base = Screen[Any]
else:
    Base = object


class Scene(Base):
    """A screen that may be left by two keys in a row, and that threads may outlive."""

    ALLOW_IN_MAXIMIZED_VIEW = "KeyLine"

    def on_mount(self) -> None:
        """Make room for what the app tells in passing."""
        self.mount(Toasts())

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Leave this screen; a second time, when another one is on top, nothing happens."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def from_thread(self, act: Callable[..., object], *given: Any, **named: Any) -> None:
        """Do something in the thread of the app, if this screen is still there."""
        from_thread(self, act, *given, **named)
