"""The list of lanes: what is folded away beside one is shown by the screen, not by the list."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from ctxtui.widgets.line_list import LineList


class LaneList(LineList):
    """A list whose lines are folded by whoever fills it."""

    @dataclass
    class Folded(Message):
        """What is below a line should be shown, or folded away again."""

        key: int
        is_open: bool

    def action_fold(self, is_open: bool) -> None:
        """Ask for what is below the line under the cursor, or for less."""
        if self.key is not None:
            self.post_message(self.Folded(self.key, is_open))
