"""The start of the message under the cursor, where the message pane has no room."""

from __future__ import annotations

from functools import partial

from ctxtui.models.look import Look
from ctxtui.render.message.detail import start
from ctxtui.render.text.lines import Line
from ctxtui.widgets.line_box import LineBox

LINES = 3


class Peek(LineBox):
    """Shows who speaks, and the first lines that say something."""

    def __init__(self) -> None:
        super().__init__(id="peek")

    def show_message(self, look: Look, raw: int | None) -> None:
        """Show the start of a message."""
        if raw is None or raw >= look.log_size:
            self.show()
        else:
            self.show(*(partial(_line, look, raw, at) for at in range(LINES)))


def _line(look: Look, raw: int, at: int, width: int) -> Line:
    told = start(look, raw, width, LINES)
    return told[at] if at < len(told) else []
