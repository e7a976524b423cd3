"""The journal file: what was confirmed since the session file was written.

The first line says which session file it continues. Each further line is ``<chain> <flag> <json>``,
where the chain is a checksum of everything up to and including that line: a line that is missing,
changed or in another's place is seen. Several lines are written at once and waited for once.
"""

from __future__ import annotations

import errno
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Refused, wrong_type
from ..values.models import read_count
from .checksummed import VERSION, check_version, decode, digest, encode
from .disk import MOST_BYTES, Disk, FileVersion, Handle, too_large
from .errors import Locked, Stale
from .folder import kept_of

CHAIN = 8
QUICK = b"q"
EXACT = b"x"
"""Which of the two JSON readers a line needs."""


class Header(NamedTuple):
    """Which session, and which version of its file, a journal file continues."""

    id: str
    base: str
    records: int


JournalLine = dict[str, Any]
"""One line: a record and its place in the journal, or new details of the session."""


class JournalText(NamedTuple):
    """What a journal file says, as far as it can be read."""

    header: Header
    lines: list[JournalLine]
    chains: list[str]
    """What the file leads to after each line; the first is that of the header, which no other
    journal file shares."""
    size: int
    """The bytes up to the end of the last line that can be read."""
    unread: int
    """How many lines follow; one that breaks off counts."""
    damage: str | None
    """What is wrong with them, unless it is just that writing them was cut off."""

    @property
    def torn(self) -> bool:
        """Return whether the file ends in a line whose writing was cut off."""
        return self.unread > 0 and self.damage is None


class JournalPlace(NamedTuple):
    """The end of the last line that was read of a journal file."""

    first: str
    """The chain of its first line, by which the file is known."""
    chain: str
    lines: int
    size: int

    @classmethod
    def after(cls, text: JournalText) -> JournalPlace:
        return cls(text.chains[0], text.chains[-1], len(text.lines), text.size)


def line_text(chain: str, data: JournalLine) -> tuple[bytes, str]:
    """Return a line that follows a chain, and the chain it leads to."""
    made = encode(data, is_safe=True)
    body = (EXACT if made.exact else QUICK) + b" " + made.data
    chain = digest(chain.encode(), body, size=CHAIN)
    return chain.encode() + b" " + body + b"\n", chain


def lines_text(chain: str, lines: Sequence[JournalLine]) -> tuple[bytes, str]:
    """Return lines that follow a chain, and the chain they lead to."""
    made = []
    for line in lines:
        text, chain = line_text(chain, line)
        made.append(text)
    return b"".join(made), chain


def header_text(header: Header) -> tuple[bytes, str]:
    """Return the first line of a new journal file, unlike any other's, and its chain."""
    token = secrets.token_hex(CHAIN)
    named = {"format": "ctxtui journal", "version": VERSION, **header._asdict(), "token": token}
    return line_text("", named)


def read_line(chain: str, line: bytes) -> tuple[JournalLine, str]:
    """Return what a line says and the chain it leads to, or refuse it."""
    said, body = line[: 2 * CHAIN], line[2 * CHAIN + 1 :]
    leads_to = digest(chain.encode(), body, size=CHAIN)
    if said != leads_to.encode() or line[2 * CHAIN : 2 * CHAIN + 1] != b" ":
        raise Refused("its checksum is wrong", field="chain")
    data = decode(body[2:], exact=body[:1] == EXACT)
    if not isinstance(data, dict):
        raise wrong_type("line", data, "an object")
    return data, leads_to


def read_journal(data: bytes) -> JournalText:
    """Return what a journal file says; refuse one whose first line can't be read."""
    *whole, rest = data.split(b"\n")
    if not whole:
        raise Refused("the journal file breaks off within its first line", field="header")
    first, chain = read_line("", whole[0])
    check_version(first, "journal file")
    match first:
        case {"format": "ctxtui journal", "id": str(id), "base": str(base), "records": records}:
            header = Header(id, base, read_count(records, "records"))
        case _:
            raise Refused("the first line of the journal file is not one of ours", field="header")
    lines, chains, damage = read_lines(chain, whole[1:])
    there = 1 + len(lines)
    size = sum(len(line) + 1 for line in whole[:there])
    unread = len(whole) - there + bool(rest)
    return JournalText(header, lines, [chain, *chains], size, unread, damage)


