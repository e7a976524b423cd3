"""Names: what the files of a library are called, and how a name of ours is told from another's."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
ID_LENGTH = 12
INDEX = "index.json"
JOURNAL = ".journal"
"""How the name of a journal file ends, behind the id of its session."""
CATALOG = "catalog.sqlite"
"""A cache of what is in the sessions, which is made and read elsewhere."""
PART = re.compile(
    r"(?:index\.json|[a-z0-9]{12}\.(?:json|journal|confirmed|holder|deleted|run|journal\.[0-9a-f]{16}\.kept))"
    r"\.(?P<process>[0-9]{1,10})-[0-9a-f]{16}\.part"
)
"""The name of a file that is not finished yet: whose it becomes, who writes it, a random token."""
UNFINISHED = ".part"
BESIDE = re.compile(
    r"[a-z0-9]{12}\.(?:journal|confirmed|holder|deleted|journal\.[0-9a-f]{16}\.kept"
    r"|(?:json|journal)\.lock)"
)
"""The names that only files beside a session file have."""
SPOOL = "spool"
RUN = re.compile(r"(?P<run>[a-z0-9]{12})\.run")
SLIP = re.compile(r"(?P<run>[a-z0-9]{12})-[0-9]{1,12}\.slip")
"""The folder of what is not saved yet, and the names that files in it have."""


def new_id() -> str:
    """Return a name for a session that no other has."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def is_id(text: str) -> bool:
    """Tell whether a text can be the name of a session; no path is one."""
    return len(text) == ID_LENGTH and text.isascii() and text.isalnum() and text.islower()


def session_of(name: str) -> str | None:
    """Return the id of the session that a file of this name would hold."""
    id = name.removesuffix(".json")
    return id if id != name and is_id(id) else None


def part_of(path: Path) -> Path:
    """Return where a file is written before it gets its name: nobody can guess that, or link it."""
    return path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(8)}{UNFINISHED}")


def kept_of(journal: Path) -> Path:
    """Return a name under which a journal file is kept aside."""
    return journal.with_name(f"{journal.name}.{secrets.token_hex(8)}.kept")


class SessionPaths(NamedTuple):
    """Where the files of a session are."""

    folder: Path
    id: str

    @property
    def main(self) -> Path:
        """Return the path of the TinyDB file."""
        return self.folder / f"{self.id}.json"

    @property
    def journal(self) -> Path:
        """Return the path of the journal file."""
        return self.folder / f"{self.id}{JOURNAL}"

    @property
    def confirmed(self) -> Path:
        """Return the path of the record of how far the journal file is confirmed."""
        return self.folder / f"{self.id}.confirmed"


SAFE = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
"""Flags of every opening; those that a system doesn't know are left out there."""


class Stamp(NamedTuple):
    """What tells one version of a file from another without reading it."""

    file: int
    size: int
    changed: int


class Handle(ABC):
    """A file that is open for writing."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Write all of some bytes at the end."""

    @abstractmethod
    def rewrite(self, data: bytes) -> None:
        """Write bytes in the place of as many at the beginning; only after ``revise``."""

    @abstractmethod
    def fsync(self) -> None:
        """Wait until what was written would survive a power cut."""

    @abstractmethod
    def stamp(self) -> Stamp:
        """Return which file this really is, whatever now has its name."""

    @abstractmethod
    def close(self) -> None:
        """Close the file."""


class FileHandle(Handle):
    """A real file, by its descriptor."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def write(self, data: bytes) -> None:
        """Write all of some bytes, however many calls that takes."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.descriptor, rest) :]

    def rewrite(self, data: bytes) -> None:
        """Write bytes over those at the beginning."""
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        self.write(data)

    def fsync(self) -> None:
        """Wait for the disk."""
        os.fsync(self.descriptor)

    def stamp(self) -> Stamp:
        """Return the stamp of the open file."""
        return stamp_of(os.fstat(self.descriptor))

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self.descriptor)


