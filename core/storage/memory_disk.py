"""A disk in memory: files are bytes in a dict, and locks are names in a set."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from core.storage.disk import Disk, Handle, Stamp
from core.storage.errors import Locked
from core.storage.locks import Seat


class MemoryFile(Handle):
    """Bytes that grow; each has a number of its own, as a real file has."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.data = bytearray()
        self.changes = 0

    def write(self, data: bytes) -> None:
        """Add bytes at the end."""
        self.data += data
        self.changes += 1

    def fsync(self) -> None:
        """Do nothing: memory doesn't survive a power cut anyway."""

    def stamp(self) -> Stamp:
        """Return which bytes these are."""
        return Stamp(self.number, len(self.data), self.changes)

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""


class MemoryDisk(Disk):
    """Files that are gone with the process."""

    def __init__(self) -> None:
        self._files: dict[Path, MemoryFile] = {}
        self._numbers = count(1)
        self.taken: dict[Path, MemorySeat] = {}

    def _file(self, path: Path) -> MemoryFile:
        if path not in self._files:
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return self._files[path]

    def read(self, path: Path) -> bytes:
        """Return a file's bytes."""
        return bytes(self._file(path).data)

    def tail(self, path: Path, size: int) -> bytes:
        """Return at most the last ``size`` bytes of a file."""
        return bytes(self._file(path).data[-size:])

    def stamp(self, path: Path) -> Stamp | None:
        """Return which bytes a name stands for."""
        found = self._files.get(path)
        return None if found is None else found.stamp()

    def names(self, folder: Path) -> list[str]:
        """Return the names of the files in a folder, sorted."""
        return sorted(path.name for path in self._files if path.parent == folder)

    def make_folder(self, folder: Path) -> None:
        """Do nothing: a name is enough."""

    def create(self, path: Path) -> MemoryFile:
        """Open a new file."""
        self._files[path] = MemoryFile(next(self._numbers))
        return self._files[path]

    def extend(self, path: Path) -> MemoryFile:
        """Open an existing file to write at its end."""
        return self._file(path)

    def replace(self, old: Path, new: Path) -> None:
        """Give a file another name."""
        self._files[new] = self._file(old)
        del self._files[old]

    def fsync_folder(self, folder: Path) -> None:
        """Do nothing."""

    def unlink(self, path: Path) -> None:
        """Remove a file, if it is there."""
        self._files.pop(path, None)

    def seat(self, path: Path) -> MemorySeat:
        """Return the lock that a path stands for."""
        return MemorySeat(self, path)


class MemorySeat(Seat):
    """A lock among the sessions of one library in memory."""

    HOLDER = "this program"

    def __init__(self, disk: MemoryDisk, path: Path) -> None:
        self._disk = disk
        self._path = path

    def take(self, wait: float = 0.0) -> None:
        """Take the seat; waiting would be of no use, since the holder is this very program."""
        if self._disk.taken.setdefault(self._path, self) is not self:
            raise Locked(f"the session is open in {self.HOLDER}", self.HOLDER)

    def leave(self) -> None:
        """Let others in."""
        if self._disk.taken.get(self._path) is self:
            del self._disk.taken[self._path]

    def holder(self) -> str | None:
        """Return who else has the seat."""
        return None if self._disk.taken.get(self._path, self) is self else self.HOLDER
