"""Saving behind the scenes: the inspector's session is written in a thread, and its head tells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ctxtui.models.saver import Saver
from ctxtui.models.told import Told, done, not_saved, note, warned
from ctxtui.telling import tell

if TYPE_CHECKING:
    from ctxtui.screens.inspector import InspectorScreen

MOST_NOTES = 5
"""How many remarks of opening a session are shown."""


class BackgroundSaving:
    """Writes a session in a thread, and says in the head line whether all of it is safe."""

    def __init__(self, screen: InspectorScreen, saver: Saver) -> None:
        self._screen = screen
        self._saver = saver
        self._has_failed = False

    def start(self) -> None:
        """Say how the session stands when it has just been opened."""
        for problem in self._saver.session.notes[:MOST_NOTES]:
            tell(self._screen, warned(problem))
        for fact in self._saver.session.facts:
            tell(self._screen, note(fact, "", ("@", "shows them")))
        self.show()
        if self._saver.session.problem is not None:
            self._complain(self._saver.session.problem)

    def save_soon(self) -> None:
        """Make what was done safe on disk; the head line says when it is."""
        self._has_failed = False
        self.show()
        self._run(self._saver.sync)

    def fold(self) -> None:
        """Fold everything into the session's file, and say when that is done."""
        self._run(self._saver.fold, done("Saved", "All of it is in the session's file."))

    def show(self) -> None:
        """Say in the head line whether everything done so far is safe."""
        live = self._screen.live
        liveness = None if live is None else live.liveness
        self._screen.explorer.tabs.show_saved(self._saver.session, liveness, self._has_failed)

    def _run(self, write: Callable[[], str | None], word: Told | None = None) -> None:
        self._screen.background.run(
            "save",
            lambda _: write(),
            partial(self._written, word),
            failed=self._failed,
            queue="save",
        )

    def _failed(self, sentence: str) -> None:
        self._has_failed = True
        self._complain(sentence)

    def _written(self, word: Told | None, problem: str | None) -> None:
        if problem is not None:
            self._complain(problem)
            return
        self.show()
        if word is not None:
            tell(self._screen, word)

    def _complain(self, problem: str) -> None:
        self.show()
        tell(self._screen, not_saved(problem, "Your work is kept in memory.", ("S", "tries again")))
