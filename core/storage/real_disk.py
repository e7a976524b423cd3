"""The files of this machine."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from .disk import (
    MOST_BYTES,
    SAFE,
    Disk,
    FileHandle,
    Hold,
    Stamp,
    hold_on,
    open_regular,
    stamp_of,
    too_large,
)

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


class RealDisk(Disk):
    """Regular files, private to their owner; links are not followed."""

    file_mode = PRIVATE_FILE
    folder_mode = PRIVATE_FOLDER

    def read(self, path: Path) -> bytes:
        """Return a file's bytes."""
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MOST_BYTES:
                raise too_large(path, size)
            return file.read(size)

    def head(self, path: Path, size: int) -> bytes:
        """Return at most the first ``size`` bytes of a file."""
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            return file.read(size)

    def tail(self, path: Path, size: int) -> bytes:
        """Return at most the last ``size`` bytes of a file."""
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read(size)

    def since(self, path: Path, start: int) -> bytes:
        """Return the bytes of a file from a place on."""
        with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
            file.seek(start)
            return file.read(MOST_BYTES)

    def stamp(self, path: Path) -> Stamp | None:
        """Return a file's inode, size and time of change; a link is not followed."""
        try:
            found = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return stamp_of(found)

    def names(self, folder: Path) -> list[str]:
        """Return the names in a folder, sorted."""
        try:
            return sorted(os.listdir(folder))  # noqa: PTH208 - paths take ten times as long
        except FileNotFoundError:
            return []

    def stamps(self, folder: Path) -> dict[str, Stamp]:
        """Return the stamp of everything in a folder; the system tells them all together."""
        found = {}
        with suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    found[entry.name] = stamp_of(entry.stat(follow_symlinks=False))
        return found

    def is_folder(self, path: Path) -> bool:
        """Tell whether a path is a folder itself."""
        try:
            return stat.S_ISDIR(path.lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def make_folder(self, folder: Path) -> None:
        """Make a folder, usually only for its owner, and sync each one that it stands in."""
        if folder.is_dir():
            return
        if folder.parent != folder:
            self.make_folder(folder.parent)
        try:
            folder.mkdir(mode=self.folder_mode, exist_ok=True)
        except FileNotFoundError:
            # The folder above is there: the system itself keeps it, and adds none for anybody.
            raise OSError(errno.EINVAL, "no folder can be made there", str(folder)) from None
        self.fsync_folder(folder.parent)

    def create(self, path: Path) -> FileHandle:
        """Open a new file, usually one only its owner can read."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFE
        return FileHandle(os.open(path, flags, self.file_mode))

    def extend(self, path: Path) -> FileHandle:
        """Open an existing file to write at its end, also if that moves meanwhile."""
        return FileHandle(open_regular(path, os.O_WRONLY | os.O_APPEND))

    def revise(self, path: Path) -> FileHandle:
        """Open an existing file to write over what is in it."""
        return FileHandle(open_regular(path, os.O_WRONLY))

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

    def hold(self, path: Path) -> Hold:
        """Return a lock that the system frees when its holder dies."""
        return hold_on(path)


class UserDisk(RealDisk):
    """Files that a user asks for, as open to others as those of other programs are."""

    file_mode = 0o666
    folder_mode = 0o777
