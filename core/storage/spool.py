"""Searching the bytes of sessions, and the spool: recorded calls that are in no session yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock

from .disk import Disk, FileLock, Handle
from .folder import RUN, SLIP, SPOOL, TRASH, is_id, new_id, sweep

FILES = (".json", ".journal")


class ByteSearch:
    """Looks through the files of a library, also those in its trash if that is asked for."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk, self._folder = disk, folder

    def of(self, marks: Iterable[bytes], ids: Iterable[str]) -> Iterator[str]:
        """Yield those of some sessions that contain any of the marks."""
        wanted = tuple(marks)
        for id in ids:
            paths = (self._folder / f"{id}{suffix}" for suffix in FILES)
            if any(mark in data for data in map(self._read, paths) for mark in wanted):
                yield id

    def held(self, marks: Iterable[bytes], since: int) -> set[bytes]:
        """Return the marks that any file contains which was changed since then."""
        missing = set(marks)
        found: set[bytes] = set()
        for path in self._changed(since):
            data = self._read(path)
            found |= {mark for mark in missing if mark in data}
        return found

    def _changed(self, since: int) -> Iterator[Path]:
        for folder in (self._folder, self._folder / TRASH):
            for name in self._disk.names(folder):
                path = folder / name
                if is_id(path.stem) and path.suffix in FILES:
                    stamp = self._disk.version(path)
                    if stamp is not None and stamp.changed >= since:
                        yield path

    def _read(self, path: Path) -> bytes:
        with suppress(OSError):
            return self._disk.read(path)
        return b""


class SpoolEntry:
    """One thing in the spool, by a name that nothing else ever has."""

    def __init__(self, disk: Disk, path: Path, handle: Handle | None = None) -> None:
        self._disk, self._path, self._handle = disk, path, handle

    @property
    def name(self) -> str:
        return self._path.stem

    @property
    def number(self) -> int:
        return int(self.name.rpartition("-")[2])

    def add(self, line: bytes) -> None:
        """Add a line, which has no line break in it; it counts once it is complete."""
        assert self._handle is not None
        self._handle.write(line + b"\n")

    def lines(self) -> list[bytes]:
        """Return the complete lines: the last one may have been cut off by a kill."""
        return self._disk.read(self._path).split(b"\n")[:-1]

    def changed(self) -> int:
        found = self._disk.version(self._path)
        return 0 if found is None else found.changed

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.close()

    def delete(self) -> None:
        """Remove it: its call is saved, or need not be."""
        with suppress(OSError):
            self.close()
        self._disk.unlink(self._path)


SLACK = 2 * 1_000_000_000
"""Nanoseconds by which two files may seem to be in another order than they were written in."""


class OrphanedRun:
    """The entries of a program that is gone, locked by this one until it has dealt with them."""

    def __init__(self, disk: Disk, path: Path, lock: FileLock, entries: list[SpoolEntry]) -> None:
        self._disk, self._path, self._lock = disk, path, lock
        self.entries = entries

    def saved(self, search: ByteSearch) -> set[str]:
        """Return the names of entries that a session contains: there was no time to delete them.

        Only files that are no older than the entries can contain one.
        """
        marks = {f'"{one.name}"'.encode(): one.name for one in self.entries}
        since = min((one.changed() for one in self.entries), default=0) - SLACK
        return {marks[mark] for mark in search.held(marks, since)} if marks else set()

    def leave(self) -> None:
        """Unlock it; what was not deleted waits for the next program."""
        with suppress(OSError):
            if not _slips(self._disk, self._path.parent).get(self._path.stem):
                self._disk.unlink(self._path)
        self._lock.release()


class CrashSpool:
    """The spool of a library, in a folder of its own; nothing is made before the first entry is."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk, self.folder = disk, folder / SPOOL
        self._guard = Lock()
        self._lock: FileLock | None = None
        self._run = new_id()
        self._numbers = count()

    @property
    def is_begun(self) -> bool:
        """Return whether there is a run, so that an entry is made without making folders first."""
        return self._lock is not None

    def begin(self) -> SpoolEntry:
        """Return a new entry; ``OSError`` says why there can be none."""
        with self._guard:
            if self._lock is None:
                self._begin_run()
            path = self.folder / f"{self._run}-{next(self._numbers)}.slip"
        return SpoolEntry(self._disk, path, self._disk.create(path))

    def _begin_run(self) -> None:
        self._run = new_id()
        path = self._run_file
        lock = self._disk.lock(path)
        self._disk.write_whole(path, b"", lasting=False, lock=lock)
        lock.acquire()  # It is held already, but where a lock file does that.
        self._lock = lock

    @property
    def _run_file(self) -> Path:
        return self.folder / f"{self._run}.run"

    def close(self) -> None:
        """End the run; entries that were not deleted are found like those of a killed program."""
        with self._guard:
            lock, self._lock = self._lock, None
            if lock is not None:
                OrphanedRun(self._disk, self._run_file, lock, []).leave()

    def left(self) -> Iterator[OrphanedRun]:
        """Yield the runs that no program has locked, oldest first; each is locked meanwhile."""
        with suppress(OSError):
            sweep(self._disk, self.folder)
        runs = [self.folder / f"{run}.run" for run in _slips(self._disk, self.folder)]
        for path in sorted(runs, key=self._began):
            run = path.stem
            lock = self._disk.lock(path)
            try:
                is_ours = not self._is_mine(run) and lock.acquire()
            except OSError:
                continue
            if is_ours:
                slips = _slips(self._disk, self.folder).get(run, [])
                yield OrphanedRun(self._disk, path, lock, sorted(slips, key=lambda one: one.number))

    def entries(self) -> list[SpoolEntry]:
        """Return all entries, of programs that run and of those that are gone."""
        return [slip for slips in _slips(self._disk, self.folder).values() for slip in slips]

    def running(self) -> list[SpoolEntry]:
        """Return the entries of all programs that run now; looking changes nothing."""
        found = _slips(self._disk, self.folder)
        return [
            slip for run, slips in found.items() if slips and self._is_held(run) for slip in slips
        ]

    def _is_held(self, run: str) -> bool:
        if self._is_mine(run):
            return True
        with suppress(OSError):
            return self._disk.lock(self.folder / f"{run}.run").is_held_elsewhere()
        return False

    def _began(self, run_file: Path) -> int:
        stamp = self._disk.version(run_file)
        return 0 if stamp is None else stamp.changed

    def _is_mine(self, run: str) -> bool:
        return self._lock is not None and run == self._run


def _slips(disk: Disk, folder: Path) -> dict[str, list[SpoolEntry]]:
    found: dict[str, list[SpoolEntry]] = {}
    for name in disk.names(folder):
        run, slip = RUN.fullmatch(name), SLIP.fullmatch(name)
        if slip is not None:
            found.setdefault(slip["run"], []).append(SpoolEntry(disk, folder / name))
        elif run is not None:
            found.setdefault(run["run"], [])
    return found
