"""Locks: one writer for each session, and a note beside it that says who that is.

The note may be left over from a holder that is gone, and is not believed unless somebody really
holds the session file.
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

from .disk import Disk, SessionPaths, is_id
from .errors import Locked
from .index import names_in

UNKNOWN = "another program"
GRACE_SECONDS = 0.05
POLL_SECONDS = 0.02
"""Seconds in which somebody who only looks has gone again, and seconds between two tries."""
LONGEST_NOTE = 2_000


class WriterLock:
    """The one place from which a session may be written: a hold on its file, and a note."""

    def __init__(self, disk: Disk, main: Path) -> None:
        self.hold = disk.hold(main)
        self._disk = disk
        self._path = main.with_suffix(".holder")
        self._note: bytes | None = None

    def take(self, wait: float = 0.0) -> None:
        """Take the seat, waiting for some seconds; who has it already keeps it.

        ``Locked`` names the other holder; ``OSError`` says that there can be no lock here.
        """
        until = monotonic() + max(wait, GRACE_SECONDS)
        while not self.hold.take():
            if monotonic() >= until:
                holder = self._read()
                raise Locked(f"the session is open in {holder}", holder)
            sleep(POLL_SECONDS)
        if self._note is None:
            self._note = json.dumps(_myself()).encode()
            with suppress(OSError):
                self._disk.write_whole(self._path, self._note, lasting=False)

    def leave(self) -> None:
        """Let others in, and take the note away unless it is another's."""
        note, self._note = self._note, None
        if note is not None:
            with suppress(OSError):
                if self._disk.head(self._path, LONGEST_NOTE) == note:
                    self._disk.unlink(self._path)
        self.hold.leave()

    def holder(self) -> str | None:
        """Return who else has the seat, or None if nobody has; looking never makes a file."""
        return self._read() if self.hold.is_elsewhere() else None

    def _read(self) -> str:
        """Return what the holder wrote about itself, in words."""
        try:
            noted = json.loads(self._disk.head(self._path, LONGEST_NOTE))
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


LEFT = (".holder", ".journal")
"""Endings of what stands beside a session while it is written."""


def writers_in(disk: Disk, folder: Path) -> dict[str, str]:
    """Return who holds which session, by its id; looking changes nothing.

    Only sessions with a note or a journal beside them are asked whether they are locked: those of
    programs that are gone have these too, and nobody has any other.
    """
    ids = {
        Path(name).stem
        for name in names_in(disk, folder)
        if name.endswith(LEFT) and is_id(Path(name).stem)
    }
    held = {id: WriterLock(disk, SessionPaths(folder, id).main).holder() for id in sorted(ids)}
    return {id: holder for id, holder in held.items() if holder is not None}
