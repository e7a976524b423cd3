"""Reviewing in the library: verdicts on the chosen sessions, and on to the next one without."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ctxtui.models.describing import judge
from ctxtui.models.library_steps import Done
from ctxtui.models.told import done as told
from ctxtui.telling import tell

if TYPE_CHECKING:
    from ctxtui.screens.library import LibraryScreen


class LibraryReviewing:
    """Judges sessions where they are listed."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen

    def judge(self, status: str) -> None:
        """Give a verdict on the session or the selected ones, and go on to the next without."""
        screen = self._screen
        screen.end_range()
        entries = screen.chosen
        if entries and screen.panes.mode in ("library", "hits"):
            screen.work.do(partial(judge, screen.library, entries, status), self._go_on)

    def _go_on(self, done: Done) -> None:
        """Go to the next session without a verdict; stay where something went wrong."""
        screen, desk = self._screen, self._screen.desk
        warning = desk.disagreement(one.id for one in done.changed)
        if warning is not None:
            tell(screen, warning)
        if done.told is not None and done.told.severity != "note":
            return
        screen.selection.clear()
        here, shelf = screen.entry, desk.shelf
        found = None if here is None else shelf.next_unreviewed(here.id)
        screen.show()
        if found is None:
            if done.step is not None and not done.changed:
                desk.steps.remove(done.step)  # It led nowhere, so there is no way back.
            tell(screen, told(f"All {shelf.progress.whole:,} are reviewed"))
        elif screen.panes.mode == "hits":
            screen.panes.next_hit(1)
        else:
            screen.go_to(found.id)
        desk.leave()
