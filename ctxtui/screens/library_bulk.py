"""What is done to many sessions of the library after a look at what that would come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core.storage import Entry, Library
from ctxtui.models.library_steps import Done
from ctxtui.screens.alike import AlikeScreen
from ctxtui.screens.apply import ApplyScreen
from ctxtui.screens.bulk import BulkScreen
from ctxtui.screens.export import ExportScreen
from ctxtui.screens.replace import ReplaceScreen

if TYPE_CHECKING:
    from ctxtui.screens.library import LibraryScreen

Opens = Callable[[Library, Sequence[Entry]], BulkScreen]
SCREENS: dict[str, Opens] = {
    "replace": ReplaceScreen,
    "apply": ApplyScreen,
    "export": ExportScreen,
    "alike": AlikeScreen,
}


class LibraryBulk:
    """Opens the screens that show what would be done, and shows in the list what was."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen

    def open(self, what: str) -> None:
        """Look at what would be done to the selected sessions, or to all that are shown."""
        screen = self._screen
        screen.end_range()
        entries = screen.chosen if screen.selection.raws else screen.entries
        if entries and screen.panes.mode == "library":
            screen.app.push_screen(SCREENS[what](screen.library, entries), self._done)

    def _done(self, done: Done | None) -> None:
        """Take what was done as one step."""
        if done is not None:
            self._screen.work.do(lambda: done)
