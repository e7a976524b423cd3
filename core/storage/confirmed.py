"""The record of what is confirmed: how far a journal file went when its writer last said so.

It is written over in place after each wait for the journal file. So it is never ahead of the
journal file, and lines it tells of that are not there were taken away. Only a new one is waited
for: a power cut may then leave an older record, but none that is empty or can't be read.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..errors import Refused
from ..values.models import read_count
from .disk import Disk
from .handles import Handle
from .journal_text import JournalText, line_text, read_line

SIZE = 256
"""Bytes of the record, whatever it says: small enough to be written in one piece."""


class Confirmed(NamedTuple):
    """Some lines of a journal file that were confirmed, and the chain they lead to."""

    base: str
    journal: str
    lines: int
    chain: str

    def lost(self, text: JournalText | None) -> int:
        """Return how many confirmed lines are not in what is there of the journal file."""
        if text is None:
            return self.lines
        if text.chains[0] != self.journal:
            return 0  # It tells of an earlier journal file, which this one took the place of.
        there = min(self.lines, len(text.lines))
        if there == self.lines and text.chains[there] != self.chain:
            return self.lines
        return self.lines - there

    def to_bytes(self) -> bytes:
        """Return the record as it stands in its file."""
        line, _ = line_text("", {"format": "ctxtui confirmed", **self._asdict()})
        return line.rstrip(b"\n").ljust(SIZE - 1) + b"\n"


def read_confirmed(data: bytes) -> Confirmed:
    """Return the record, or refuse what is none."""
    if not data:
        raise Refused("it is empty", field="confirmed")
    told, _ = read_line("", data.rstrip(b" \n"))
    match told:
        case {
            "format": "ctxtui confirmed",
            "base": str(base),
            "journal": str(journal),
            "lines": lines,
            "chain": str(chain),
        }:
            return Confirmed(base, journal, read_count(lines, "lines"), chain)
    raise Refused("it is not a record of what is confirmed", field="confirmed")


class ConfirmedFile:
    """The file of the record, open while a journal file is being written."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk = disk
        self._path = path
        self._handle: Handle | None = None

    def put(self, confirmed: Confirmed) -> None:
        """Write the record over the one before, or put a new file in place."""
        data = confirmed.to_bytes()
        if self._handle is None or not self._is_there(self._handle):
            self.close()
            self._disk.write_whole(self._path, data)
            self._handle = self._disk.revise(self._path)
        else:
            self._handle.rewrite(data)

    def is_left(self) -> bool:
        """Tell whether there is a file, whatever it says."""
        return self._disk.stamp(self._path) is not None

    def _is_there(self, handle: Handle) -> bool:
        found = self._disk.stamp(self._path)
        return found is not None and found.file == handle.stamp().file

    def remove(self) -> None:
        """Remove the file."""
        self.close()
        self._disk.unlink(self._path)

    def close(self) -> None:
        """Stop writing."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                handle.close()
