"""Work on a library: done in a thread, one thing after the other, and then shown."""

from __future__ import annotations

from asyncio import Lock, to_thread
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from core.curation.catalog import Row
from ctxtui.models.library_steps import PROBLEMS, Done, sentence_of
from ctxtui.models.told import failed
from ctxtui.telling import tell

if TYPE_CHECKING:
    from ctxtui.screens.library import LibraryScreen

Act = Callable[[], Done]
Then = Callable[[Done], None]


class Outcome(NamedTuple):
    """What came of some work, and all sessions where some came or went."""

    done: Done
    rows: list[Row] | None


class LibraryWork:
    """Does things to sessions; keys wait for those that take no time worth mentioning."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen
        self._alone = Lock()
        self.quick = 0
        """How many things are under way that keys wait for."""

    def do(self, act: Act, then: Then | None = None, *, is_quick: bool = True) -> None:
        """Do something, show it, and go on if it went well."""
        self.quick += is_quick
        self._screen.show_head()
        self._screen.run_worker(self._work(act, then, is_quick), group="library")

    async def _work(self, act: Act, then: Then | None, is_quick: bool) -> None:
        try:
            done = await self.run(act)
        except PROBLEMS as problem:
            self._screen.update()
            tell(self._screen, failed(sentence_of(problem)))
        else:
            if then is not None:
                then(done)
        finally:
            self.quick -= is_quick
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
