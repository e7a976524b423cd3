"""The lock of a session, and the note next to it that names its writer.

The note may be left over from a program that is gone, and is not believed unless the session file
is really locked.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

from .disk import Disk
from .errors import Locked

UNKNOWN = "another program"
GRACE_SECONDS = 0.05
POLL_SECONDS = 0.02
"""Seconds after which a program that only looks has gone again, and seconds between two tries."""
LONGEST_NOTE = 2_000
HOLDER = ".holder"
"""How the name of the note ends."""


class WriterLock:
    """The lock of a session, which only one program can have, and the note that names it."""

    def __init__(self, disk: Disk, main: Path) -> None:
        self.lock = disk.lock(main)
        self._disk = disk
        self._path = main.with_suffix(HOLDER)
        self._note: bytes | None = None

    def acquire(self, wait: float = 0.0) -> None:
        """Lock the session, waiting for some seconds; a program that has the lock keeps it.

        ``Locked`` names the other holder; ``OSError`` means that there can be no lock here.
        """
        until = monotonic() + max(wait, GRACE_SECONDS)
        while not self.lock.acquire():
            if monotonic() >= until:
                holder = self._read()
                raise Locked(f"the session is open in {holder}", holder)
            sleep(POLL_SECONDS)
        if self._note is None:
            self._note = json.dumps(_myself()).encode()
            with suppress(OSError):
                self._disk.write_whole(self._path, self._note, lasting=False)

    def release(self) -> None:
        """Unlock, and remove the note unless it is another program's."""
        note, self._note = self._note, None
        if note is not None:
            with suppress(OSError):
                if self._disk.read(self._path, 0, LONGEST_NOTE) == note:
                    self._disk.unlink(self._path)
        self.lock.release()

    def holder(self) -> str | None:
        """Return who else has locked the session, if another program has."""
        return self._read() if self.lock.is_held_elsewhere() else None

    def _read(self) -> str:
        try:
            noted = json.loads(self._disk.read(self._path, 0, LONGEST_NOTE))
            since = datetime.fromtimestamp(noted["since"], UTC).strftime("%Y-%m-%d %H:%M UTC")
            program, process, host = noted["program"], int(noted["process"]), noted["host"]
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
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
