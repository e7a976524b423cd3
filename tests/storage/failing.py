"""A disk that refuses: at its n-th step, or from then on."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ctxtui.core.storage.disk import Disk, FileLock, FileVersion, Handle


class PowerCut(BaseException):
    """Nothing after this happens."""


class FailingDisk(Disk):
    """Passes everything on to another disk until a step is due to fail.

    Only what changes something counts as a step. ``at`` is the number of the step that fails,
    ``lasting`` lets all later ones fail too, as on a full disk.
    """

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.at: int | None = None
        self.lasting = False
        self.errno: int | None = errno.ENOSPC
        self.steps: list[str] = []

    def fail(self, at: int, *, lasting: bool = False, error: int = errno.ENOSPC) -> None:
        """Let a step to come fail, counted from 0."""
        self.steps.clear()
        self.at, self.lasting, self.errno = at, lasting, error

    def cut_power(self, at: int) -> None:
        """Let everything end at a step to come."""
        self.fail(at, lasting=True)
        self.errno = None

    def recover(self) -> None:
        """Let nothing fail any more."""
        self.at = None

    def step(self, name: str) -> None:
        """Count a step, and fail where it is due."""
        self.steps.append(name)
        place = len(self.steps) - 1
        if self.at is not None and (place == self.at or (self.lasting and place > self.at)):
            if self.errno is None:
                raise PowerCut
            raise OSError(self.errno, os.strerror(self.errno))

    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        return self.disk.read(path, start, size)

    def version(self, path: Path) -> FileVersion | None:
        return self.disk.version(path)

    def names(self, folder: Path) -> list[str]:
        return self.disk.names(folder)

    def is_folder(self, path: Path) -> bool:
        return self.disk.is_folder(path)

    def make_folder(self, folder: Path) -> None:
        self.step("make_folder")
        self.disk.make_folder(folder)

    def create(self, path: Path) -> Handle:
        self.step("create")
        return FailingHandle(self, self.disk.create(path))

    def extend(self, path: Path) -> Handle:
        self.step("extend")
        return FailingHandle(self, self.disk.extend(path))

    def revise(self, path: Path) -> Handle:
        self.step("revise")
        return FailingHandle(self, self.disk.revise(path))

    def replace(self, old: Path, new: Path) -> None:
        self.step("replace")
        self.disk.replace(old, new)

    def fsync_folder(self, folder: Path) -> None:
        self.step("fsync_folder")
        self.disk.fsync_folder(folder)

    def unlink(self, path: Path) -> None:
        self.step("unlink")
        self.disk.unlink(path)

    def lock(self, path: Path) -> FileLock:
        return FailingLock(self, self.disk.lock(path))


class FailingLock(FileLock):
    """A lock that the disk may refuse to make."""

    def __init__(self, disk: FailingDisk, lock: FileLock) -> None:
        self._disk = disk
        self._lock = lock

    def acquire(self) -> bool:
        self._disk.step("lock")
        return self._lock.acquire()

    def carry(self, new: Handle) -> None:
        self._lock.carry(new.handle if isinstance(new, FailingHandle) else new)

    def carried(self) -> None:
        self._lock.carried()

    def release(self) -> None:
        self._lock.release()

    def is_held_elsewhere(self) -> bool:
        return self._lock.is_held_elsewhere()


class FailingHandle(Handle):
    """A file whose writes may break off in the middle."""

    def __init__(self, disk: FailingDisk, handle: Handle) -> None:
        self._disk = disk
        self.handle = handle

    def write(self, data: bytes) -> None:
        try:
            self._disk.step("write")
        except (OSError, PowerCut):
            self.handle.write(data[: len(data) // 2])
            raise
        self.handle.write(data)

    def rewrite(self, data: bytes) -> None:
        self._disk.step("rewrite")
        self.handle.rewrite(data)

    def fsync(self) -> None:
        self._disk.step("fsync")
        self.handle.fsync()

    def version(self) -> FileVersion:
        return self.handle.version()

    def close(self) -> None:
        self.handle.close()
