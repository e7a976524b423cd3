"""Disks: the few things that storage does to files, on this machine or in memory."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

MOST_BYTES = 1 << 30
"""The largest file that is read or written; what is larger is none of ours."""
SAFE = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
"""Flags of every opening; those that a system doesn't know are left out there."""


class FileVersion(NamedTuple):
    """What distinguishes one version of a file from another without reading it."""

    file: int
    size: int
    changed: int

    def to_text(self) -> str:
        """Return it as text; some of its numbers are too large for SQLite."""
        return ",".join(map(str, self))

    @classmethod
    def of_text(cls, text: str) -> FileVersion:
        return cls(*map(int, text.split(",")))


class Handle(ABC):
    """A file that is open for writing."""

    @abstractmethod
    def write(self, data: bytes) -> None: ...

    @abstractmethod
    def rewrite(self, data: bytes) -> None:
        """Write bytes over as many at the start; only after ``revise``."""

    @abstractmethod
    def fsync(self) -> None:
        """Wait until what was written would survive a power cut."""

    @abstractmethod
    def version(self) -> FileVersion: ...

    @abstractmethod
    def close(self) -> None: ...


class FileLock(ABC):
    """The right to write the file of a path, which stays when the file is replaced."""

    @abstractmethod
    def acquire(self) -> bool:
        """Lock the file that has the name now; False means that another program has locked it.

        Where there is no file there is nothing to lock: a program that makes one has it.
        ``OSError`` means that it can't be locked here.
        """

    @abstractmethod
    def carry(self, new: Handle) -> None:
        """Lock also the file that is about to get the name."""

    @abstractmethod
    def carried(self) -> None:
        """Unlock the file that had the name: the other one has it now."""

    @abstractmethod
    def release(self) -> None: ...

    @abstractmethod
    def is_held_elsewhere(self) -> bool:
        """Return whether another program has locked the file; looking changes nothing."""


class Disk(ABC):
    """Where files are."""

    is_lasting = True
    """Whether what is written may be called saved."""
    is_real = False
    """Whether the files can be opened by their paths."""
    is_writable = True

    @abstractmethod
    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        """Return bytes of a regular file; a negative start counts from its end.

        All of a file is read only if it has at most ``MOST_BYTES``.
        """

    @abstractmethod
    def version(self, path: Path) -> FileVersion | None:
        """Return the version of a file, or None where there is none."""

    @abstractmethod
    def names(self, folder: Path) -> list[str]:
        """Return all names in a folder, sorted; none if there is no folder."""

    def versions(self, folder: Path) -> dict[str, FileVersion]:
        """Return the version of everything in a folder, by its name."""
        found = {name: self.version(folder / name) for name in self.names(folder)}
        return {name: version for name, version in found.items() if version is not None}

    @abstractmethod
    def is_folder(self, path: Path) -> bool:
        """Return whether a path is a folder; a link to one is not."""

    @abstractmethod
    def make_folder(self, folder: Path) -> None:
        """Make a private folder, and those above it, unless it exists."""

    @abstractmethod
    def create(self, path: Path) -> Handle:
        """Open a new private file; a name that is taken is refused."""

    @abstractmethod
    def extend(self, path: Path) -> Handle:
        """Open an existing file to write at its end, also if that moves meanwhile."""

    @abstractmethod
    def revise(self, path: Path) -> Handle:
        """Open an existing file to write over what is in it."""

    @abstractmethod
    def replace(self, old: Path, new: Path) -> None:
        """Give a file another name, replacing the file that has it."""

    @abstractmethod
    def fsync_folder(self, folder: Path) -> None:
        """Wait until the names in a folder would survive a power cut."""

    @abstractmethod
    def unlink(self, path: Path) -> None: ...

    @abstractmethod
    def lock(self, path: Path) -> FileLock:
        """Return a lock of a file, not yet acquired."""

    def write_whole(
        self, path: Path, data: bytes, *, lasting: bool = True, lock: FileLock | None = None
    ) -> None:
        """Put a file in place as a whole: whatever fails or is cut off, the old one stays.

        What need not survive a power cut, such as a cache, is not waited for. A lock is carried
        over to the new file before that gets its name, so that no other program gets in between.
        """
        if len(data) > MOST_BYTES:
            raise too_large(path, len(data))
        part = part_of(path)
        self.make_folder(path.parent)
        try:
            handle = self.create(part)
            try:
                handle.write(data)
                if lasting:
                    handle.fsync()
                if lock is not None:
                    lock.carry(handle)
            finally:
                handle.close()
            self.replace(part, path)
        except OSError:
            with suppress(OSError):
                self.unlink(part)
            raise
        if lock is not None:
            lock.carried()
        if lasting:
            self.fsync_folder(path.parent)


