"""The disk: the few things that can fail, behind one small interface with a twin in memory.

Everything that is stored goes through a ``Disk``, so that a test can let any single step of it
fail, and so that the library in memory is the same library.
"""

from __future__ import annotations

import errno
import os
import stat
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from core.storage.locks import FileSeat, Seat

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
TEMPORARY = ".part"
"""How the names of files that are not finished yet end."""


class Stamp(NamedTuple):
    """What tells one version of a file from another without reading it."""

    file: int
    size: int
    changed: int


class Handle(ABC):
    """A file that is open for writing at its end."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Write all of some bytes."""

    @abstractmethod
    def fsync(self) -> None:
        """Wait until what was written would survive a power cut."""

    @abstractmethod
    def stamp(self) -> Stamp:
        """Return which file this really is, whatever now has its name."""

    @abstractmethod
    def close(self) -> None:
        """Close the file."""


class Disk(ABC):
    """Where files are kept."""

    @abstractmethod
    def read(self, path: Path) -> bytes:
        """Return a file's bytes."""

    @abstractmethod
    def tail(self, path: Path, size: int) -> bytes:
        """Return at most the last ``size`` bytes of a file."""

    @abstractmethod
    def stamp(self, path: Path) -> Stamp | None:
        """Return what tells this version of a file from others, or None where there is none."""

    @abstractmethod
    def names(self, folder: Path) -> list[str]:
        """Return the names of the files in a folder, sorted; none if there is no folder."""

    @abstractmethod
    def make_folder(self, folder: Path) -> None:
        """Make a private folder, and those above it, unless it exists."""

    @abstractmethod
    def create(self, path: Path) -> Handle:
        """Open a new private file; one that exists is emptied."""

    @abstractmethod
    def extend(self, path: Path) -> Handle:
        """Open an existing file to write at its end."""

    @abstractmethod
    def replace(self, old: Path, new: Path) -> None:
        """Give a file another name, taking the place of whatever has it."""

    @abstractmethod
    def fsync_folder(self, folder: Path) -> None:
        """Wait until the names in a folder would survive a power cut."""

    @abstractmethod
    def unlink(self, path: Path) -> None:
        """Remove a file, if it is there."""

    @abstractmethod
    def seat(self, path: Path) -> Seat:
        """Return the lock that a path stands for, not yet taken."""

    def write_whole(self, path: Path, data: bytes, *, lasting: bool = True) -> None:
        """Put a file in place as a whole: whatever fails or is cut off, the old one stays.

        The name of the unfinished file holds the process, so that two writers never share one.
        What need not survive a power cut, such as a cache, is not waited for.
        """
        part = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
        self.make_folder(path.parent)
        try:
            handle = self.create(part)
            try:
                handle.write(data)
                if lasting:
                    handle.fsync()
            finally:
                handle.close()
            self.replace(part, path)
        except OSError:
            with suppress(OSError):
                self.unlink(part)
            raise
        if lasting:
            self.fsync_folder(path.parent)

    def sweep(self, folder: Path) -> list[str]:
        """Remove unfinished files that dead processes left behind; return their names."""
        swept = []
        for name in self.names(folder):
            if name.endswith(TEMPORARY) and not _is_alive(name):
                with suppress(OSError):
                    self.unlink(folder / name)
                    swept.append(name)
        return swept


def _is_alive(name: str) -> bool:
    """Tell whether the process that an unfinished file is named after may still write it."""
    process = name.removesuffix(TEMPORARY).rpartition(".")[2]
    if not process.isdecimal() or len(process) > 10:  # noqa: PLR2004 - no process has more digits
        return False
    if os.name == "nt":
        return True  # Asking there would interrupt the process.
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


class FileHandle(Handle):
    """A real file, by its descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, data: bytes) -> None:
        """Write all of some bytes, however many calls that takes."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def fsync(self) -> None:
        """Wait for the disk."""
        os.fsync(self._descriptor)

    def stamp(self) -> Stamp:
        """Return the stamp of the open file."""
        return _stamp(os.fstat(self._descriptor))

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._descriptor)


class RealDisk(Disk):
    """The files of this machine."""

    def read(self, path: Path) -> bytes:
        """Return a file's bytes."""
        return path.read_bytes()

    def tail(self, path: Path, size: int) -> bytes:
        """Return at most the last ``size`` bytes of a file."""
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read()

    def stamp(self, path: Path) -> Stamp | None:
        """Return a file's inode, size and time of change."""
        try:
            found = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return _stamp(found)

    def names(self, folder: Path) -> list[str]:
        """Return the names of the files in a folder, sorted."""
        try:
            with os.scandir(folder) as entries:
                return sorted(entry.name for entry in entries if entry.is_file())
        except FileNotFoundError:
            return []

    def make_folder(self, folder: Path) -> None:
        """Make a folder only its owner can look into, and sync each one that it stands in."""
        if folder.is_dir():
            return
        if folder.parent != folder:
            self.make_folder(folder.parent)
        folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        self.fsync_folder(folder.parent)

    def create(self, path: Path) -> FileHandle:
        """Open a new file only its owner can read."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        return FileHandle(os.open(path, flags, PRIVATE_FILE))

    def extend(self, path: Path) -> FileHandle:
        """Open an existing file to write at its end."""
        return FileHandle(os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)))

    def replace(self, old: Path, new: Path) -> None:
        """Rename a file in one step."""
        old.replace(new)

    def fsync_folder(self, folder: Path) -> None:
        """Wait for the folder's own entry, where folders can be waited for."""
        if not hasattr(os, "O_DIRECTORY"):
            return
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(descriptor)

    def unlink(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)

    def seat(self, path: Path) -> Seat:
        """Return a lock that the system frees when its holder dies."""
        return FileSeat(path)


def _stamp(found: os.stat_result) -> Stamp:
    regular = stat.S_ISREG(found.st_mode)
    return Stamp(found.st_ino, found.st_size if regular else -1, found.st_mtime_ns)
