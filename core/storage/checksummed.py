"""JSON as bytes: quick where it can be, exact always.

orjson knows no lone surrogates and no integers beyond 64 bits, and would read the latter as floats.
What it can't write is written by the standard module and has to be read by it again; ``exact``
says so, and has to be stored with the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from hashlib import blake2b
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from tinydb.storages import Storage

from ..errors import Refused, format_value, wrong_type
from ..formats.json_text import read_json
from .disk import Disk, FileLock, FileVersion, RealDisk
from .errors import TooNew


class Encoded(NamedTuple):
    """JSON text, and whether only the standard module reads it as it was."""

    data: bytes
    exact: bool


def encode(value: object, *, is_safe: bool = False) -> Encoded:
    """Return a value as JSON; NaN and Infinity are refused, unless it is known to have none."""
    try:
        data = orjson.dumps(value)
    except TypeError:
        try:
            text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError) as error:
            raise Refused(f"it can't be written as JSON: {error}", field="data") from None
        return Encoded(text.encode("ascii"), True)
    if not is_safe and b"null" in data:
        _no_nan(value)
    return Encoded(data, False)


def _no_nan(value: object) -> None:
    if isinstance(value, float) and not isfinite(value):
        raise Refused(f"the number {value} can't be stored", field="data", value=value)
    if isinstance(value, dict):
        for item in value.values():
            _no_nan(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _no_nan(item)


def decode(data: bytes, *, exact: bool) -> Any:
    """Return the value of JSON text, or refuse it."""
    if exact:
        return read_json(data)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise Refused(f"it is not JSON: {error}", field="text", legal="JSON in UTF-8") from None


TableRow = dict[str, Any]
Tables = dict[str, dict[str, TableRow]]

META = b',"meta":{"1":'
"""Where the last table begins; in a JSON text, these bytes can't be inside a string."""
EXACT = b'"exact":true'
SEAL = b',"checksum":"'
END = b'"}}}'
DIGEST = 16
TAIL = len(SEAL) + 2 * DIGEST + len(END)
WINDOW = 1 << 14


def digest(*pieces: bytes | memoryview, size: int = DIGEST) -> str:
    """Return the checksum of some bytes, as text."""
    return digest_all(pieces, size=size)


def digest_all(pieces: Iterable[bytes | memoryview], size: int = DIGEST) -> str:
    """Return the checksum of bytes that come piece by piece, none of which is kept."""
    made = blake2b(digest_size=size)
    for piece in pieces:
        made.update(piece)
    return made.hexdigest()


def with_checksum(tables: Tables, *, is_safe: bool = False) -> tuple[bytes, str]:
    """Return the bytes of a file and the checksum in it; ``meta`` goes last, whatever its place."""
    rest = {name: table for name, table in tables.items() if name != "meta"}
    others = encode(rest, is_safe=is_safe)
    meta_rows = tables.get("meta", {})
    if not set(meta_rows) <= {"1"}:
        raise Refused("the table meta holds exactly one row, number 1", field="meta", legal="1")
    given = meta_rows.get("1", {})
    row = {key: value for key, value in given.items() if key not in ("exact", "checksum")}
    meta = encode({**row, "exact": others.exact})
    if meta.exact and not others.exact:
        meta = encode({**row, "exact": True})
    body = others.data[:-1] if len(others.data) > len(b"{}") else b'{"_default":{}'
    before = body + META + meta.data[:-1]
    checksum = digest(before)
    return before + SEAL + checksum.encode() + END, checksum


class ChecksummedContent(NamedTuple):
    """A file as it was read: its tables, its checksum, and whether the seal is whole."""

    tables: Tables
    checksum: str
    is_sealed: bool


def read_checksummed(data: bytes) -> ChecksummedContent:
    """Return the content of a file, or refuse it; one that was changed is read all the same."""
    checksum = stated_checksum(data)
    whole = checksum is not None and digest(memoryview(data)[:-TAIL]) == checksum
    exact = not whole or data.endswith(EXACT, 0, -TAIL)
    tables = decode(data, exact=exact)
    if not isinstance(tables, dict) or not all(isinstance(one, dict) for one in tables.values()):
        raise Refused("it is JSON, but not of tables with rows", field="tables")
    return ChecksummedContent(tables, checksum or digest(data), whole)


