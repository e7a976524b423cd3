"""Toasts, shown from anywhere on a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.dom import DOMNode

from ctxtui.text.toast import Toast

if TYPE_CHECKING:
    from ctxtui.app import CtxtuiApp


def notify(node: DOMNode, toast: Toast) -> None:
    """Show a toast; it never takes the focus."""
    cast("CtxtuiApp", node.app).show_toast(toast)
