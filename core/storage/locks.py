"""Locks: one writer for each session, and a note beside the lock that says who it is.

The lock itself is the system's and is free as soon as its holder is gone, however that happened;
the note may then be left over, and is not believed unless somebody really holds the lock.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from core.storage.errors import Locked

UNKNOWN = "another program"
GRACE = 0.05
"""Seconds in which somebody who only looks whether the seat is taken has gone again."""


class Seat(ABC):
    """The one place from which a session may be written."""

    @abstractmethod
    def take(self, wait: float = 0.0) -> None:
        """Take the seat, waiting for some seconds; who has it already keeps it.

        ``Locked`` names the other holder; ``OSError`` says that there can be no lock here.
        """

    @abstractmethod
    def leave(self) -> None:
        """Let others in."""

    @abstractmethod
    def holder(self) -> str | None:
        """Return who else has the seat, or None if nobody has."""


class FileSeat(Seat):
    """A lock file, and a note of its holder in a file beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._note = path.with_suffix(".holder")
        self._lock = self._new()
        self._file: int | None = None

    def _new(self) -> FileLock:
        return FileLock(self._path, mode=0o600, thread_local=False)

    def take(self, wait: float = 0.0) -> None:
        """Take the seat; also anew, where somebody removed the lock file meanwhile."""
        if self._lock.is_locked:
            if self._still_ours():
                return
            self._lock.release(force=True)
            self._lock = self._new()
        try:
            self._lock.acquire(timeout=max(wait, GRACE), poll_interval=0.02)
        except Timeout:
            holder = self._read()
            raise Locked(f"the session is open in {holder}", holder) from None
        except NotImplementedError as error:
            raise OSError(str(error)) from None
        self._file = self._inode()
        with suppress(OSError):
            self._note.write_text(json.dumps(_myself()))
            self._note.chmod(0o600)

    def _still_ours(self) -> bool:
        return self._file is not None and self._inode() == self._file

    def _inode(self) -> int | None:
        try:
            return self._path.stat().st_ino
        except OSError:
            return None

    def leave(self) -> None:
        """Let others in; the lock file stays, since removing it could let in two."""
        if self._lock.is_locked:
            if self._still_ours():
                with suppress(OSError):
                    self._note.unlink(missing_ok=True)
            self._lock.release(force=True)

    def holder(self) -> str | None:
        """Return who else has the seat; looking never makes a file."""
        if self._lock.is_locked or not self._path.exists():
            return None
        probe = self._new()
        try:
            probe.acquire(timeout=0)
        except Timeout:
            return self._read()
        except (OSError, NotImplementedError):
            return None
        probe.release(force=True)
        return None

    def _read(self) -> str:
        """Return what the holder wrote about itself, in words."""
        try:
            noted = json.loads(self._note.read_bytes())
            since = datetime.fromtimestamp(noted["since"], UTC).strftime("%Y-%m-%d %H:%M UTC")
            program, process, host = noted["program"], int(noted["process"]), noted["host"]
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            return UNKNOWN
        return f"{program} (process {process} on {host}, since {since})"


def _myself() -> dict[str, object]:
    started = Path(sys.argv[0] or "python")
    return {
        "program": started.parent.name if started.stem == "__main__" else started.name,
        "process": os.getpid(),
        "host": socket.gethostname(),
        "since": int(datetime.now(UTC).timestamp()),
    }
