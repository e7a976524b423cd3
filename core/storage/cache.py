"""The cache of a library: an SQLite file, and nothing is lost with it.

A missing or broken file is made again, one that is not ours stays as it is, another program that
writes is waited for, and where no file can be written, the same is stored in memory for as long as
the program runs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TypeVar
from urllib.parse import quote

from .disk import Disk
from .folder import APPLICATION, is_catalog

T = TypeVar("T")
WAIT_SECONDS = 5.0
"""Seconds in which another program may finish writing the file."""
COPIED_BYTES = 1 << 26
"""The largest file that is read into memory where it can't be written."""
BESIDE = ("-wal", "-shm", "-journal", "")
"""Endings of the files that SQLite makes, that of the file itself last."""
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT)
REFUSED = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_AUTH,
)
"""What is no fault of the file: others are at it, or the disk refuses."""


VERSION = 3
TABLES = """
CREATE TABLE entries (id TEXT PRIMARY KEY, version TEXT NOT NULL, entry TEXT NOT NULL);
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, made TEXT NOT NULL,
    digest TEXT NOT NULL, fields TEXT NOT NULL, texts INTEGER NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE texts (key INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(
    text, content='', detail='none', tokenize='trigram case_sensitive 1'
)
"""
"""The list of sessions; a digest of each; and their texts, whose words are indexed."""
NAMES = {"entries", "sessions", "texts", "words"}


class CacheFile:
    """The tables of a library in its file, or in memory where there can be none."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk = disk
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._file: int | None = None
        """Which file is open, None for memory: another may take its name meanwhile."""
        self.opened = 0
        """How often a file or memory was opened: each time, something else may be in it."""
        self.guard = RLock()
        self._users = 0

    @contextmanager
    def used(self) -> Iterator[None]:
        """Leave the file open until its last user is done."""
        with self.guard:
            self._users += 1
        try:
            yield
        finally:
            with self.guard:
                self._users -= 1
                if not self._users:
                    self.close()

    def exists(self) -> bool:
        """Return whether there is a file of that name, whatever is in it."""
        with suppress(OSError):
            return self._disk.version(self._path) is not None
        return True

    def read(self, ask: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Return what is found in the file, or the other value if there is none."""
        return self._try(ask, otherwise, is_writing=False)

    def write(self, act: Callable[[sqlite3.Connection], object], *, is_new: bool = True) -> None:
        """Change the tables, all or nothing, if that is possible; missing ones are made."""

        def alone(db: sqlite3.Connection) -> None:
            with db:
                db.execute("BEGIN IMMEDIATE")
                act(db)

        self._try(alone, None, is_writing=is_new)

    def _try(self, act: Callable[[sqlite3.Connection], T], otherwise: T, *, is_writing: bool) -> T:
        """Use the tables, and try once more if the file had to be given up."""
        with self.guard:
            for _ in range(2):
                try:
                    db = self._open(is_writing=is_writing)
                    return otherwise if db is None else act(db)
                except sqlite3.Error as error:
                    code = _code(error)
                    if code in BUSY:
                        return otherwise
                    if code in REFUSED:
                        self._use_memory()
                    else:
                        self.remove()
            return otherwise

    def _open(self, *, is_writing: bool) -> sqlite3.Connection | None:
        """Return the open tables; None where there are none and nothing is to be written."""
        if self._connection is not None and self._is_there():
            return self._connection
        self.close()
        if not (self._disk.is_real and self._disk.is_writable):
            self._use_memory()
            return self._connection
        try:
            if not self._is_ready(is_writing=is_writing):
                return None
        except OSError:
            self._use_memory()
            return self._connection
        self._connection, self.opened = self._opened(), self.opened + 1
        found = self._disk.version(self._path)
        self._file = found and found.file
        return self._connection

    def _is_there(self) -> bool:
        """Return whether the file that is open still has its name; memory needs none."""
        if self._file is None:
            return True
        with suppress(OSError):
            found = self._disk.version(self._path)
            return found is not None and found.file == self._file
        return False

    def _is_ready(self, *, is_writing: bool) -> bool:
        """Return whether there is a file of ours, which is made if necessary; refuse another's."""
        found = self._disk.version(self._path)
        if found is None:
            if not is_writing or self._disk.version(self._path.parent) is None:
                return False
            with suppress(FileExistsError):
                self._disk.create(self._path).close()
            return True
        if found.size == 0 or is_catalog(self._disk, self._path):
            return True
        raise FileExistsError("it is not ours")

    def _opened(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            self._path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            if not _has_tables(db):
                db.execute("PRAGMA synchronous = OFF")  # A file that breaks now is made again.
                _make_tables(db)
            # No program that reads waits for one that writes, and none waits for the disk.
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA secure_delete = ON")  # What is removed is overwritten.
        except BaseException:
            db.close()
            raise
        return db

    def _use_memory(self) -> None:
        self.close()
        db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            self._copy_to(db)
        except (OSError, sqlite3.Error):
            db.close()
            db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        if not _has_tables(db):
            _make_tables(db)
        self._connection, self.opened = db, self.opened + 1

    def _copy_to(self, db: sqlite3.Connection) -> None:
        found = self._disk.version(self._path)
        if found is None or not 0 < found.size <= COPIED_BYTES:
            return
        if not self._disk.is_real or not is_catalog(self._disk, self._path):
            return
        address = f"file:{quote(str(self._path))}?mode=ro&immutable=1"
        source = sqlite3.connect(address, uri=True)
        try:
            if _has_tables(source):
                source.backup(db)
        finally:
            source.close()

    def remove(self) -> None:
        """Remove the file, if it is ours, and those that SQLite made for it."""
        with self.guard:
            self.close()
            if not (self._disk.is_real and self._disk.is_writable):
                return
            with suppress(OSError):
                found = self._disk.version(self._path)
                if found is None or found.size == 0 or is_catalog(self._disk, self._path):
                    for ending in BESIDE:
                        self._disk.unlink(self._path.with_name(self._path.name + ending))

    def close(self) -> None:
        with self.guard:
            connection, self._connection, self._file = self._connection, None, None
            if connection is not None:
                with suppress(sqlite3.Error):
                    connection.close()


def _has_tables(db: sqlite3.Connection) -> bool:
    if _version(db) != VERSION:
        return False
    found = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    return found.issuperset(NAMES)


def _make_tables(db: sqlite3.Connection) -> None:
    """Make the tables in an empty file; one with other tables counts as broken."""
    with db:
        db.execute("BEGIN IMMEDIATE")
        if _has_tables(db):
            return  # Another program was quicker.
        if _version(db):
            raise sqlite3.DatabaseError("the tables are of another version")
        for statement in TABLES.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {int.from_bytes(APPLICATION)}")
        db.execute(f"PRAGMA user_version = {VERSION}")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _code(error: sqlite3.Error) -> int:
    """Return the kind of an error; a file that ends too early is broken, whatever it is called."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return sqlite3.SQLITE_CORRUPT if code == sqlite3.SQLITE_IOERR_SHORT_READ else code & 0xFF
