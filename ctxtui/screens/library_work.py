"""Work on a library: done in a thread, one thing after the other, and then shown."""

from __future__ import annotations

from asyncio import Lock, to_thread
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from core.curation.catalog import Row
from ctxtui.models.library_steps import PROBLEMS, Done, sentence_of
from ctxtui.models.told import failed
from ctxtui.progress import Watch
from ctxtui.telling import tell
from ctxtui.threads import from_thread

if TYPE_CHECKING:
    from ctxtui.screens.library import LibraryScreen

Act = Callable[[], Done]
Then = Callable[[Done], None]


class Outcome(NamedTuple):
    """What came of some work, and all sessions where some came or went."""

    done: Done
    rows: list[Row] | None


class LibraryWork:
    """Does things to sessions; keys wait for them, but for what only brings new ones."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen
        self._alone = Lock()
        self.awaited = 0
        """How many things are under way that keys wait for."""
        self._told = ""

    @property
    def under_way(self) -> str:
        """Return what keys wait for, and how far it is where that takes long."""
        return (self._told or "saving") if self.awaited else ""

    def do(self, act: Act, then: Then | None = None, *, is_awaited: bool = True) -> None:
        """Do something, show it, and go on if it went well."""
        self.awaited += is_awaited
        self._screen.show_head()
        self._screen.run_worker(self._work(act, then, is_awaited), group="library")

    def watch(self, word: str, whole: int) -> Watch:
        """Return what is told by a thread how many of some sessions are done, for the head."""

        def tell_share(done: float) -> None:
            told = f"{word} {round(done * whole):,} of {whole:,}"
            from_thread(self._screen, self._show_told, told)

        self._told = f"{word} 0 of {whole:,}"
        return Watch(tell_share)

    def _show_told(self, told: str) -> None:
        self._told = told
        self._screen.show_head()

    async def _work(self, act: Act, then: Then | None, is_awaited: bool) -> None:
        try:
            done = await self.run(act)
        except PROBLEMS as problem:
            self._screen.update()
            tell(self._screen, failed(sentence_of(problem)))
        else:
            if then is not None:
                then(done)
        finally:
            self.awaited -= is_awaited
            self._told = self._told if self.awaited else ""
            self._screen.show_head()

    async def run(self, act: Act) -> Done:
        """Do something and show it; what is refused is for whoever asked."""
        async with self._alone:
            done, rows = await to_thread(self._outcome, act)
            desk = self._screen.desk
            desk.note(done)
            if rows is not None:
                desk.lay(rows)
        if rows is not None or not self._screen.is_unreadable:
            self._screen.show()
        if done.told is not None:
            tell(self._screen, done.told)
        return done

    def _outcome(self, act: Act) -> Outcome:
        done = act()
        return Outcome(done, self._screen.desk.read() if done.must_list else None)
