"""What all our screens have in common: background work, and that they are left once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.await_complete import AwaitComplete

from ctxtui.background import Background
from ctxtui.widgets.toasts import Toasts

if TYPE_CHECKING:
    from textual.screen import Screen

    Base = Screen[Any]
else:
    Base = object


class Scene(Base):
    """A screen that may be left by two keys in a row, with a runner for work in threads."""

    ALLOW_IN_MAXIMIZED_VIEW = "KeyLine"
    URGENT: ClassVar[tuple[str, ...]] = ("ctrl+q",)
    """Keys that need not wait for work in the background."""

    def on_mount(self) -> None:
        """Make room for what the app tells in passing."""
        self.mount(Toasts())

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Leave this screen; a second time, when another one is on top, nothing happens."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    @cached_property
    def background(self) -> Background:
        """Return what runs the work of this screen and of all that is on it."""
        return Background(self, self.waiting_changed)

    def waiting_changed(self) -> None:
        """Show that keys wait for something, or no longer do."""
        self.refresh_bindings()

    def awaits(self, event: events.Event) -> bool:
        """Return whether an event may be handled now: work that keys wait for has ended."""
        return not self.background.holds_keys

    def is_urgent(self, event: events.Event) -> bool:
        """Return whether an event need not wait."""
        return isinstance(event, events.Key) and event.key in self.URGENT
