"""The disk: the few things that can fail, behind one small interface with a twin in memory.

Everything that is stored goes through a ``Disk``, so that a test can let any single step of it
fail, and so that the library in memory is the same library.
"""

from __future__ import annotations

import errno
import os
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path

from .handles import Handle, Stamp
from .holds import Hold
from .names import PART, UNFINISHED, part_of

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
