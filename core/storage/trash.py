"""The trash: deleted sessions, in a folder of their own until somebody empties it."""

from __future__ import annotations

from pathlib import Path

from core.storage.disk import Disk
from core.storage.errors import NotFound, StorageError, reason
from core.storage.files import Place


class Trash:
    """The sessions that were deleted from a library."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk = disk
        self._folder = folder
        self._trash = folder / "trash"

    def __contains__(self, id: str) -> bool:
        """Tell whether a session is in the trash."""
        return self._disk.stamp(Place(self._trash, id).main) is not None

    def must_hold(self, id: str) -> None:
        """Refuse an id that is not in the trash."""
        if id not in self:
            raise NotFound(f"there is no session {id} in the trash", field="session", value=id)

    def ids(self) -> list[str]:
        """Return the sessions in the trash."""
        names = self._disk.names(self._trash)
        return [name.removesuffix(".json") for name in names if name.endswith(".json")]

    def put(self, place: Place) -> None:
        """Move a session into the trash; the journal file follows its session file."""
        there = Place(self._trash, place.id)
        self._disk.make_folder(self._trash)
        self._disk.replace(place.main, there.main)
        if self._disk.stamp(place.journal) is not None:
            self._disk.replace(place.journal, there.journal)
        else:
            self._disk.unlink(there.journal)  # Of the same session, deleted once before.
        self._settle()

    def take(self, place: Place) -> None:
        """Move a session back; the session file comes last, so that it is never without journal."""
        there = Place(self._trash, place.id)
        if self._disk.stamp(place.main) is not None:
            raise StorageError(f"session {place.id} is there again already", field="session")
        if self._disk.stamp(there.journal) is not None:
            self._disk.replace(there.journal, place.journal)
        self._disk.replace(there.main, place.main)
        self._settle()

    def _settle(self) -> None:
        self._disk.fsync_folder(self._trash)
        self._disk.fsync_folder(self._folder)

    def purge(self, id: str) -> None:
        """Remove a session for good."""
        self.must_hold(id)
        there, here = Place(self._trash, id), Place(self._folder, id)
        try:
            if self._disk.stamp(here.main) is None:
                for path in (here.journal, here.lock):
                    self._disk.unlink(path)
            self._disk.unlink(there.journal)
            self._disk.unlink(there.main)
        except OSError as error:
            raise StorageError(f"session {id} can't be removed: {reason(error)}") from None
