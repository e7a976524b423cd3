"""The journal file: what was confirmed since the session file was written, safe on disk at once.

The first line says which session file it continues. Each further line is ``<chain> <flag> <json>``,
where the chain is a checksum of everything up to and including that line: a line that is missing,
changed or in another's place is seen. Several lines are written at once and waited for once.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import Refused, not_a
from core.journal import Record
from core.models import read_count
from core.storage.details import Details
from core.storage.disk import Disk, Handle
from core.storage.json_bytes import decode, encode
from core.storage.schema import VERSION, migrated_line, read_version
from core.storage.sealed import digest

CHAIN = 8
QUICK, EXACT = b"q", b"x"
"""Which of the two JSON readers a line needs."""


class Header(NamedTuple):
    """Which session, and which version of its file, a journal file continues."""

    id: str
    base: str
    records: int


Line = dict[str, Any]
"""One line: a record and its place in the journal, or new details of the session."""


def record_line(place: int, record: Record) -> Line:
    """Return the line of a record."""
    return {"n": place, "record": record.to_dict()}


def details_line(details: Details) -> Line:
    """Return the line of a session's new details."""
    return {"details": details.to_dict()}


class JournalText(NamedTuple):
    """What a journal file says, as far as it can be read."""

    header: Header
    lines: list[Line]
    torn: bool
    """Whether the file ends in the middle of a line: the write was cut off before it was done."""
    damage: str | None
    """What is wrong in the middle, where what follows can't be trusted."""
    unread: int
    """How many lines stand from there on."""
    size: int
    chain: str


def _line(chain: str, data: Line) -> tuple[bytes, str]:
    made = encode(data, is_safe=True)
    body = (EXACT if made.exact else QUICK) + b" " + made.data
    chain = digest(chain.encode(), body, size=CHAIN)
    return chain.encode() + b" " + body + b"\n", chain


def _opened(chain: str, line: bytes) -> tuple[Line, str]:
    """Return what a line says and the chain it leads to, or refuse it."""
    said, body = line[: 2 * CHAIN], line[2 * CHAIN + 1 :]
    leads_to = digest(chain.encode(), body, size=CHAIN)
    if said != leads_to.encode() or line[2 * CHAIN : 2 * CHAIN + 1] != b" ":
        raise Refused("its checksum is wrong", field="chain")
    data = decode(body[2:], exact=body[:1] == EXACT)
    if not isinstance(data, dict):
        raise not_a("line", data, "an object")
    return data, leads_to


def read_journal(data: bytes) -> JournalText:
    """Return what a journal file says; refuse one whose first line can't be read."""
    *whole, rest = data.split(b"\n")
    if not whole:
        raise Refused("the journal file breaks off within its first line", field="header")
    first, chain = _opened("", whole[0])
    version = read_version(first.get("version"), "journal file")
    header = _header(first)
    lines: list[Line] = []
    size, damage = len(whole[0]) + 1, None
    for number, line in enumerate(whole[1:], start=2):
        try:
            read, chain = _opened(chain, line)
        except Refused as refusal:
            damage = f"line {number} of the journal file can't be read: {refusal}"
            break
        lines.append(migrated_line(read, version))
        size += len(line) + 1
    unread = len(whole) - 1 - len(lines)
    if damage is not None and not any(b"\0" not in line for line in whole[1 + len(lines) :]):
        # Blocks that were never written come back as zeros: that is a write cut off, too.
        return JournalText(header, lines, True, None, 0, size, chain)
    return JournalText(header, lines, bool(rest) and not damage, damage, unread, size, chain)


def _header(data: Line) -> Header:
    match data:
        case {"format": "ctxtui journal", "id": str(id), "base": str(base), "records": records}:
            return Header(id, base, read_count(records, "records"))
    raise Refused("the first line of the journal file is not one of ours", field="header")


class JournalFile:
    """A journal file that is being written.

    After any failure it is not trusted again: the system may have forgotten bytes it took. The
    next write then has to ``start`` it anew.
    """

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk = disk
        self.path = path
        self._handle: Handle | None = None
        self._chain: str | None = None
        self.size = 0

    @property
    def is_ready(self) -> bool:
        """Tell whether lines can be added: it is known, and still the file of that name."""
        if self._chain is None:
            return False
        found = self._disk.stamp(self.path)
        if found is None or found.size != self.size:
            return False
        return self._handle is None or found.file == self._handle.stamp().file

    def start(self, header: Header, lines: Sequence[Line]) -> None:
        """Put a new journal file in place, with its first lines."""
        self.close()
        named = {"format": "ctxtui journal", "version": VERSION, **header._asdict()}
        text, chain = _line("", named)
        more, chain = _joined(chain, lines)
        self._disk.write_whole(self.path, text + more)
        self._chain, self.size = chain, len(text) + len(more)

    def resume(self, text: JournalText) -> None:
        """Go on with a file that was read whole; one that ends badly has to be started anew.

        It is opened only when there is something to write: who just reads may not be allowed to.
        """
        if not text.torn and text.damage is None:
            self._chain, self.size = text.chain, text.size

    def append(self, lines: Sequence[Line]) -> None:
        """Write lines and wait until they are safe; only if this returns, they are."""
        assert self._chain is not None
        text, chain = _joined(self._chain, lines)
        try:
            if self._handle is None:
                self._handle = self._disk.extend(self.path)
            self._handle.write(text)
            self._handle.fsync()
        except OSError:
            self.close()
            raise
        self._chain = chain
        self.size += len(text)

    def remove(self) -> None:
        """Remove the file: everything in it is in the session file."""
        self.close()
        if self._disk.stamp(self.path) is not None:
            self._disk.unlink(self.path)
            self._disk.fsync_folder(self.path.parent)

    def close(self) -> None:
        """Stop writing."""
        handle, self._handle, self._chain, self.size = self._handle, None, None, 0
        if handle is not None:
            with suppress(OSError):
                handle.close()


def _joined(chain: str, lines: Sequence[Line]) -> tuple[bytes, str]:
    made = []
    for line in lines:
        text, chain = _line(chain, line)
        made.append(text)
    return b"".join(made), chain
