"""The index: a small TinyDB file that saves looking into every session file for a list.

It is only a cache. Each entry says which version of the session file it tells of; where that
doesn't fit, or the index is missing or broken, the session files are asked. A file of that name
that is not an index of ours stays as it is, and there is no index then.

A large one is not written for every session that changes, or saving would take longer the more
sessions there are: the few files that it is behind of are looked into by the next list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from ..errors import Refused
from .disk import BESIDE, CATALOG, INDEX, PART, RUN, SLIP, SPOOL, Disk, Hold, Stamp, session_of
from .entries import Entry
from .errors import StorageError, telling
from .rows import table
from .sealed import VERSION, SealedStorage, TableRow

Known = dict[str, tuple[Stamp, Entry]]
BEGINNING = re.compile(rb'\{"sessions":\{(?:\},"meta":\{|"1":\{"id":"[a-z0-9]{12}","title":")')
"""How every index of ours begins, also one that was cut off."""
PEEK = 64
WAIT_SECONDS = 1.0
POLL_SECONDS = 0.02
"""Seconds in which another program may finish writing the index, and between two looks."""
NOTED_BYTES = 1 << 16
"""The largest index that is written anew for one session."""
BEHIND = 100
"""The index may be behind of one session in so many."""


def is_index(disk: Disk, path: Path) -> bool:
    """Tell whether a file is certainly an index of a library."""
    return BEGINNING.match(disk.head(path, PEEK)) is not None


class Index:
    """What is known of the session files of a folder, by the index and by this program."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk = disk
        self._path = folder / INDEX
        self._written: tuple[Stamp | None, Known] = (None, {})
        self._own: Known = {}
        self.is_due = False
        """Whether the next list must write it, however little it is behind."""

    def _storage(self, hold: Hold | None = None) -> SealedStorage:
        return SealedStorage(self._path, self._disk, lasting=False, is_safe=True, hold=hold)

    def read(self) -> Known:
        """Return what the index knows; nothing, if it can't be read or is not ours."""
        try:
            stamp = self._disk.stamp(self._path)
            if stamp is None or stamp != self._written[0]:
                self._written = (stamp, self._parsed())
        except OSError:
            return {}
        return self._written[1]

    def _parsed(self) -> Known:
        try:
            tables = (self._storage().read() or {}) if is_index(self._disk, self._path) else {}
            rows = [row for row in tables["sessions"].values() if row["version"] == VERSION]
            return {row["id"]: (Stamp(*row["stamp"]), Entry.from_dict(row)) for row in rows}
        except (OSError, Refused, LookupError, TypeError, AttributeError):
            return {}

    def entry(self, id: str, stamp: Stamp | None) -> Entry | None:
        """Return what is known of one version of a session file."""
        for known in (self._own, self._written[1]):
            held = known.get(id)
            if held is not None and held[0] == stamp:
                return held[1]
        return None

    def keep(self, now: Known) -> None:
        """Take over what a list has found out; the index is written if it is far behind."""
        known = self.read()
        behind = sum(known.get(id) != held for id, held in now.items())
        gone = sum(id not in now for id in known)
        if self.is_due or behind + gone > len(now) // BEHIND:
            self.write(now)
            self.is_due = False
        self._own = now

    def write(self, known: Mapping[str, tuple[Stamp, Entry]]) -> None:
        """Keep what is known, if the folder lets us; nothing depends on it."""
        rows = table(_row(stamp, entry) for stamp, entry in known.values())
        self._alone(lambda storage: storage.write({"sessions": rows}))

    def note(self, stamp: Stamp, entry: Entry) -> None:
        """Keep what is known of one session; the rows of others are not even looked into."""
        self._own[entry.id] = (stamp, entry)

        def put(storage: SealedStorage) -> None:
            found = self._disk.stamp(self._path)
            if found is not None and found.size > NOTED_BYTES:
                return
            rows = (storage.read() or {}).get("sessions", {})
            there = [number for number, row in rows.items() if row["id"] == entry.id]
            number = there[0] if there else str(max(map(int, rows), default=0) + 1)
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


TRASH = "trash"
OPENING = b'{"messages":{'
FORMAT = b'"format":"ctxtui session"'
"""What session files begin with, and what stands near their end."""
FOLDER_PEEK = 1 << 14
NAMED = 3
SQLITE = b"SQLite format 3\0"
APPLICATION = b"ctxt"
APPLICATION_AT = 68
"""What an SQLite file begins with, and where it says which program it belongs to."""


def names_in(disk: Disk, folder: Path) -> list[str]:
    """Return the names in the folder of a library; refuse one that holds only other things."""
    with telling(f"the library {folder} can't be read", "library", str(folder)):
        names = disk.names(folder)
    if names and not any(_is_ours(disk, folder / name) for name in sorted(names, key=_place)):
        named = ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
        raise StorageError(
            f"{folder} is not a library: there are only other files in it ({named}); "
            "choose a library, or a folder that is new or empty",
            field="library",
            value=str(folder),
        )
    return names


def _place(name: str) -> bool:
    """Let the index be looked at first."""
    return name != INDEX


def is_session(disk: Disk, path: Path) -> bool:
    """Tell whether a file holds a session, by what it begins with or has near its end."""
    try:
        return disk.head(path, FOLDER_PEEK).startswith(OPENING) or FORMAT in disk.tail(
            path, FOLDER_PEEK
        )
    except OSError:
        return False


def is_catalog(disk: Disk, path: Path) -> bool:
    """Tell whether a file is certainly a catalog of ours, by what it begins with."""
    end = APPLICATION_AT + len(APPLICATION)
    head = disk.head(path, end)
    return head.startswith(SQLITE) and head[APPLICATION_AT:end] == APPLICATION


def _is_ours(disk: Disk, path: Path) -> bool:
    """Tell whether only this program would have made a file, by its name and what is in it."""
    name = path.name
    try:
        if name == INDEX:
            return is_index(disk, path)
        if name == CATALOG:
            return is_catalog(disk, path)
        if session_of(name) is not None:
            return is_session(disk, path)
        if name == TRASH and disk.is_folder(path):
            return any(_is_ours(disk, path / one) for one in disk.names(path) if one != TRASH)
        if name == SPOOL and disk.is_folder(path):
            return all(_is_spooled(one) for one in disk.names(path))
    except OSError:
        return False
    return (PART.fullmatch(name) or BESIDE.fullmatch(name)) is not None


def _is_spooled(name: str) -> bool:
    """Tell whether a name is one that only the spool has."""
    return any(pattern.fullmatch(name) for pattern in (RUN, SLIP, PART))
