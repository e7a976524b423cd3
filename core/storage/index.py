"""The index: a small TinyDB file that saves looking into every session file for a list.

It is only a cache. Each entry says which version of the session file it tells of; where that
doesn't fit, or the index is missing or broken, the session files are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from core.errors import Refused
from core.storage.disk import Disk, Stamp
from core.storage.entries import Entry
from core.storage.errors import StorageError
from core.storage.rows import table
from core.storage.schema import VERSION
from core.storage.sealed import Row, SealedStorage

Known = dict[str, tuple[Stamp, Entry]]


class Index:
    """What is known of the session files of a folder."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk = disk
        self._storage = SealedStorage(folder / "index.json", disk, lasting=False, is_safe=True)
        self._seat = folder / "index.lock"

    def read(self) -> Known:
        """Return what the index knows; nothing, if it can't be read."""
        try:
            tables = self._storage.read() or {}
            rows = [row for row in tables["sessions"].values() if row["version"] == VERSION]
            return {row["id"]: (Stamp(*row["stamp"]), Entry.from_dict(row)) for row in rows}
        except (OSError, Refused, LookupError, TypeError, AttributeError):
            return {}

    def write(self, known: Mapping[str, tuple[Stamp, Entry]]) -> None:
        """Keep what is known, if the folder lets us; nothing depends on it."""
        rows = table(_row(stamp, entry) for stamp, entry in known.values())
        self._alone(lambda: self._storage.write({"sessions": rows}))

    def note(self, stamp: Stamp, entry: Entry) -> None:
        """Keep what is known of one session; the rows of others are not even looked into."""

        def put() -> None:
            rows = (self._storage.read() or {}).get("sessions", {})
            found = [number for number, row in rows.items() if row["id"] == entry.id]
            number = found[0] if found else str(max(map(int, rows), default=0) + 1)
            self._storage.write({"sessions": {**rows, number: _row(stamp, entry)}})

        self._alone(put)

    def _alone(self, act: Callable[[], None]) -> None:
        """Do something while no other program writes the index; if that can't be, leave it."""
        seat = self._disk.seat(self._seat)
        try:
            seat.take(wait=1.0)
        except (OSError, StorageError):
            return
        try:
            # Whatever goes wrong here, the next list makes the index anew.
            with suppress(OSError, Refused, LookupError, TypeError, ValueError, AttributeError):
                act()
        finally:
            seat.leave()


def _row(stamp: Stamp, entry: Entry) -> Row:
    return {**entry.to_dict(), "stamp": list(stamp), "version": VERSION}
