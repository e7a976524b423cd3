"""The index: a small TinyDB file that saves looking into every session file for a list.

It is only a cache. Each entry says which version of the session file it tells of; where that
doesn't fit, or the index is missing or broken, the session files are asked. A file of that name
that is not an index of ours stays as it is, and there is no index then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from core.errors import Refused
from core.storage.disk import Disk
from core.storage.entries import Entry
from core.storage.handles import Stamp
from core.storage.holds import Hold
from core.storage.names import INDEX
from core.storage.rows import table
from core.storage.schema import VERSION
from core.storage.sealed import SealedStorage, TableRow

Known = dict[str, tuple[Stamp, Entry]]
BEGINNING = re.compile(rb'\{"sessions":\{(?:\},"meta":\{|"1":\{"id":"[a-z0-9]{12}","title":")')
"""How every index of ours begins, also one that was cut off."""
PEEK = 64
WAIT_SECONDS = 1.0
POLL_SECONDS = 0.02
"""Seconds in which another program may finish writing the index, and between two looks."""


def is_index(disk: Disk, path: Path) -> bool:
    """Tell whether a file is certainly an index of a library."""
    return BEGINNING.match(disk.head(path, PEEK)) is not None


class Index:
    """What is known of the session files of a folder."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk = disk
        self._path = folder / INDEX

    def _storage(self, hold: Hold | None = None) -> SealedStorage:
        return SealedStorage(self._path, self._disk, lasting=False, is_safe=True, hold=hold)

    def read(self) -> Known:
        """Return what the index knows; nothing, if it can't be read or is not ours."""
        try:
            tables = (self._storage().read() or {}) if is_index(self._disk, self._path) else {}
            rows = [row for row in tables["sessions"].values() if row["version"] == VERSION]
            return {row["id"]: (Stamp(*row["stamp"]), Entry.from_dict(row)) for row in rows}
        except (OSError, Refused, LookupError, TypeError, AttributeError):
            return {}

    def write(self, known: Mapping[str, tuple[Stamp, Entry]]) -> None:
        """Keep what is known, if the folder lets us; nothing depends on it."""
        rows = table(_row(stamp, entry) for stamp, entry in known.values())
        self._alone(lambda storage: storage.write({"sessions": rows}))

    def note(self, stamp: Stamp, entry: Entry) -> None:
        """Keep what is known of one session; the rows of others are not even looked into."""

        def put(storage: SealedStorage) -> None:
            rows = (storage.read() or {}).get("sessions", {})
            found = [number for number, row in rows.items() if row["id"] == entry.id]
            number = found[0] if found else str(max(map(int, rows), default=0) + 1)
            storage.write({"sessions": {**rows, number: _row(stamp, entry)}})

        self._alone(put)

    def _alone(self, act: Callable[[SealedStorage], None]) -> None:
        """Do something while nobody else writes the index; if that can't be, leave it.

        The hold is made anew each time, since several threads may come here at once.
        """
        hold = self._disk.hold(self._path)
        # Whatever goes wrong here, the next list makes the index anew.
        with suppress(OSError, Refused, LookupError, TypeError, ValueError, AttributeError):
            try:
                if self._may_be_replaced() and _take(hold):
                    act(self._storage(hold))
            finally:
                hold.leave()

    def _may_be_replaced(self) -> bool:
        """Tell whether there is no file, an index, or one that never got to the disk."""
        if self._disk.stamp(self._path) is None or is_index(self._disk, self._path):
            return True
        return not self._disk.read(self._path).strip(b"\0")


def _take(hold: Hold) -> bool:
    until = monotonic() + WAIT_SECONDS
    while not hold.take():
        if monotonic() >= until:
            return False
        sleep(POLL_SECONDS)
    return True


def _row(stamp: Stamp, entry: Entry) -> TableRow:
    return {**entry.to_dict(), "stamp": list(stamp), "version": VERSION}
