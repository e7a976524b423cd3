"""Toasts, shown from anywhere on a screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

from textual.dom import DOMNode

from ctxtui.text.toast import Toast


class ToastApp(Protocol):
    """The app, as far as it shows toasts."""

    toasts: Sequence[Toast]

    def show_toast(self, toast: Toast) -> None: ...

    def remove_toast(self, toast: Toast) -> None: ...


def notify(node: DOMNode, toast: Toast) -> None:
    """Show a toast; it never takes the focus."""
    app: Any = node.app
    cast("ToastApp", app).show_toast(toast)
