"""An app that reads sessions: in a thread, with a bar, until one is there or somebody leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import work
from textual.screen import Screen
from textual.worker import get_current_worker

from core.storage import Session
from ctxtui.files.growing import FileFollower
from ctxtui.learning_app import LearningApp
from ctxtui.models.desk import Desk
from ctxtui.models.places import Spot
from ctxtui.progress import Stopped, Watch
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.library import LibraryScreen
from ctxtui.screens.loading import LoadingScreen
from ctxtui.screens.problem import ALONE, ProblemScreen
from ctxtui.screens.watch import WatchScreen
from ctxtui.type_ahead import TypeAhead

HOMES = (LibraryScreen, WatchScreen)
"""The screens that sessions are opened from, and come back to."""
PATIENCE_SECONDS = 0.4
"""How long a session stays in sight while the next one is read, before that is told."""
Open = Callable[[Watch], Session | FileFollower]


class LoadingApp(LearningApp):
    """Reads sessions without anything standing still, and shows them."""

    desk: Desk
    type_ahead: TypeAhead
    _left: InspectorScreen | None = None
    """A session that is closed and still shown, until another one is there."""

    def _open(self, read: Open, title: str, spot: Spot | None = None) -> None:
        self.push_screen(LoadingScreen(title))
        self._load(read, title, spot)

    def _tell_of_loading(self, left: InspectorScreen, title: str) -> None:
        """Say that a session is being read, where that takes a while."""
        if self._left is left and self.screen is left:
            self.switch_screen(LoadingScreen(title))

    def _inspector_of(
        self,
        found: Session | FileFollower,
        spot: Spot | None = None,
        *,
        came_by_review: bool = False,
    ) -> InspectorScreen:
        """Return the screen of a session, or of one that grows with a file."""
        follower = found if isinstance(found, FileFollower) else None
        session = found.session if isinstance(found, FileFollower) else found
        self.desk.open(session.id)
        return InspectorScreen(
            session, spot, follower, desk=self.desk, came_by_review=came_by_review
        )

    @work(thread=True, group="load")
    def _load(
        self, read: Open, title: str, spot: Spot | None = None, *, came_by_review: bool = False
    ) -> None:
        """Read in a thread, with a bar that tells how far it is; leaving stops it."""
        worker = get_current_worker()
        watch = Watch(
            lambda done: self.call_from_thread(self._tell, done), lambda: worker.is_cancelled
        )
        try:
            found = read(watch)
        except Stopped:
            return
        except Exception as problem:
            if not worker.is_cancelled:
                self.call_from_thread(self._show, ProblemScreen(title, str(problem)))
            return
        if worker.is_cancelled:
            (found.session if isinstance(found, FileFollower) else found).close()
        else:
            self.call_from_thread(self._show_session, found, spot, came_by_review)

    def _tell(self, done: float) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, LoadingScreen):
                screen.tell(done)

    def _show_session(
        self, found: Session | FileFollower, spot: Spot | None, came_by_review: bool
    ) -> None:
        self._show(self._inspector_of(found, spot, came_by_review=came_by_review))

    def _show(self, screen: Screen[Any]) -> None:
        """Show a screen instead of the one that told of the loading, and of what is above that."""
        while len(self.screen_stack) > 1 and not self._is_awaiting:
            if isinstance(self.screen, (InspectorScreen, *HOMES)):
                return  # Somebody has left the loading meanwhile.
            self.pop_screen()
        if self._is_awaiting:
            self._left = None
            self.switch_screen(screen)

    @property
    def _is_awaiting(self) -> bool:
        """Tell whether what is shown waits for a session: it says so, or is left already."""
        return isinstance(self.screen, LoadingScreen) or self.screen is self._left

    def action_give_up(self) -> None:
        """Stop loading: return to the library, or leave."""
        self.workers.cancel_group(self, "load")
        self.type_ahead.clear()
        if len(self.screen_stack) > ALONE:
            self.pop_screen()
        else:
            self.exit()
