"""Ways around and out of the screen that watches: to its panes, the library, help and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.clipboard import save_picture
from ctxtui.commands import LISTS, WATCH
from ctxtui.messages import OpenLibrary
from ctxtui.screens.help import HelpScreen
from ctxtui.screens.scene import Scene
from ctxtui.telling import tell
from ctxtui.widgets.key_line import keys_here

if TYPE_CHECKING:
    from textual.screen import Screen

    class Base(Scene, Screen[None]):
        """A screen, for types only."""
else:
    Base = object


class WatchWays(Base):
    """The keys of watch that change nothing, and lead to something else."""

    def action_pane(self, name: str) -> None:
        """Go to a pane, if it is there on a screen of this size."""
        pane = self.query_one(f"#{name}")
        if pane.is_on_screen and pane.focusable:
            self.set_focus(pane)

    def action_next_pane(self, by: int) -> None:
        """Go to the pane after or before this one."""
        (self.focus_next if by > 0 else self.focus_previous)()

    def action_library(self) -> None:
        """Show all sessions."""
        self.post_message(OpenLibrary())

    def action_picture(self) -> None:
        """Save a picture of the screen."""
        tell(self, save_picture(self.app))

    def action_help(self) -> None:
        """Show all keys."""
        self.app.push_screen(HelpScreen((*WATCH, *LISTS), keys_here(self)))
