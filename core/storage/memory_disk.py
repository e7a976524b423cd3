"""A disk in memory: files are bytes in a dict, and whoever holds one is in another."""

from __future__ import annotations

import errno
from itertools import count
from pathlib import Path

from .disk import Disk, Handle, Hold, Stamp


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

    def rewrite(self, data: bytes) -> None:
        """Write bytes over those at the beginning."""
        self.data[: len(data)] = data
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
        self.held: dict[Path, MemoryHold] = {}

    def _file(self, path: Path) -> MemoryFile:
        if path not in self._files:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))
        return self._files[path]

    def read(self, path: Path) -> bytes:
        """Return a file's bytes."""
        return bytes(self._file(path).data)

    def head(self, path: Path, size: int) -> bytes:
        """Return at most the first ``size`` bytes of a file."""
        return bytes(self._file(path).data[:size])

    def tail(self, path: Path, size: int) -> bytes:
        """Return at most the last ``size`` bytes of a file."""
        return bytes(self._file(path).data[-size:])

    def since(self, path: Path, start: int) -> bytes:
        """Return the bytes of a file from a place on."""
        return bytes(self._file(path).data[start:])

    def stamp(self, path: Path) -> Stamp | None:
        """Return which bytes a name stands for."""
        found = self._files.get(path)
        return None if found is None else found.stamp()

    def names(self, folder: Path) -> list[str]:
        """Return the names in a folder, sorted."""
        inside = (path.relative_to(folder) for path in self._files if folder in path.parents)
        return sorted({path.parts[0] for path in inside})

    def is_folder(self, path: Path) -> bool:
        """Tell whether there is anything in a folder: it is only a name."""
        return bool(self.names(path))

    def make_folder(self, folder: Path) -> None:
        """Do nothing: a name is enough."""

    def create(self, path: Path) -> MemoryFile:
        """Open a new file."""
        if path in self._files:
            raise FileExistsError(errno.EEXIST, "File exists", str(path))
        made = self._files[path] = self._new()
        return made

    def _new(self) -> MemoryFile:
        return MemoryFile(next(self._numbers))

    def extend(self, path: Path) -> MemoryFile:
        """Open an existing file to write at its end."""
        return self._file(path)

    def revise(self, path: Path) -> MemoryFile:
        """Open an existing file to write over what is in it."""
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

    def hold(self, path: Path) -> MemoryHold:
        """Return what keeps the other sessions of a library in memory from writing a file."""
        return MemoryHold(self, path)


class MemoryHold(Hold):
    """A hold on a name, among the sessions of one library in memory."""

    def __init__(self, disk: MemoryDisk, path: Path) -> None:
        self._disk = disk
        self._path = path

    def take(self) -> bool:
        """Take the name, unless another has it."""
        return self._disk.held.setdefault(self._path, self) is self

    def carry(self, new: Handle) -> None:
        """Do nothing: the name is held, whatever file it stands for."""

    def moved(self) -> None:
        """Do nothing."""

    def leave(self) -> None:
        """Let others in."""
        if self._disk.held.get(self._path) is self:
            del self._disk.held[self._path]

    def is_elsewhere(self) -> bool:
        """Tell whether another has the name."""
        return self._disk.held.get(self._path, self) is not self