def stamp_of(found: os.stat_result) -> Stamp:
    """Return the stamp of what the system says about a file."""
    regular = stat.S_ISREG(found.st_mode)
    return Stamp(found.st_ino, found.st_size if regular else -1, found.st_mtime_ns)


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


MOST_BYTES = 1 << 30
"""The largest file that is read or written; what is larger is none of ours."""


class Disk(ABC):
    """Where files are kept."""

    is_lasting = True
    """Whether what is written may be called saved."""

    @abstractmethod
    def read(self, path: Path) -> bytes:
        """Return the bytes of a regular file of at most ``MOST_BYTES``."""

    @abstractmethod
    def head(self, path: Path, size: int) -> bytes:
        """Return at most the first ``size`` bytes of a file."""

    @abstractmethod
    def tail(self, path: Path, size: int) -> bytes:
        """Return at most the last ``size`` bytes of a file."""

    @abstractmethod
    def since(self, path: Path, start: int) -> bytes:
        """Return the bytes of a file from a place on, at most ``MOST_BYTES`` of them."""

    @abstractmethod
    def stamp(self, path: Path) -> Stamp | None:
        """Return what tells this version of a file from others, or None where there is none."""

    @abstractmethod
    def names(self, folder: Path) -> list[str]:
        """Return all names in a folder, sorted; none if there is no folder."""

    def stamps(self, folder: Path) -> dict[str, Stamp]:
        """Return the stamp of everything in a folder, by its name."""
        found = {name: self.stamp(folder / name) for name in self.names(folder)}
        return {name: stamp for name, stamp in found.items() if stamp is not None}

    @abstractmethod
    def is_folder(self, path: Path) -> bool:
        """Tell whether a path is a folder itself; a link to one is not."""

    @abstractmethod
    def make_folder(self, folder: Path) -> None:
        """Make a private folder, and those above it, unless it exists."""

    @abstractmethod
    def create(self, path: Path) -> Handle:
        """Open a new private file; a name that something has already is refused."""

    @abstractmethod
    def extend(self, path: Path) -> Handle:
        """Open an existing file to write at its end."""

    @abstractmethod
    def revise(self, path: Path) -> Handle:
        """Open an existing file to write over what is in it."""

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
    def hold(self, path: Path) -> Hold:
        """Return what keeps other programs from writing a file, not yet taken."""

    def write_whole(
        self, path: Path, data: bytes, *, lasting: bool = True, hold: Hold | None = None
    ) -> None:
        """Put a file in place as a whole: whatever fails or is cut off, the old one stays.

        What need not survive a power cut, such as a cache, is not waited for. A hold is carried
        over to the new file before that gets its name, so that nobody can come in between.
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
                if hold is not None:
                    hold.carry(handle)
            finally:
                handle.close()
            self.replace(part, path)
        except OSError:
            with suppress(OSError):
                self.unlink(part)
            raise
        if hold is not None:
            hold.moved()
        if lasting:
            self.fsync_folder(path.parent)

    def sweep(self, folder: Path) -> list[str]:
        """Remove unfinished files of ours that dead processes left behind; return their names."""
        swept = []
        for name in self.names(folder):
            part = PART.fullmatch(name) if name.endswith(UNFINISHED) else None
            if part is not None and not _is_alive(int(part["process"])):
                with suppress(OSError):
                    self.unlink(folder / name)
                    swept.append(name)
        return swept


def too_large(path: Path, size: int) -> OSError:
    """Return what is raised about a file that is not read or written because of its size."""
    why = f"it has {size:,} bytes, and at most {MOST_BYTES:,} are legal"
    return OSError(errno.EFBIG, why, str(path))


def _is_alive(process: int) -> bool:
    """Tell whether the process that an unfinished file is named after may still write it."""
    if os.name == "nt":
        return True  # Asking there would interrupt the process.
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return process > 0