def part_of(path: Path) -> Path:
    """Return where a file is written before it gets its name, which can't be guessed or linked."""
    return path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(8)}.part")


def too_large(path: Path, size: int) -> OSError:
    """Return the error about a file that is not read or written because of its size."""
    why = f"it has {size:,} bytes, and at most {MOST_BYTES:,} are legal"
    return OSError(errno.EFBIG, why, str(path))


# The files of this machine


def version_of(found: os.stat_result) -> FileVersion:
    """Return the version of what the system says about a file."""
    regular = stat.S_ISREG(found.st_mode)
    return FileVersion(found.st_ino, found.st_size if regular else -1, found.st_mtime_ns)


def open_regular(path: Path, flags: int) -> int:
    """Return the descriptor of an existing regular file; pipes, devices and links are refused."""
    descriptor = os.open(path, flags | SAFE)
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    except BaseException:
        os.close(descriptor)
        raise


class FileHandle(Handle):
    """A real file, by its descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.descriptor, rest) :]

    def rewrite(self, data: bytes) -> None:
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        self.write(data)

    def fsync(self) -> None:
        os.fsync(self.descriptor)

    def version(self) -> FileVersion:
        return version_of(os.fstat(self.descriptor))

    def close(self) -> None:
        os.close(self.descriptor)


if sys.platform != "win32":
    import fcntl

    class InodeLock(FileLock):
        """A lock on the file itself; afterwards it is checked that the file still has its name."""

        def __init__(self, path: Path) -> None:
            self._path = path
            self._held: int | None = None
            self._next: int | None = None

        def acquire(self) -> bool:
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
                        self.release()
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
            assert isinstance(new, FileHandle)
            self._close_next()
            self._next = os.dup(new.descriptor)  # The lock outlives the handle.
            _lock(self._next, fcntl.LOCK_EX)

        def carried(self) -> None:
            new, self._next = self._next, None
            self.release()
            self._held = new

        def release(self) -> None:
            self._close_next()
            held, self._held = self._held, None
            if held is not None:
                os.close(held)

        def _close_next(self) -> None:
            new, self._next = self._next, None
            if new is not None:
                os.close(new)

        def is_held_elsewhere(self) -> bool:
            """Try a lock that others can share; a file that can't be read counts as free."""
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
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class LockFileLock(FileLock):
    """A lock file next to the file, for systems that can't remove a file that is open."""

    def __init__(self, path: Path) -> None:
        # Only Windows needs it at every start.
        from filelock import FileLock as LockFile  # noqa: PLC0415

        self._lock = LockFile(f"{path}.lock", mode=0o600, thread_local=False)

    def acquire(self) -> bool:
        from filelock import Timeout  # noqa: PLC0415 - as above

        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            return False
        except NotImplementedError as error:
            raise OSError(str(error)) from None
        return True

    def carry(self, new: Handle) -> None: ...

    def carried(self) -> None: ...

    def release(self) -> None:
        """Unlock; the lock file stays, since removing it could let in two."""
        self._lock.release(force=True)

    def is_held_elsewhere(self) -> bool:
        if self._lock.is_locked or not Path(self._lock.lock_file).exists():
            return False
        with suppress(OSError):
            if not self.acquire():
                return True
            self.release()
        return False


def lock_of(path: Path) -> FileLock:
    """Return the lock that suits this system, not yet acquired."""
    if sys.platform == "win32":
        return LockFileLock(path)
    return InodeLock(path)


