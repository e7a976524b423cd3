"""An app that tells things in passing: toasts with a place and a time of their own."""

from __future__ import annotations

from functools import partial
from time import monotonic

from textual import events
from textual.app import App
from textual.notifications import SeverityLevel
from textual.timer import Timer

from ctxtui.models.told import Severity, Told
from ctxtui.widgets.toasts import Toasts

MOST_TOASTS = 3
"""How many toasts are shown at once; then the oldest goes."""


class TellingApp(App[str]):
    """Keeps what was told and shows it on whatever screen is in front."""

    NOTIFICATION_TIMEOUT = 4.0
    """Seconds for which a toast is shown; a warning for twice as long."""

    def __init__(self) -> None:
        super().__init__()
        self.told: tuple[Told, ...] = ()
        self._told_at = 0.0
        self._leaving: dict[Told, Timer] = {}

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show what Textual itself has to tell, as our own toasts are."""
        kinds: dict[SeverityLevel, Severity] = {"warning": "warning", "error": "error"}
        kind = kinds.get(severity, "note")
        self.tell(Told(kind, title, message) if title else Told(kind, message))

    def tell(self, told: Told) -> None:
        """Show a toast for a while, or an error until a key is pressed."""
        kept = [one for one in self.told if one != told][1 - MOST_TOASTS :]
        self.told = (*kept, told)
        self._told_at = monotonic()
        if told.severity != "error":
            seconds = self.NOTIFICATION_TIMEOUT * (1 + (told.severity == "warning"))
            self._stop_leaving(told)
            self._leaving[told] = self.set_timer(seconds, partial(self.forget, told))
        self._show_told()

    def forget(self, told: Told) -> None:
        """Take a toast away; an equal one that came later stays its own time."""
        self._stop_leaving(told)
        self.told = tuple(one for one in self.told if one != told)
        self._show_told()

    def _stop_leaving(self, told: Told) -> None:
        """Stop the timer of a toast; told again, it stays as long as any other."""
        timer = self._leaving.pop(told, None)
        if timer is not None:
            timer.stop()

    def forget_errors(self, key: events.Key) -> None:
        """Take away the errors that were to be seen when a key was pressed."""
        if key.time > self._told_at and any(one.severity == "error" for one in self.told):
            self.told = tuple(one for one in self.told if one.severity != "error")
            self._show_told()

    def _show_told(self) -> None:
        if self.screen_stack:
            for toasts in self.screen.query(Toasts):
                toasts.update()
