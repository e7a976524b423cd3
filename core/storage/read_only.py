"""A library that is only read.

Sessions on disk are opened read-only. What a visitor makes, a new session or a copy of one,
is in memory, and gone with the process.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import NoReturn

from ..conversation.conversation import Clock, Conversation
from ..formats.warnings import FormatWarning
from ..values.times import milliseconds
from .cache import CacheFile
from .details import ImportSource, ThreadPlace
from .disk import Disk, FileVersion, MemoryDisk, RealDisk
from .entries import Entry
from .folder import new_id
from .library import Library, Listing
from .session import Session


class ReadOnlyDisk(RealDisk):
    """The files of this machine, none of which is ever written, made or removed."""

    is_writable = False

    def make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            _refuse(folder)

    def create(self, path: Path) -> NoReturn:
        _refuse(path)

    extend = revise = unlink = create

    def replace(self, old: Path, new: Path) -> NoReturn:
        _refuse(new)

    def fsync_folder(self, folder: Path) -> NoReturn:
        _refuse(folder)


class ScratchDisk(MemoryDisk):
    """Files in memory that are gone soon, so they are never called saved."""

    is_lasting = False


def _refuse(path: Path) -> NoReturn:
    raise OSError(errno.EROFS, "the disk can only be read", str(path))


class ReadOnlyListing(Listing):
    """The sessions of a folder together with those of a visitor's own."""

    def __init__(self, folder: Path, disk: Disk, cache: CacheFile, own: Listing) -> None:
        super().__init__(disk, folder, cache)
        self._own = own

    def all(self) -> Sequence[tuple[Entry, FileVersion]]:
        found = [*self._own.all(), *(_without_folder(*one) for one in super().all())]
        return sorted(found, key=lambda one: (-one[0].updated, one[0].id))

    def one(self, id: str) -> tuple[Entry, FileVersion] | None:
        found = self._own.one(id)
        if found is None and (theirs := super().one(id)) is not None:
            found = _without_folder(*theirs)
        return found

    def version(self, id: str) -> FileVersion | None:
        return self._own.version(id) or super().version(id)

    def has_journal(self, id: str) -> bool:
        return self._own.has_journal(id) or super().has_journal(id)

    def grown(self) -> list[str]:
        return [*self._own.grown(), *super().grown()]


def _without_folder(entry: Entry, version: FileVersion) -> tuple[Entry, FileVersion]:
    """Return a session that names the file it was made from, but not its folder."""
    return entry._replace(source=entry.source and PurePath(entry.source).name), version


class ReadOnlyLibrary(Library):
    """The sessions of a folder, to be read; those of the visitor's own can be changed."""

    is_read_only = True

    def __init__(
        self,
        folder: str | Path,
        *,
        clock: Clock = milliseconds,
        ids: Callable[[], str] = new_id,
    ) -> None:
        super().__init__(folder, disk=ReadOnlyDisk(), clock=clock, ids=ids)
        self._own = Library(folder, disk=ScratchDisk(), clock=clock, ids=ids)
        self._own.watchers = self.watchers
        self.listing = ReadOnlyListing(self.folder, self.disk, self.cache, self._own.listing)

    def create(
        self,
        conversation: Conversation,
        *,
        title: str | None = None,
        source: ImportSource | None = None,
        thread: ThreadPlace | None = None,
        warnings: tuple[FormatWarning, ...] = (),
    ) -> Session:
        return self._own.create(
            conversation, title=title, source=source, thread=thread, warnings=warnings
        )

    def duplicate(self, id: str) -> Session:
        with self.open(id, read_only=True) as old:
            return self._own.create(old.conversation.copy(), title=f"{old.title} (copy)")

    def open(self, id: str, *, read_only: bool = False, wait: float = 0.0) -> Session:
        if self._is_own(id):
            return self._own.open(id, read_only=read_only, wait=wait)
        return super().open(id, read_only=True)

    def made_from(self, source: ImportSource) -> list[Entry]:
        return self._own.made_from(source)

    def delete(self, id: str, *, wait: float = 0.0) -> None:
        if self._is_own(id):
            self._own.delete(id, wait=wait)
        else:
            super().delete(id, wait=wait)

    def restore(self, id: str) -> None:
        if id in self._own.trash.ids():
            self._own.restore(id)
        else:
            super().restore(id)

    def may_change(self, id: str) -> bool:
        return self._is_own(id) or id in self._own.trash.ids()

    def _is_own(self, id: str) -> bool:
        return self._own.listing.one(id) is not None
