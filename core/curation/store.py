"""The store of a catalog: digests, and the texts of fields and messages with their trigrams."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ..storage.disk import Disk
from ..storage.handles import Stamp
from .cache_file import CacheFile, Layout

Place = int | str
"""Where a text is: the raw index of its message, or the name of its field."""

VERSION = 2
TABLES = """
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, made TEXT NOT NULL,
    digest TEXT NOT NULL, fields TEXT NOT NULL, texts INTEGER NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE texts (key INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(
    text, content='', detail='none', tokenize='trigram case_sensitive 1'
)
"""
"""The key of a text is that of its session times ``SPACE`` and its place: fields come first."""
SPACE = 1 << 32
KNOWN = "stamp=?, made=?, digest=?, fields=?"


class Kept(NamedTuple):
    """What is kept of a session: which version of its file, which program found it, and what.

    ``fields`` names, as a JSON list, those of its texts that are other fields: the first ones.
    """

    id: str
    stamp: str
    made: str
    digest: str
    fields: str = "[]"


def stamp_text(stamp: Stamp) -> str:
    """Return a stamp as it is kept; some of its numbers are larger than SQLite's."""
    return ",".join(map(str, stamp))


def read_stamp(text: str) -> Stamp:
    """Return a stamp that was kept."""
    file, size, changed = text.split(",")
    return Stamp(int(file), int(size), int(changed))


class Store:
    """What a catalog keeps between two runs of a program."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self._file = CacheFile(disk, path, Layout(VERSION, ("sessions", "texts", "words"), TABLES))
        self.guard = self._file.guard
        self.close = self._file.close

    def version(self) -> tuple[int, int]:
        """Return what changes when it is another file, and when another program has written."""

        def ask(db: sqlite3.Connection) -> tuple[int, int]:
            return self._file.opened, int(db.execute("PRAGMA data_version").fetchone()[0])

        return self._file.read(ask, (0, 0))

    def kept(self) -> list[Kept]:
        """Return what is kept of all sessions."""

        def ask(db: sqlite3.Connection) -> list[Kept]:
            rows = db.execute("SELECT id, stamp, made, digest, fields FROM sessions")
            return [Kept(*row) for row in rows]

        return self._file.read(ask, [])

    def put(self, found: Iterable[tuple[Kept, Sequence[str]]]) -> None:
        """Keep digests and the texts they are of, all at once."""
        given = [(kept, [storable(text) for text in texts]) for kept, texts in found]

        def act(db: sqlite3.Connection) -> None:
            for kept, texts in given:
                _put(db, kept, texts)

        if given:
            self._file.write(act)

    def restamp(self, id: str, before: Stamp, stamp: Stamp) -> None:
        """Note that the same is in a newer version of a session's file."""
        named = (stamp_text(stamp), id, stamp_text(before))
        update = "UPDATE sessions SET stamp = ? WHERE id = ? AND stamp = ?"

        def act(db: sqlite3.Connection) -> None:
            db.execute(update, named)

        self._file.write(act, is_new=False)

    def candidates(self, terms: Sequence[str]) -> dict[str, list[int]]:
        """Return the places of texts with all of some trigrams, by the id of the session."""
        query = " ".join('"' + term.replace('"', '""') + '"' for term in terms)

        def ask(db: sqlite3.Connection) -> dict[str, list[int]]:
            ids = dict(db.execute("SELECT key, id FROM sessions"))
            found: dict[str, list[int]] = {}
            for (key,) in db.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,)):
                id = ids.get(key // SPACE)
                if id is not None:
                    found.setdefault(id, []).append(key % SPACE)
            return found

        return self._file.read(ask, {})

    def texts(self, id: str, places: Sequence[int] | None = None) -> list[tuple[Place, str]]:
        """Return texts of a session, some or all, each with its field or the raw index it has."""

        def ask(db: sqlite3.Connection) -> list[tuple[Place, str]]:
            row = db.execute("SELECT key, fields FROM sessions WHERE id = ?", (id,)).fetchone()
            if row is None:
                return []
            start, fields = row[0] * SPACE, json.loads(row[1])
            if places is None:
                found = list(_texts(db, row[0]))
            else:
                one = "SELECT key, text FROM texts WHERE key = ?"
                found = [row for place in places for row in db.execute(one, (start + place,))]
            numbered = ((key - start, text) for key, text in found)
            return [
                (fields[at] if at < len(fields) else at - len(fields), text)
                for at, text in numbered
            ]

        return self._file.read(ask, [])

    def drop(self, ids: Collection[str]) -> None:
        """Take sessions out, with their texts; what a disk still holds of them stays on it."""

        def act(db: sqlite3.Connection) -> None:
            for id in ids:
                row = db.execute("SELECT key FROM sessions WHERE id = ?", (id,)).fetchone()
                if row is not None:
                    _drop_texts(db, row[0])
                    db.execute("DELETE FROM sessions WHERE key = ?", row)

        self._file.write(act, is_new=False)

    def forget(self, is_kept: Callable[[str], bool]) -> None:
        """Make the file anew with some sessions only: what others said is nowhere in it."""
        with self.guard:
            rows = [
                (kept, [text for _, text in self.texts(kept.id)])
                for kept in self.kept()
                if is_kept(kept.id)
            ]
            self._file.remove()
            self.put(rows)


def fold(text: str) -> str:
    """Return a text without the difference of capitals, as it is searched.

    SQLite takes a zero for the end of a text.
    """
    return text.casefold().replace("\0", "\1")


def storable(text: str) -> str:
    """Return a text that SQLite takes; half a character of a broken file is replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _texts(db: sqlite3.Connection, key: int) -> Iterator[tuple[int, str]]:
    bounds = (key * SPACE, (key + 1) * SPACE)
    yield from db.execute("SELECT key, text FROM texts WHERE key >= ? AND key < ?", bounds)


def _put(db: sqlite3.Connection, kept: Kept, texts: Sequence[str]) -> None:
    """Write what is known of a session; texts that are there already stay as they are."""
    known = "SELECT key, texts, hash FROM sessions WHERE id = ?"
    row = db.execute(known, (kept.id,)).fetchone()
    key, count, hashed = row or (None, 0, "")
    if key is not None and (count > len(texts) or _hash(texts[:count]) != hashed):
        _drop_texts(db, key)
        count, hashed = 0, ""
    if key is None:
        names = "id, stamp, made, digest, fields, texts, hash"
        insert = f"INSERT INTO sessions ({names}) VALUES (?,?,?,?,?,?,?)"
        key = db.execute(insert, (*kept, len(texts), _hash(texts))).lastrowid
    elif count < len(texts) or not hashed:
        update = f"UPDATE sessions SET {KNOWN}, texts=?, hash=? WHERE key = ?"
        db.execute(update, (*kept[1:], len(texts), _hash(texts), key))
    else:
        update = f"UPDATE sessions SET {KNOWN} WHERE key = ?"
        db.execute(update, (*kept[1:], key))
    assert key is not None
    fresh = [(key * SPACE + place, text) for place, text in enumerate(texts[count:], count)]
    db.executemany("INSERT OR REPLACE INTO texts (key, text) VALUES (?, ?)", fresh)
    folded = [(place, fold(text)) for place, text in fresh]
    db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", folded)


def _drop_texts(db: sqlite3.Connection, key: int) -> None:
    old = [(place, fold(text)) for place, text in _texts(db, key)]
    db.executemany("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", old)
    db.execute("DELETE FROM texts WHERE key >= ? AND key < ?", (key * SPACE, (key + 1) * SPACE))


def _hash(texts: Sequence[str]) -> str:
    made = blake2b(digest_size=16)
    for text in texts:
        data = text.encode()
        made.update(len(data).to_bytes(8, "big"))
        made.update(data)
    return made.hexdigest()
