"""A library that is only visited: looked at as it is, and left as it was.

Sessions on disk are opened to be read only. What a visitor makes, a new session or a copy of one,
lives in memory beside them and is gone with the process.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from core.conversation.conversation import Clock, Conversation, milliseconds
from core.storage.details import Source
from core.storage.entries import Entry
from core.storage.handles import FileHandle
from core.storage.library import Library
from core.storage.memory_disk import MemoryDisk
from core.storage.names import new_id
from core.storage.real_disk import RealDisk
from core.storage.session import Session


class ReadOnlyDisk(RealDisk):
    """The files of this machine, none of which is ever written, made or removed."""

    def make_folder(self, folder: Path) -> None:
        """Refuse, unless it is there."""
        if not folder.is_dir():
            _refuse(folder)

    def create(self, path: Path) -> FileHandle:
        """Refuse."""
        _refuse(path)

    def extend(self, path: Path) -> FileHandle:
        """Refuse."""
        _refuse(path)

    def revise(self, path: Path) -> FileHandle:
        """Refuse."""
        _refuse(path)

    def replace(self, old: Path, new: Path) -> None:
        """Refuse."""
        _refuse(new)

    def unlink(self, path: Path) -> None:
        """Refuse."""
        _refuse(path)


class PassingDisk(MemoryDisk):
    """Files in memory that are known to be gone soon, so that nobody calls them saved."""

    is_lasting = False


def _refuse(path: Path) -> NoReturn:
    raise OSError(errno.EROFS, "the disk can only be read", str(path))


class VisitedLibrary(Library):
    """The sessions of a folder, to be read; those of the visitor's own can be changed."""

    def __init__(
        self,
        folder: str | Path,
        *,
        clock: Clock = milliseconds,
        ids: Callable[[], str] = new_id,
    ) -> None:
        super().__init__(folder, disk=ReadOnlyDisk(), clock=clock, ids=ids)
        self._own = Library(folder, disk=PassingDisk(), clock=clock, ids=ids)

    def create(
        self,
        conversation: Conversation,
        *,
        title: str | None = None,
        source: Source | None = None,
    ) -> Session:
        """Return a new session of the visitor's own."""
        return self._own.create(conversation, title=title, source=source)

    def duplicate(self, id: str) -> Session:
        """Return a copy of a session that the visitor can change."""
        with self.open(id, read_only=True) as old:
            return self._own.create(old.conversation.copy(), title=f"{old.title} (copy)")

    def open(self, id: str, *, read_only: bool = False, wait: float = 0.0) -> Session:
        """Return a session: one of the visitor's own, or another to be read only."""
        if self._is_own(id):
            return self._own.open(id, read_only=read_only, wait=wait)
        return super().open(id, read_only=True)

    def made_from(self, source: Source) -> list[Entry]:
        """Return the sessions of the visitor's own that were made from a file."""
        return self._own.made_from(source)

    def delete(self, id: str, *, wait: float = 0.0) -> None:
        """Put a session of the visitor's own into a trash of its own; others are refused."""
        if self._is_own(id):
            self._own.delete(id, wait=wait)
        else:
            super().delete(id, wait=wait)

    def restore(self, id: str) -> None:
        """Take a session of the visitor's own out of the trash."""
        if id in self._own.trash.ids():
            self._own.restore(id)
        else:
            super().restore(id)

    def list(self) -> list[Entry]:
        """Return all sessions, the one changed last first."""
        entries = [*self._own.list(), *super().list()]
        return sorted(entries, key=lambda entry: (-entry.updated, entry.id))

    def _is_own(self, id: str) -> bool:
        return any(entry.id == id for entry in self._own.list())