def read_lines(
    chain: str, whole: Sequence[bytes], number: int = 2
) -> tuple[list[JournalLine], list[str], str | None]:
    """Return what lines behind a chain say, what each leads to, and what is wrong with the rest.

    ``number`` is that of the first of them in its file.
    """
    lines: list[JournalLine] = []
    chains: list[str] = []
    for place, line in enumerate(whole):
        try:
            read, chain = read_line(chain, line)
        except Refused as refusal:
            if all(b"\0" in one for one in whole[place:]):
                break  # Blocks that were never written come back as zeros: that was cut off, too.
            where = f"line {number + place} of the journal file"
            return lines, chains, f"{where} can't be read: {refusal}"
        lines.append(read)
        chains.append(chain)
    return lines, chains, None


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
            return 0  # It is about an earlier journal file, which this one replaced.
        there = min(self.lines, len(text.lines))
        if there == self.lines and text.chains[there] != self.chain:
            return self.lines
        return self.lines - there

    def to_bytes(self) -> bytes:
        line, _ = line_text("", {"format": "ctxtui confirmed", **self._asdict()})
        return line.rstrip(b"\n").ljust(SIZE - 1) + b"\n"


def read_confirmed(data: bytes) -> Confirmed:
    """Return the record, or refuse what is none."""
    if not data:
        raise Refused("it is empty", field="confirmed")
    line, _ = read_line("", data.rstrip(b" \n"))
    match line:
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
        """Overwrite the record, or put a new file in place."""
        data = confirmed.to_bytes()
        if self._handle is None or not self._is_there(self._handle):
            self.close()
            self._disk.write_whole(self._path, data)
            self._handle = self._disk.revise(self._path)
        else:
            self._handle.rewrite(data)

    def is_left(self) -> bool:
        return self._disk.version(self._path) is not None

    def _is_there(self, handle: Handle) -> bool:
        found = self._disk.version(self._path)
        return found is not None and found.file == handle.version().file

    def remove(self) -> None:
        self.close()
        self._disk.unlink(self._path)

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                handle.close()


END = 4096
"""Bytes at the end of the file by which it is known again."""