def stated_checksum(data: bytes) -> str | None:
    """Return the checksum that a file's last bytes state, or None where there is none."""
    tail = data[-TAIL:]
    if len(tail) < TAIL or not tail.startswith(SEAL) or not tail.endswith(END):
        return None
    try:
        return tail[len(SEAL) : -len(END)].decode("ascii")
    except UnicodeDecodeError:
        return None


def meta_of(disk: Disk, path: Path) -> TableRow:
    """Return the row of ``meta`` from the end of a file, or refuse what has none there."""
    window = WINDOW
    while True:
        tail = disk.read(path, -window)
        at = tail.rfind(META)
        if at >= 0:
            exact = tail.endswith(EXACT, 0, -TAIL)
            row = decode(tail[at + len(META) : -len(b"}}")], exact=exact)
            if not isinstance(row, dict):
                raise Refused("the last row of the file is no object", field="meta")
            return row
        if len(tail) < window:
            raise Refused("the file has no meta table at its end", field="meta")
        window *= 8


class FileState(Enum):
    """How a file compares with what is known of it."""

    MISSING = "there is no file"
    KNOWN = "it is the file that was read or written last"
    UNSURE = "it is a file whose writing failed at the very end"
    FOREIGN = "another program wrote it"


class ChecksummedStorage(Storage):
    """Reads and writes one sealed file; give it to ``TinyDB`` as its storage.

    ``lasting`` files are waited for until a power cut can't take them; ``is_safe`` data comes from
    the engine, which holds no number that JSON has not, and need not be looked through again. A
    ``lock`` that its caller acquires and releases stays with the file as it is replaced. It
    remembers which version of the file it read or wrote last, so that a writer knows
    whether another program wrote it.
    """

    def __init__(
        self,
        path: str | Path,
        disk: Disk | None = None,
        *,
        lasting: bool = True,
        is_safe: bool = False,
        lock: FileLock | None = None,
    ) -> None:
        super().__init__()
        self.path = Path(path)
        self._lasting = lasting
        self._is_safe = is_safe
        self._lock = lock
        self.disk = RealDisk() if disk is None else disk
        self.checksum: str | None = None
        self.version: FileVersion | None = None
        self._tried: set[str] = set()

    def read(self) -> Tables | None:
        """Return the tables, or None if there is no file yet; a wrong checksum is refused."""
        try:
            content = self.content(self.disk.read(self.path))
        except FileNotFoundError:
            return None
        if not content.is_sealed:
            raise Refused(f"{self.path} was changed by another program", field="checksum")
        return content.tables

    def content(self, data: bytes) -> ChecksummedContent:
        """Return all that can be said about the bytes of this file, changed or not."""
        content = read_checksummed(data)
        self.checksum, self.version, self._tried = content.checksum, None, set()
        return content

    def write(self, data: Tables) -> None:
        """Put a new file in place, or leave the old one as it is."""
        made, checksum = with_checksum(data, is_safe=self._is_safe)
        self._tried.add(checksum)
        self.disk.write_whole(self.path, made, lasting=self._lasting, lock=self._lock)
        self.checksum, self._tried = checksum, set()
        self.version = self.disk.version(self.path)

    def state(self) -> FileState:
        """Return whether the file is still the one that was read or written last."""
        version = self.disk.version(self.path)
        if version is None:
            return FileState.MISSING
        if version == self.version:
            return FileState.KNOWN
        found = stated_checksum(self.disk.read(self.path, -TAIL))
        if found is not None and found in self._tried:
            return FileState.UNSURE
        if found is None or found != self.checksum:
            return FileState.FOREIGN
        if self.version is not None and not read_checksummed(self.disk.read(self.path)).is_sealed:
            return FileState.FOREIGN  # Changed before its seal, which was left as it is.
        self.version = version
        return FileState.KNOWN


VERSION = 1
"""The only version there is so far: version 0.1 of the program wrote it, too."""


def check_version(row: Mapping[str, Any], what: str) -> None:
    """Refuse the row that describes a file of another version, above all of a newer one."""
    value = row.get("version")
    if type(value) is not int or value < VERSION:
        raise wrong_type("version", value, f"a version of the {what} ({VERSION})")
    if value > VERSION:
        raise TooNew(
            f"the {what} has version {format_value(value)} and the newest that can be read here is "
            f"{VERSION}; update ctxtui to open it",
            field="version",
            value=value,
            legal=str(VERSION),
        )
