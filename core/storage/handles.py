"""Open files: regular ones only, never through a link, and never waited for."""

from __future__ import annotations

import errno
import os
import stat
from abc import ABC, abstractmethod
from pathlib import Path
from typing import NamedTuple

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
