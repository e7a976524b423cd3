"""The trash: deleted sessions, in a folder of their own until somebody empties it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from .disk import Disk
from .entries import Entry, read_entry
from .errors import NotFound, StorageError, telling
from .folders import TRASH, is_session
from .names import BESIDE, SessionPaths, is_id, session_of
from .titles import by_title


class Trash:
    """The sessions that were deleted from a library.

    Files of others in its folder are neither listed nor touched. What was deleted although nothing
    in it is known as a session, because it is damaged, has a mark beside it.
    """

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
            self._must_be_real()
            return self._is_ours(id)

    def has_name(self, id: str) -> bool:
        """Tell whether anything in the trash has the name of a session, also if it is not ours."""
        with self._telling():
            return self._disk.stamp(self.place(id).main) is not None

    def _must_be_real(self) -> None:
        """Refuse a folder behind a link: whatever is there is not the library's."""
        if self._disk.stamp(self._trash) is None or self._disk.is_folder(self._trash):
            return
        raise StorageError(
            f"the trash {self._trash} is a link or a file, and only a real folder can be the trash",
            field="library",
            value=str(self._folder),
        )

    def _is_ours(self, id: str) -> bool:
        there = self.place(id)
        if self._disk.stamp(there.main) is None:
            return False
        return self._disk.stamp(_mark(there)) is not None or is_session(self._disk, there.main)

    def _telling(self) -> AbstractContextManager[None]:
        return telling(f"the trash {self._trash} can't be read", "library", str(self._folder))

    def must_hold(self, id: str) -> None:
        """Refuse an id that is not in the trash."""
        if id not in self:
            raise NotFound(f"there is no session {id} in the trash", field="session", value=id)

    def ids(self) -> list[str]:
        """Return the sessions in the trash."""
        with self._telling():
            self._must_be_real()
            found = map(session_of, self._disk.names(self._trash))
            return [id for id in found if id is not None and self._is_ours(id)]

    def entries(self) -> list[Entry]:
        """Return what a list would say of the sessions in the trash, the one changed last first."""
        found = [read_entry(self._disk, self.place(id)) for id in self.ids()]
        return sorted(found, key=lambda entry: (-entry.updated, entry.id))

    def find(self, name: str) -> str:
        """Return the id of a session in the trash by its id or its title."""
        if is_id(name) and name in self:
            return name
        try:
            return by_title(name, self.entries())
        except NotFound as missing:
            raise NotFound(f"in the trash, {missing}", field="session", value=name) from None

    def put(self, place: SessionPaths) -> None:
        """Move a session into the trash; what stands beside its file follows."""
        self._must_be_real()
        there = self.place(place.id)
        if self._disk.stamp(there.main) is not None and not self._is_ours(place.id):
            raise StorageError(
                f"session {place.id} can't be moved: {there.main} is not a session; "
                "move that file away",
                field="session",
                value=place.id,
            )
        self._disk.make_folder(self._trash)
        is_plain = is_session(self._disk, place.main)
        if not is_plain:
            self._disk.write_whole(_mark(there), b"")
        self._disk.replace(place.main, there.main)
        if is_plain:
            self._disk.unlink(_mark(there))
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
        self._disk.unlink(_mark(there))
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
        for path in (*self._beside(there), there.main, _mark(there)):
            self._disk.unlink(path)

    def _beside(self, place: SessionPaths) -> list[Path]:
        """Return everything but its file that there may be of a session."""
        known = [place.journal, place.confirmed, place.main.with_suffix(".holder")]
        kept = f"{place.journal.name}."
        names = [name for name in self._disk.names(place.folder) if BESIDE.fullmatch(name)]
        return known + [place.folder / name for name in names if name.startswith(kept)]


def _mark(place: SessionPaths) -> Path:
    """Return the file that says of another that it was deleted, whatever is in it."""
    return place.main.with_suffix(".deleted")
