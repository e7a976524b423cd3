"""Learning what is in sessions, and what others do to them, while somebody works on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from core.curation.catalog import Row
from ctxtui.models.library_steps import PROBLEMS
from ctxtui.progress import Stopped, Watch
from ctxtui.threads import from_thread

if TYPE_CHECKING:
    from ctxtui.screens.library import LibraryScreen

LOOK_SECONDS = 2.0
"""How often it is looked whether others have changed the library."""
AT_ONCE, FEW = 24, 1_000
"""How many sessions are looked into before they are shown, and how many are few."""
REST = 10
"""How many times as long as looking took, sessions that grow are left alone after that."""


class Learning:
    """Fills rows in where they stand, and takes over what others have changed."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen
        self._is_learning = False
        self._tried: set[str] = set()
        """Sessions that were looked into; what could not be read is not tried again."""
        self._stamp: int | None = None
        self._is_looking = False
        self._rests_until = 0.0
        """When sessions that grow are looked at again; large ones more seldom."""

    def start(self) -> None:
        """Look from time to time what others do."""
        self._stamp = self._folder_stamp()
        self._screen.set_interval(LOOK_SECONDS, self.look)

    def scrolled(self) -> None:
        """Say in the border what is in sight by now, and learn that first."""
        self._screen.listed.draw_frame()
        self.look_in()

    # Others

    def _folder_stamp(self) -> int | None:
        """Return when a file of the folder came or went last; a library in memory has none."""
        try:
            return self._screen.library.folder.stat().st_mtime_ns
        except OSError:
            return None

    def look(self) -> None:
        """See in a thread what others have changed, unless somebody is at work."""
        screen = self._screen
        stamp = self._folder_stamp()
        is_busy = self._is_looking or bool(screen.work.awaited) or screen.is_unreadable
        if is_busy or screen.app.screen is not screen:
            return
        if stamp != self._stamp:
            self._stamp, self._is_looking = stamp, True
            turns = screen.desk.turns
            screen.run_worker(
                lambda: self._read(turns), group="look", thread=True, exit_on_error=False
            )
        elif monotonic() >= self._rests_until:
            self._look_at_grown()

    def _look_at_grown(self) -> None:
        """Look again into sessions that others write, which changes nothing in the folder."""
        shelf = self._screen.desk.shelf
        grown = [id for id in self._screen.library.listing.grown() if id in shelf.known]
        for id in grown:
            shelf.put(shelf.known[id]._replace(is_behind=True))
        self._tried.difference_update(grown)
        if grown:
            self.look_in()

    def _read(self, turns: int) -> None:
        try:
            rows = self._screen.desk.read()
        except PROBLEMS:
            self._is_looking = False
        else:
            from_thread(self._screen, self._take, rows, turns)

    def _take(self, rows: list[Row], turns: int) -> None:
        """Show what was read, unless something was done here meanwhile: then it is old."""
        self._is_looking = False
        if turns != self._screen.desk.turns or self._screen.work.awaited:
            self._stamp = None
            return
        self._tried.clear()
        self._screen.desk.lay(rows)
        self._screen.show()
        self.look_in()

    # Looking into sessions

    def look_in(self) -> None:
        """Look into sessions that are not known at length, those in sight first, some at a time.

        Others that come into sight meanwhile are the next ones.
        """
        ids = self._wanted()
        if ids and not self._is_learning:
            self._is_learning = True
            self._tried.update(ids)
            self._screen.run_worker(
                lambda: self._learn(ids), group="learn", thread=True, exit_on_error=False
            )

    def _wanted(self) -> list[str]:
        """Return the next sessions to look into."""
        listed, shelf = self._screen.listed, self._screen.desk.shelf
        first, last = listed.in_sight
        in_sight = (row.entry.id for row in shelf.rows[first:last])
        ids = shelf.missing(id for id in in_sight if id not in self._tried)
        return ids or list(islice(self._rest(), AT_ONCE))

    def _rest(self) -> Iterator[str]:
        """Yield all other sessions that were not looked into, in the order in which they stand."""
        shelf = self._screen.desk.shelf
        for row in (*shelf.rows, *shelf.known.values()):
            is_due = row.digest is None or row.is_behind
            if is_due and row.entry.problem is None and row.entry.id not in self._tried:
                yield row.entry.id

    def _learn(self, ids: list[str]) -> None:
        worker = get_current_worker()
        watch = Watch(is_stopped=lambda: worker.is_cancelled)
        catalog, rows, began = self._screen.desk.catalog, [], monotonic()
        try:
            catalog.learn(ids, watch)
            rows = [row for id in ids if (row := catalog.row(id)) is not None]
        except Stopped:
            return
        except PROBLEMS:
            pass  # What can't be read now says so when it is opened.
        now = monotonic()
        self._rests_until = now + REST * (now - began)
        from_thread(self._screen, self._learned, rows)

    def _learned(self, rows: list[Row]) -> None:
        """Fill rows in where they stand, and go on."""
        self._is_learning = False
        desk = self._screen.desk
        desk.learned(rows)
        # Who is alike is found out among all, which costs too much to be done time and again.
        if len(desk.shelf.known) <= FEW or not self._wanted():
            desk.match()
        self._screen.learned({row.entry.id for row in rows})
        self.look_in()
