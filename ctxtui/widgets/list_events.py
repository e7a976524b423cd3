"""What a list tells of its items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from ctxtui.widgets.line_list import LineList


@dataclass
class ListEvent(Message):
    """Something about an item of a list."""

    list: LineList
    key: int

    @property
    def control(self) -> LineList:
        """Return the list, for handlers that name one."""
        return self.list


class Moved(ListEvent):
    """The cursor stands on another item."""


class Opened(ListEvent):
    """An item was opened with enter or a double click."""


class Picked(ListEvent):
    """An item was picked: with ctrl and the mouse."""


class PickedTo(ListEvent):
    """All items up to one were picked: with shift and the mouse."""
