"""The line of keys at the bottom of a screen; a click does what the key would."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.actions import run_command
from ctxtui.commands import Command
from ctxtui.render.keys import key_line
from ctxtui.widgets.inked import Inked


class KeyLine(Inked, Widget):
    """Shows the commands that are worth a place, as far as the width goes."""

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__(id="keys")
        self._commands = commands

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        keys = key_line(self._commands, self.size.width) if y == 0 else []
        return self.strip([key.piece for key in keys], "plain", self.size.width)

    async def on_click(self, event: events.Click) -> None:
        """Run the command under the mouse."""
        x = 0
        for key in key_line(self._commands, self.size.width):
            x += cell_len(key.piece.text)
            if event.x < x:
                if key.command is not None:
                    await run_command(self.screen, key.command.action)
                return
