"""Mentions: which sessions hold some bytes, found without reading any of them as what it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from .disk import Disk
from .folders import TRASH
from .names import is_id

FILES = (".json", ".journal")


class Mentions:
    """Looks through the files of a library, also those in its trash if that is asked for."""

    def __init__(self, disk: Disk, folder: Path) -> None:
        self._disk, self._folder = disk, folder

    def of(self, marks: Iterable[bytes], ids: Iterable[str]) -> Iterator[str]:
        """Yield those of some sessions that hold any of the marks."""
        wanted = tuple(marks)
        for id in ids:
            paths = (self._folder / f"{id}{suffix}" for suffix in FILES)
            if any(mark in data for data in map(self._read, paths) for mark in wanted):
                yield id

    def held(self, marks: Iterable[bytes], since: int) -> set[bytes]:
        """Return the marks that any file holds, but for those that were last changed before."""
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
                    stamp = self._disk.stamp(path)
                    if stamp is not None and stamp.changed >= since:
                        yield path

    def _read(self, path: Path) -> bytes:
        """Return what is in a file; what can't be read holds nothing."""
        with suppress(OSError):
            return self._disk.read(path)
        return b""
