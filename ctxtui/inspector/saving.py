"""Saving behind the scenes: a session is written in a thread; the head shows if it is safe."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ctxtui.inspector.drawing.head import saved_line
from ctxtui.inspector.models.workspace import Liveness, Saver
from ctxtui.notify import notify
from ctxtui.text.toast import Toast, done, failed, not_saved, note, warned

if TYPE_CHECKING:
    from ctxtui.calls.screen import CallScreen
    from ctxtui.core.storage import Follower
    from ctxtui.files.following import FileFollower
    from ctxtui.inspector.screen import InspectorScreen


MOST_NOTES = 5
"""How many remarks of opening a session are shown."""


class BackgroundSaving:
    """Writes a session in a thread, and says in the head line whether all of it is safe."""

    def __init__(self, screen: InspectorScreen, saver: Saver) -> None:
        self._screen = screen
        self._saver = saver
        self._has_failed = False

    def start(self) -> None:
        for problem in self._saver.session.notes[:MOST_NOTES]:
            notify(self._screen, warned(problem))
        for fact in self._saver.session.facts:
            notify(self._screen, note(fact, "", ("@", "shows them")))
        self.show()
        if self._saver.session.problem is not None:
            self._complain(self._saver.session.problem)

    def save_soon(self) -> None:
        self._has_failed = False
        self.show()
        self._run(self._saver.sync)

    def fold(self) -> None:
        self._run(self._saver.fold, done("Saved", "All of it is in the session's file."))

    def show(self) -> None:
        live = self._screen.live
        liveness = None if live is None else live.liveness
        session, tabs = self._saver.session, self._screen.explorer.tabs
        tabs.saved, tabs.title = saved_line(session, liveness, self._has_failed), session.name

    def _run(self, write: Callable[[], str | None], word: Toast | None = None) -> None:
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

    def _written(self, word: Toast | None, problem: str | None) -> None:
        if problem is not None:
            self._complain(problem)
            return
        self.show()
        if word is not None:
            notify(self._screen, word)

    def _complain(self, problem: str) -> None:
        self.show()
        notify(
            self._screen, not_saved(problem, "Your work is kept in memory.", ("S", "tries again"))
        )


# Keeping a session up to date behind the scenes while it is shown.

LOOK_SECONDS = 0.5
"""How often it is looked whether something has come."""
FOLLOW = "follow the session"
MOST_AT_ONCE = 500
"""Records that are put in place before the next key has its turn."""


class LiveUpdates:
    """Reads in a thread what another program writes, and lets the explorer show it.

    Nothing comes while another screen is on top, such as a form that was filled in for what there
    was when it was opened; but for a guest, which goes along.
    """

    def __init__(self, screen: InspectorScreen, source: Follower | FileFollower) -> None:
        self._screen = screen
        self._source = source
        self._is_written = True
        self._reported: str | None = None
        self.guest: CallScreen | None = None

    def start(self, *, at_end: bool = True) -> None:
        """Look from time to time, beginning with the newest message, or wherever one is."""
        self._screen.explorer.begin_following(at_end=at_end)
        self._screen.set_interval(LOOK_SECONDS, self.look)
        self.look()

    @property
    def liveness(self) -> Liveness:
        is_file = self._screen.workspace.saver.followed is not None
        return Liveness(self._is_written, self._source.is_over, is_file)

    @property
    def _is_on_top(self) -> bool:
        return self._screen.app.screen in (self._screen, self.guest)

    def look(self) -> None:
        """See in a thread what has come, unless that is under way."""
        background = self._screen.background
        if self._is_on_top and not self._source.is_over and not background.is_running(FOLLOW):
            background.run(FOLLOW, lambda _: self._read(), self._came, failed=self._complain)

    def _read(self) -> tuple[int, bool]:
        return self._source.read(), self._source.is_written

    def _came(self, found: tuple[int, bool]) -> None:
        waiting, is_written = found
        if waiting or is_written != self._is_written or self._source.problem != self._reported:
            self._take(is_written)

    def _complain(self, problem: str | None) -> None:
        """Show why nothing new comes, once."""
        known, self._reported = self._reported, problem
        if problem is not None and problem != known:
            notify(self._screen, failed(problem))

    def _take(self, is_written: bool) -> None:
        """Put what was read in place, some of it at a time, and show the state."""
        screen, self._is_written = self._screen, is_written
        done = 0
        if self._is_on_top:
            done = screen.explorer.take(lambda: self._source.apply(MOST_AT_ONCE))
        if done and self.guest is not None:
            self.guest.move_on()
        if done and not screen.session.read_only:
            screen.saving.save_soon()
        self._complain(self._source.problem)
        screen.saving.show()
        if done == MOST_AT_ONCE:
            screen.call_later(self._take, is_written)
