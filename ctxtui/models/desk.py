"""The desk: a library with its sessions in order, and everything that was done to them.

The library and the inspector share it: a verdict given in one is taken back in the other, and
both go on to the same next session.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from ctxtui.core import Refused
from ctxtui.core.curation.catalog import Catalog
from ctxtui.core.curation.digest import Row, grown, with_alike
from ctxtui.core.curation.verdicts import disagreeing
from ctxtui.core.storage import Library, MemoryLibrary
from ctxtui.files.kept_places import KeptPlace, load_place, save_place
from ctxtui.models.describing import confirmed, judged
from ctxtui.models.library_steps import Done, UndoStep
from ctxtui.models.reviewing import VERDICTS, told_disagreement
from ctxtui.models.session_sorting import COLUMNS, Sort
from ctxtui.models.shelf import Shelf
from ctxtui.models.told import NOTHING_CHANGED, Told, note
from ctxtui.models.told import done as told

MOST_LOOKED_INTO = 1_000
"""Sessions that are looked into while somebody waits for a verdict to be safe."""


class Desk:
    """What somebody works at who goes through the sessions of a library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.catalog = Catalog(library)
        self.shelf = Shelf()
        self.steps: list[UndoStep] = []
        self.here = ""
        """The session under the cursor, or the one that is open."""
        self.made: list[str] = []
        """Sessions that were opened or made here, and are not on the shelf yet."""
        self.is_laid = False
        self.turns = 0
        """How often something was changed: what was read before that is old."""

    # Reading

    def read(self) -> list[Row]:
        """Return what is known of all sessions; it may take a moment, and any thread may ask."""
        return self.catalog.rows()

    def lay(self, rows: Iterable[Row], *, anew: bool = False) -> None:
        """Take what was read: in order at first or if asked to, later without moving anything."""
        rows = list(rows)
        was_empty = not self.shelf.known
        self.shelf.take(rows)
        if not self.is_laid:
            self._recall()
        elif anew or was_empty:
            self.shelf.arrange()
        self.is_laid = True
        self.shelf.put_first(self.made)
        self.made.clear()

    def learned(self, rows: Iterable[Row]) -> None:
        """Take what was found out of some sessions, each where it stands."""
        for found in rows:
            row = self.shelf.known.get(found.entry.id)
            if row is not None:
                entry = grown(row.entry, found.entry)
                self.shelf.put(found._replace(entry=entry, alike=row.alike))

    def match(self) -> None:
        """Find out which sessions are alike."""
        for row in with_alike(list(self.shelf.known.values())):
            self.shelf.put(row)

    def _recall(self) -> None:
        """Put all in the order, and behind the filter, in which it was left."""
        kept = KeptPlace()
        if not isinstance(self.library, MemoryLibrary):
            kept = load_place(self.library.folder)
        sort = Sort(kept.sort, kept.is_reversed) if kept.sort in COLUMNS else Sort()
        self.shelf.arrange("", sort)
        if kept.where:
            with suppress(Refused):  # A filter of another version: then all are shown.
                self.shelf.arrange(kept.where)
        self.here = self.here or kept.session

    def leave(self) -> None:
        """Remember for tomorrow where this is left."""
        if self.is_laid and not isinstance(self.library, MemoryLibrary):
            sort = self.shelf.sort
            place = KeptPlace(self.here, self.shelf.where, sort.column, sort.is_reversed)
            save_place(self.library.folder, place)

    def open(self, id: str) -> None:
        """Take note that a session was opened here: it may be one that was just made.

        The place is kept at once, since nobody can say how this will end.
        """
        self.here = id
        self.made.append(id)
        self.leave()

    # Doing

    def note(self, done: Done) -> None:
        """Take note of what was done, so that it is shown and can be taken back."""
        self.turns += 1
        if done.step is not None:
            self.steps.append(done.step)
        for entry in done.changed:
            self.shelf.changed(entry)
        for old, new in done.instead:
            self.shelf.replace(old, new)
        self.made += done.made

    def note_verdict(self, id: str, status: str, before: str, updated: int) -> None:
        """Take note of a verdict that was given while a session was open."""
        self.turns += 1
        row = self.shelf.known.get(id)
        if row is None:
            return
        entry = row.entry._replace(status=status, updated=updated)
        if status == before:
            if self.shelf.next_unreviewed(id) is not None:  # Else it leads nowhere.
                self.steps.append(confirmed([entry]))
        else:
            self.shelf.changed(entry)
            self.steps.append(judged(self.library, entry, before))

    def look_into_decided(self, id: str) -> list[Row]:
        """Look into a session, and into those with a verdict that nobody has looked into yet.

        So twins are found that were decided differently; called in a thread. Where there are too
        many, a verdict does not wait for them.
        """
        known = self.shelf.known
        blank = [row.entry for row in known.values() if row.digest is None]
        size = known[id].entry.visible if id in known else 0  # Twins have as many messages.
        ids = [
            one.id
            for one in blank
            if (one.visible == size and one.status in VERDICTS) or one.id == id
        ]
        if len(ids) > MOST_LOOKED_INTO:
            return []
        self.catalog.learn(ids)
        return [row for row in map(self.catalog.row, ids) if row is not None]

    def disagreement(self, judged: Iterable[str]) -> Told | None:
        """Return what is to be told where identical sessions were decided differently."""
        return told_disagreement(disagreeing(self.shelf.known.values(), set(judged)))

    def take_back(self) -> Done:
        """Take back what was done last; it stays to be taken back where that fails."""
        if not self.steps:
            return Done(note("Nothing was changed here yet"))
        step = self.steps[-1]
        done = step.take_back()
        if done.told is not None and done.told.severity == "warning":
            return done._replace(step=None)
        self.steps.pop()
        if done.told in (None, NOTHING_CHANGED):
            done = done._replace(told=told("Taken back", step.told))
        return done._replace(step=None)
