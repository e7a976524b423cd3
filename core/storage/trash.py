"""The trash: deleted sessions, in a folder of their own until somebody empties it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from core.storage.disk import Disk
from core.storage.errors import NotFound, StorageError, telling
from core.storage.folders import TRASH
from core.storage.names import SessionPaths, session_of


class Trash:
    """The sessions that were deleted from a library."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk = disk
        self._folder = folder
        self._trash = folder / TRASH

    def place(self, id: str) -> SessionPaths:
        """Return where the files of a deleted session are."""
        return SessionPaths(self._trash, id)

    def __contains__(self, id: str) -> bool:
        """Tell whether a session is in the trash."""
        with self._telling():
            return self._disk.stamp(self.place(id).main) is not None

    def _telling(self) -> AbstractContextManager[None]:
        return telling(f"the trash {self._trash} can't be read", "library", str(self._folder))

    def must_hold(self, id: str) -> None:
        """Refuse an id that is not in the trash."""
        if id not in self:
            raise NotFound(f"there is no session {id} in the trash", field="session", value=id)

    def ids(self) -> list[str]:
        """Return the sessions in the trash."""
        with self._telling():
            names = self._disk.names(self._trash)
        return [id for name in names if (id := session_of(name)) is not None]

    def put(self, place: SessionPaths) -> None:
        """Move a session into the trash; what stands beside its file follows."""
        there = self.place(place.id)
        self._disk.make_folder(self._trash)
        self._disk.replace(place.main, there.main)
        for old, new in ((place.journal, there.journal), (place.confirmed, there.confirmed)):
            if self._disk.stamp(old) is not None:
                self._disk.replace(old, new)
            else:
                self._disk.unlink(new)  # Of the same session, deleted once before.
        self._settle()

    def take(self, place: SessionPaths) -> None:
        """Move a session back; its file comes last, so that it is never without its journal."""
        there = self.place(place.id)
        if self._disk.stamp(place.main) is not None:
            raise StorageError(f"session {place.id} is there again already", field="session")
        for old, new in ((there.confirmed, place.confirmed), (there.journal, place.journal)):
            if self._disk.stamp(old) is not None:
                self._disk.replace(old, new)
        self._disk.replace(there.main, place.main)
        self._settle()

    def _settle(self) -> None:
        self._disk.fsync_folder(self._trash)
        self._disk.fsync_folder(self._folder)

    def purge(self, id: str) -> None:
        """Remove a session for good."""
        self.must_hold(id)
        there, here = self.place(id), SessionPaths(self._folder, id)
        if self._disk.stamp(here.main) is None:
            for path in self._beside(here):
                self._disk.unlink(path)
        for path in (*self._beside(there), there.main):
            self._disk.unlink(path)

    def _beside(self, place: SessionPaths) -> list[Path]:
        """Return everything but its file that there may be of a session."""
        known = [place.journal, place.confirmed, place.main.with_suffix(".holder")]
        kept = f"{place.journal.name}."
        names = self._disk.names(place.folder)
        return known + [place.folder / name for name in names if name.startswith(kept)]
