"""Holds: what keeps two programs from writing the same file.

The system lets go of a hold as soon as its holder is gone, however that happened. Where a file can
be removed or replaced while it is open, the file itself is locked, so that there is nothing beside
it that somebody could clear away; where it can't be, a lock file does.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from .handles import FileHandle, Handle, open_regular

if sys.platform != "win32":
    import fcntl


class Hold(ABC):
    """The right to write the file of a path, which goes on when the file is replaced."""

    @abstractmethod
    def take(self) -> bool:
        """Take or keep the file that has the name now; False means that another program has it.

        Where there is no file there is nothing to take: whoever makes one has it. ``OSError``
        says that it can't be locked here.
        """

    @abstractmethod
    def carry(self, new: Handle) -> None:
        """Take also the file that is about to get the name."""

    @abstractmethod
    def moved(self) -> None:
        """Let go of the file that had the name: the carried one has it now."""

    @abstractmethod
    def leave(self) -> None:
        """Let others in."""

    @abstractmethod
    def is_elsewhere(self) -> bool:
        """Tell whether another program has the file; looking changes nothing."""


if sys.platform != "win32":

    class InodeHold(Hold):
        """A lock on the very file, compared with what has its name after each locking."""

        def __init__(self, path: Path) -> None:
            self._path = path
            self._held: int | None = None
            self._next: int | None = None

        def take(self) -> bool:
            """Lock the file that has the name, anew if it is another one meanwhile."""
            while True:
                there = self._there()
                if there is None or _same(self._held, there):
                    return True
                try:
                    descriptor = self._open()
                except FileNotFoundError:
                    continue
                try:
                    if not _lock(descriptor, fcntl.LOCK_EX):
                        return False
                    # It may have been replaced while it was being locked.
                    if _same(descriptor, self._there()):
                        self.leave()
                        self._held = descriptor
                        return True
                finally:
                    if self._held != descriptor:
                        os.close(descriptor)

        def _there(self) -> os.stat_result | None:
            try:
                return self._path.lstat()
            except (FileNotFoundError, NotADirectoryError):
                return None

        def _open(self) -> int:
            try:
                # Some network disks lock only what is open for writing.
                return open_regular(self._path, os.O_RDWR)
            except OSError as error:
                if isinstance(error, FileNotFoundError):
                    raise
                return open_regular(self._path, os.O_RDONLY)

        def carry(self, new: Handle) -> None:
            """Lock a file that nobody knows of yet; the lock outlives the handle."""
            assert isinstance(new, FileHandle)
            self._close_next()
            self._next = os.dup(new.descriptor)
            _lock(self._next, fcntl.LOCK_EX)

        def moved(self) -> None:
            """Keep only the lock of the file that has the name now."""
            carried, self._next = self._next, None
            self.leave()
            self._held = carried

        def leave(self) -> None:
            """Unlock."""
            self._close_next()
            held, self._held = self._held, None
            if held is not None:
                os.close(held)

        def _close_next(self) -> None:
            carried, self._next = self._next, None
            if carried is not None:
                os.close(carried)

        def is_elsewhere(self) -> bool:
            """Try a lock that others can share; what can't be looked at counts as free."""
            try:
                there = self._there()
                if there is None or _same(self._held, there):
                    return False
                descriptor = open_regular(self._path, os.O_RDONLY)
            except OSError:
                return False
            try:
                return not _lock(descriptor, fcntl.LOCK_SH)
            except OSError:
                return False
            finally:
                os.close(descriptor)

    def _same(descriptor: int | None, there: os.stat_result | None) -> bool:
        return (
            descriptor is not None
            and there is not None
            and os.path.samestat(os.fstat(descriptor), there)
        )

    def _lock(descriptor: int, kind: int) -> bool:
        """Lock a file at once; False means that another has it."""
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class LockFileHold(Hold):
    """A lock file beside the file, for systems that let nobody remove a file that is open."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(f"{path}.lock", mode=0o600, thread_local=False)

    def take(self) -> bool:
        """Lock the lock file."""
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except NotImplementedError as error:
            raise OSError(str(error)) from None
        return True

    def carry(self, new: Handle) -> None:
        """Do nothing: the lock file stays where it is."""

    def moved(self) -> None:
        """Do nothing."""

    def leave(self) -> None:
        """Unlock; the lock file stays, since removing it could let in two."""
        self._lock.release(force=True)

    def is_elsewhere(self) -> bool:
        """Try the lock, and let go of it again."""
        if self._lock.is_locked or not Path(self._lock.lock_file).exists():
            return False
        with suppress(OSError):
            if not self.take():
                return True
            self.leave()
        return False


def hold_on(path: Path) -> Hold:
    """Return the hold that suits this system, not yet taken."""
    if sys.platform == "win32":
        return LockFileHold(path)
    return InodeHold(path)
