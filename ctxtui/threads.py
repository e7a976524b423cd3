"""Coming back from a thread to the app, if whoever asked is still there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.widget import Widget


def from_thread(widget: Widget, act: Callable[..., object], *given: Any, **named: Any) -> None:
    """Do something in the thread of the app, unless the widget has gone meanwhile."""

    def act_if_here() -> None:
        if widget.is_attached and widget.is_running:
            act(*given, **named)

    if widget.app.is_running:
        widget.app.call_from_thread(act_if_here)
