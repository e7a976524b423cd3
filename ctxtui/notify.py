"""Telling the user something in passing, from anywhere on a screen."""

from __future__ import annotations

from typing import Any, Protocol, cast

from textual.dom import DOMNode

from ctxtui.text.toast import Told


class Teller(Protocol):
    """The app, as far as it tells things."""

    def tell(self, told: Told) -> None:
        """Show a toast."""
        ...


def tell(node: DOMNode, told: Told) -> None:
    """Show a toast; it never takes the focus."""
    app: Any = node.app
    cast("Teller", app).tell(told)
