"""A list of options: arrows turn what others would unfold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from ctxtui.commands.options import TURNS
from ctxtui.widgets.line_list import LineList


class OptionList(LineList):
    """Shows options; what is to be done with the one under the cursor is decided by the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [command.binding() for command in TURNS]

    @dataclass
    class Turned(Message):
        """The next value of the option under the cursor is wanted, or the one before."""

        options: OptionList
        by: int

        @property
        def control(self) -> OptionList:
            """Return the list, for handlers that name one."""
            return self.options

    def action_turn(self, by: int) -> None:
        """Ask for the next value, or for the one before."""
        self.post_message(self.Turned(self, by))
