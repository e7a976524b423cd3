"""Saving behind the scenes: the inspector's session is written in a thread, and its head tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxtui.models.saver import Saver
from ctxtui.models.told import Told, done, not_saved, warned
from ctxtui.telling import tell
from ctxtui.threads import from_thread

if TYPE_CHECKING:
    from ctxtui.screens.inspector import InspectorScreen

MOST_NOTES = 5
"""How many remarks of opening a session are shown."""


class BackgroundSaving:
    """Writes a session in a thread, and says in the head line whether all of it is safe."""

    def __init__(self, screen: InspectorScreen, saver: Saver) -> None:
        self._screen = screen
        self._saver = saver

    def start(self) -> None:
        """Say how the session stands when it has just been opened."""
        for note in self._saver.session.notes[:MOST_NOTES]:
            tell(self._screen, warned(note))
        self.show()
        if self._saver.session.problem is not None:
            self._complain(self._saver.session.problem)

    def save_soon(self) -> None:
        """Make what was done safe on disk; the head line says when it is."""
        self.show()
        self._run(self._saver.sync)

    def fold(self) -> None:
        """Fold everything into the session's file, and say when that is done."""
        self._run(self._saver.fold, done("Saved", "All of it is in the session's file."))

    def show(self) -> None:
        """Say in the head line whether everything done so far is safe."""
        live = self._screen.live
        liveness = None if live is None else live.liveness
        self._screen.explorer.tabs.show_saved(self._saver.session, liveness)

    def _run(self, write: Callable[[], str | None], word: Told | None = None) -> None:
        screen = self._screen

        def save() -> None:
            problem = write()
            if problem is not None:
                from_thread(screen, self._complain, problem)
                return
            from_thread(screen, self.show)
            if word is not None:
                from_thread(screen, tell, screen, word)

        screen.run_worker(save, group="save", thread=True)

    def _complain(self, problem: str) -> None:
        self.show()
        tell(self._screen, not_saved(problem, "Your work is kept in memory.", ("S", "tries again")))
