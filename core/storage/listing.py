"""Listing: what a library says of its sessions without opening any."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..values.collecting import uncollected
from .disk import Disk
from .entries import Entry, entry_of, read_entry
from .errors import telling
from .folders import names_in
from .growth import version_of
from .handles import Stamp
from .index import Index, is_index
from .names import INDEX, JOURNAL, UNFINISHED, SessionPaths, session_of
from .rows import figures
from .session import Saved


class Listing:
    """The list of a folder's sessions; only files that changed are looked into."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk = disk
        self._folder = folder
        self._index = Index(disk, folder)
        self._journals: dict[str, Stamp] = {}
        """The journal files that the last list has seen, by session."""

    def all(self) -> Sequence[tuple[Entry, Stamp]]:
        """Return all sessions, the one changed last first, each with the stamp of its version."""
        with uncollected():
            self._index.read()
            stamps, now, entries = self._stamps(), {}, []
            journals: dict[str, Stamp] = {}
            for name, main in stamps.items():
                id = session_of(name)
                if id is None:
                    continue
                journal = stamps.get(id + JOURNAL)
                if journal is not None:
                    journals[id] = journal
                stamp = version_of(main, journal)
                entry = self._entry(id, stamp)
                entries.append((entry, stamp))
                # What can't be read now may be readable later, without any change of the file.
                if entry.problem is None:
                    now[id] = (stamp, entry)
            self._index.keep(now)
            self._journals = journals
        if any(name.endswith(UNFINISHED) for name in stamps):
            with suppress(OSError):
                self._disk.sweep(self._folder)
        return sorted(entries, key=lambda one: (-one[0].updated, one[0].id))

    def _stamps(self) -> dict[str, Stamp]:
        """Return all that is in the folder; refuse one that is no library."""
        if not self.is_of_library():
            names_in(self._disk, self._folder)
        with telling(f"the library {self._folder} can't be read", "library", str(self._folder)):
            return self._disk.stamps(self._folder)

    def _entry(self, id: str, stamp: Stamp) -> Entry:
        known = self._index.entry(id, stamp)
        return read_entry(self._disk, SessionPaths(self._folder, id)) if known is None else known

    def one(self, id: str) -> tuple[Entry, Stamp] | None:
        """Return what the list says of one session, without looking at any other."""
        stamp = self.stamp(id)
        return None if stamp is None else (self._entry(id, stamp), stamp)

    def stamp(self, id: str) -> Stamp | None:
        """Return which version of a session there is; None where there is none."""
        place = SessionPaths(self._folder, id)
        with suppress(OSError):
            main = self._disk.stamp(place.main)
            return None if main is None else version_of(main, self._disk.stamp(place.journal))
        return None

    def grown(self) -> list[str]:
        """Return the sessions that were written on since the last list; no other is looked at.

        One whose journal has come or gone is not among them: that changes the folder.
        """
        known = self._journals
        found = {id: self._journal(id) for id in known}
        self._journals = known | {id: stamp for id, stamp in found.items() if stamp is not None}
        return [id for id, stamp in found.items() if stamp not in (None, known[id])]

    def has_journal(self, id: str) -> bool:
        """Tell whether somebody writes a session, or was killed while doing so."""
        return self._journal(id) is not None

    def _journal(self, id: str) -> Stamp | None:
        with suppress(OSError):
            return self._disk.stamp(SessionPaths(self._folder, id).journal)
        return None

    def note(self, saved: Saved) -> None:
        """Take over what a session file that was just written says."""
        session = saved.session
        if saved.stamp is not None:
            entry = entry_of(session.id, session.details, figures(session.conversation))
            self._index.note(saved.stamp, entry)

    def forget(self) -> None:
        """Let the next list write the index anew, so that it knows nothing of what is gone."""
        self._index.is_due = True

    def is_of_library(self) -> bool:
        """Tell at a glance, by its index, that the folder is a library; False leaves it open."""
        with suppress(OSError):
            return is_index(self._disk, self._folder / INDEX)
        return False
