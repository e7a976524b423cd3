"""What a click on a line of a list does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from ctxtui.widgets.list_events import Picked, PickedTo

if TYPE_CHECKING:
    from ctxtui.widgets.line_list import LineList

DOUBLE = 2


def click_line(lines: LineList, at: int, event: events.Click) -> None:
    """Pick a line with a held key; else go there, and with a second click or button open it."""
    if event.ctrl or event.shift:
        picked = PickedTo if event.shift else Picked
        lines.post_message(picked(lines, lines.source.key(at)))
        return
    lines.cursor = at
    if event.button != 1:
        lines.action_fold(lines.key not in lines.folds.open)
    elif event.chain == DOUBLE:
        lines.action_open()