class JournalFile:
    """A journal file that is being written.

    After any failure it is not trusted again: the system may have forgotten bytes it took. The
    next write then has to ``start`` it again.
    """

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk = disk
        self.path = path
        self.size = 0
        self._lock = disk.lock(path)
        self._record = ConfirmedFile(disk, path.with_suffix(".confirmed"))
        self._handle: Handle | None = None
        self._confirmed: Confirmed | None = None
        self._file: int | None = None
        self._end: bytes | None = None
        self._tried: list[tuple[int, bytes]] = []
        self._is_doubtful = False

    @property
    def is_ready(self) -> bool:
        return self._confirmed is not None and self._disk.version(self.path) is not None

    def is_left(self) -> bool:
        """Return whether there is a file or its record of what is confirmed, whatever they say."""
        return self._disk.version(self.path) is not None or self._record.is_left()

    def know(self, data: bytes, *, is_doubtful: bool = False) -> None:
        """Note what was read from the file; a doubtful end is copied before it is dropped."""
        self.size, self._end, self._is_doubtful = len(data), data[-END:], is_doubtful

    def resume(self, text: JournalText) -> None:
        """Continue with a file that was read whole; one that ends badly has to be started again.

        It is opened only when there is something to write: who just reads may not be allowed to.
        """
        if not text.unread:
            self._confirmed = Confirmed(
                text.header.base, text.chains[0], len(text.lines), text.chains[-1]
            )

    def must_be_known(self) -> None:
        """Lock the file, and refuse one with content that this program doesn't know."""
        if not self._lock.acquire():
            raise Locked(f"{self.path} is being written by another program", "another program")
        found = self._disk.version(self.path)
        if found is not None and not self._is_known(found):
            raise Stale(
                f"{self.path} was changed by another program since it was opened; "
                "nothing was written over; export this one to keep it",
                field="session",
                value=self.path.stem,
            )

    def _is_known(self, found: FileVersion) -> bool:
        if self._end is not None and found.size == self.size:
            if found.file == self._file:
                return True
            if self._disk.read(self.path, -(len(self._end) or 1)) == self._end:
                self._file = found.file
                return True
        # What a failed write may have left is known as well.
        data = self._disk.read(self.path) if self._tried else b""
        return any(
            start <= len(data) and tried.startswith(data[start:]) for start, tried in self._tried
        )

    def start(self, header: Header, lines: Sequence[JournalLine]) -> None:
        """Put a new journal file in place, with its first lines."""
        self.must_be_known()
        self._keep_doubtful()
        text, first = header_text(header)
        more, chain = lines_text(first, lines)
        self._distrust(0, text + more)
        self._disk.write_whole(self.path, text + more, lock=self._lock)
        self._tried.clear()
        self.know(text + more)
        found = self._disk.version(self.path)
        self._file = None if found is None else found.file
        self._confirm(Confirmed(header.base, first, len(lines), chain))

    def append(self, lines: Sequence[JournalLine]) -> None:
        """Write lines and wait until they are safe; only if this returns, they are."""
        self.must_be_known()
        before = self._confirmed
        assert before is not None
        text, chain = lines_text(before.chain, lines)
        if self.size + len(text) > MOST_BYTES:
            raise too_large(self.path, self.size + len(text))
        try:
            if self._handle is None:
                self._handle = self._disk.extend(self.path)
            self._handle.write(text)
            self._handle.fsync()
            self._must_be_there(self._handle, self.size + len(text))
        except OSError:
            self._distrust(self.size, text)
            raise
        self.size += len(text)
        self._end = ((self._end or b"") + text)[-END:]
        lines_now = before.lines + len(lines)
        self._confirm(before._replace(lines=lines_now, chain=chain))

    def _must_be_there(self, handle: Handle, size: int) -> None:
        """Refuse to confirm a write if the file lost its name, or if another program wrote too."""
        written, found = handle.version(), self._disk.version(self.path)
        if found is None or found.file != written.file or written.size != size:
            raise OSError(errno.ESTALE, "it was replaced by another program", str(self.path))

    def _confirm(self, confirmed: Confirmed) -> None:
        self._confirmed = confirmed
        with suppress(OSError):  # The lines are safe; only a loss of them might not be noticed.
            self._record.put(confirmed)

    def _distrust(self, start: int, tried: bytes) -> None:
        """Note what may be in the file from some byte on, and write to it no more."""
        self._tried.append((start, tried))
        self._confirmed = None
        self._close_handle()

    def _keep_doubtful(self) -> None:
        """Copy a file whose end may have been more than a write that was cut off."""
        if self._is_doubtful and self._disk.version(self.path) is not None:
            self._disk.write_whole(kept_of(self.path), self._disk.read(self.path))
        self._is_doubtful = False

    def remove(self) -> None:
        """Remove file and record, locked until they are gone: the session file has everything."""
        self._confirmed = None
        self._close_handle()
        self.must_be_known()
        if self.is_left():
            self._keep_doubtful()
            self._disk.unlink(self.path)
            self._record.remove()
            self._disk.fsync_folder(self.path.parent)
        self.close()
        self.size, self._end, self._file = 0, None, None
        self._tried.clear()

    def close(self) -> None:
        self._confirmed = None
        self._close_handle()
        self._record.close()
        self._lock.release()

    def _close_handle(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                handle.close()