class RealDisk(Disk):
    """Regular files, private to their owner; links are not followed."""

    is_real = True
    file_mode = 0o600
    folder_mode = 0o700

    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            whole = os.fstat(file.fileno()).st_size
            if size is None and start == 0 and whole > MOST_BYTES:
                raise too_large(path, whole)
            file.seek(max(0, whole + start) if start < 0 else start)
            return file.read(MOST_BYTES if size is None else size)

    def version(self, path: Path) -> FileVersion | None:
        try:
            return version_of(path.lstat())
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, folder: Path) -> list[str]:
        try:
            return sorted(os.listdir(folder))  # noqa: PTH208 - paths take ten times as long
        except FileNotFoundError:
            return []

    def versions(self, folder: Path) -> dict[str, FileVersion]:
        found = {}
        with suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    found[entry.name] = version_of(entry.stat(follow_symlinks=False))
        return found

    def is_folder(self, path: Path) -> bool:
        try:
            return stat.S_ISDIR(path.lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def make_folder(self, folder: Path) -> None:
        if folder.is_dir():
            return
        if folder.parent != folder:
            self.make_folder(folder.parent)
        try:
            folder.mkdir(mode=self.folder_mode, exist_ok=True)
        except FileNotFoundError:
            # The folder above exists: it belongs to the system, which adds none for a user.
            raise OSError(errno.EINVAL, "no folder can be made there", str(folder)) from None
        self.fsync_folder(folder.parent)

    def create(self, path: Path) -> FileHandle:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE
        return FileHandle(os.open(path, flags, self.file_mode))

    def extend(self, path: Path) -> FileHandle:
        return FileHandle(open_regular(path, os.O_WRONLY | os.O_APPEND))

    def revise(self, path: Path) -> FileHandle:
        return FileHandle(open_regular(path, os.O_WRONLY))

    def replace(self, old: Path, new: Path) -> None:
        old.replace(new)

    def fsync_folder(self, folder: Path) -> None:
        if not hasattr(os, "O_DIRECTORY"):
            return  # Folders can't be waited for here.
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(descriptor)

    def unlink(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def lock(self, path: Path) -> FileLock:
        return lock_of(path)


class UserDisk(RealDisk):
    """Files that a user asks for, as open to others as those of other programs are."""

    file_mode = 0o666
    folder_mode = 0o777


# Files in memory


class MemoryFile(Handle):
    """Bytes that grow; each has a number of its own, as a real file has."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.data = bytearray()
        self.changes = 0

    def write(self, data: bytes) -> None:
        self.data += data
        self.changes += 1

    def rewrite(self, data: bytes) -> None:
        self.data[: len(data)] = data
        self.changes += 1

    def fsync(self) -> None:
        """Do nothing: memory doesn't survive a power cut anyway."""

    def version(self) -> FileVersion:
        return FileVersion(self.number, len(self.data), self.changes)

    def close(self) -> None: ...


class MemoryDisk(Disk):
    """Files that are gone with the process."""

    def __init__(self) -> None:
        self._files: dict[Path, MemoryFile] = {}
        self._numbers = count(1)
        self.locked: dict[Path, MemoryLock] = {}

    def _file(self, path: Path) -> MemoryFile:
        if path not in self._files:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))
        return self._files[path]

    def read(self, path: Path, start: int = 0, size: int | None = None) -> bytes:
        data = self._file(path).data[start:]
        return bytes(data if size is None else data[:size])

    def version(self, path: Path) -> FileVersion | None:
        found = self._files.get(path)
        return None if found is None else found.version()

    def names(self, folder: Path) -> list[str]:
        inside = (path.relative_to(folder) for path in self._files if folder in path.parents)
        return sorted({path.parts[0] for path in inside})

    def is_folder(self, path: Path) -> bool:
        return bool(self.names(path))

    def make_folder(self, folder: Path) -> None: ...

    def create(self, path: Path) -> MemoryFile:
        if path in self._files:
            raise FileExistsError(errno.EEXIST, "File exists", str(path))
        made = self._files[path] = self._new()
        return made

    def _new(self) -> MemoryFile:
        return MemoryFile(next(self._numbers))

    def extend(self, path: Path) -> MemoryFile:
        return self._file(path)

    def revise(self, path: Path) -> MemoryFile:
        return self._file(path)

    def replace(self, old: Path, new: Path) -> None:
        self._files[new] = self._file(old)
        del self._files[old]

    def fsync_folder(self, folder: Path) -> None: ...

    def unlink(self, path: Path) -> None:
        self._files.pop(path, None)

    def lock(self, path: Path) -> MemoryLock:
        return MemoryLock(self, path)


class MemoryLock(FileLock):
    """A lock of a name, among the sessions of one library in memory."""

    def __init__(self, disk: MemoryDisk, path: Path) -> None:
        self._disk = disk
        self._path = path

    def acquire(self) -> bool:
        return self._disk.locked.setdefault(self._path, self) is self

    def carry(self, new: Handle) -> None:
        """Do nothing: the name is locked, whatever file has it."""

    def carried(self) -> None: ...

    def release(self) -> None:
        if self._disk.locked.get(self._path) is self:
            del self._disk.locked[self._path]

    def is_held_elsewhere(self) -> bool:
        return self._disk.locked.get(self._path, self) is not self
