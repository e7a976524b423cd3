"""A column of the what-if screen."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import BindingType

from ctxtui.commands import WHAT_IF
from ctxtui.widgets.text_pane import TextPane

TURNS = [command for command in WHAT_IF if command.action.startswith("choose")]


class RecipeColumn(TextPane):
    """One recipe and its outcome; arrows go to the next column instead of scrolling sideways."""

    BINDINGS: ClassVar[list[BindingType]] = [
        replace(command.binding(), action=f"screen.{command.action}") for command in TURNS
    ]

    def __init__(self, at: int) -> None:
        super().__init__(id=f"column-{at}")
        self.at = at
