"""The catalog: what is known of each session beyond the list, and where texts are found."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from hashlib import blake2b
from itertools import chain, islice
from typing import NamedTuple, Self, TypeVar

from ..conversation.conversation import Conversation
from ..engine.meta_fields import other_fields, value_text
from ..errors import Refused
from ..storage.cache import CacheFile
from ..storage.details import ImportSource
from ..storage.disk import FileVersion
from ..storage.entries import Entry, entry_of
from ..storage.library import Library
from ..storage.rows import listed
from ..storage.session import Saved
from ..values.times import gc_paused
from .digest import (
    Digest,
    KnownDigest,
    SessionRow,
    digest_of,
    made_by,
    named,
    with_duplicates,
    with_newer_figures,
)

T = TypeVar("T")


RowPlace = int | str
"""Where a text is: the raw index of its message, or the name of its field."""

SPACE = 1 << 32
"""The key of a text is that of its session times this, plus its place: fields come first."""
KNOWN = "stamp=?, made=?, digest=?, fields=?"


class StoredDigest(NamedTuple):
    """What is kept of a session: which version of its file, which program found it, and what.

    ``fields`` names, as a JSON list, those of its texts that are other fields: the first ones.
    """

    id: str
    stamp: str
    made: str
    digest: str
    fields: str = "[]"


class CatalogStore:
    """What a catalog keeps between two runs of a program."""

    def __init__(self, file: CacheFile) -> None:
        self._file = file
        self.guard = file.guard

    def version(self) -> tuple[int, int]:
        """Return what changes when it is another file, and when another program has written."""
        query = "PRAGMA data_version"
        return self._file.read(
            lambda db: (self._file.opened, *db.execute(query).fetchone()), (0, 0)
        )

    def kept(self) -> list[StoredDigest]:
        query = "SELECT id, stamp, made, digest, fields FROM sessions"
        return self._file.read(lambda db: [StoredDigest(*row) for row in db.execute(query)], [])

    def put(self, found: Iterable[tuple[StoredDigest, Sequence[str]]]) -> None:
        """Store digests and their texts, all at once."""
        given = [(kept, [storable(text) for text in texts]) for kept, texts in found]

        def act(db: sqlite3.Connection) -> None:
            for kept, texts in given:
                _put(db, kept, texts)

        if given:
            self._file.write(act)

    def restamp(self, id: str, before: FileVersion, stamp: FileVersion) -> None:
        """Note that a newer version of a session's file has the same content."""
        named = (stamp.to_text(), id, before.to_text())
        update = "UPDATE sessions SET stamp = ? WHERE id = ? AND stamp = ?"

        self._file.write(lambda db: db.execute(update, named), is_new=False)

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

    def texts(self, id: str, places: Sequence[int] | None = None) -> list[tuple[RowPlace, str]]:
        """Return texts of a session, some or all, each with its field or the raw index it has."""

        def ask(db: sqlite3.Connection) -> list[tuple[RowPlace, str]]:
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
        """Remove sessions with their texts; the disk may still hold some of them."""

        def act(db: sqlite3.Connection) -> None:
            for id in ids:
                row = db.execute("SELECT key FROM sessions WHERE id = ?", (id,)).fetchone()
                if row is not None:
                    _drop_texts(db, row[0])
                    db.execute("DELETE FROM sessions WHERE key = ?", row)

        self._file.write(act, is_new=False)

    def forget(self, is_kept: Callable[[str], bool]) -> None:
        """Make the file again with some sessions only: nothing of the others is left in it."""
        with self.guard:
            rows = [
                (kept, [text for _, text in self.texts(kept.id)])
                for kept in self.kept()
                if is_kept(kept.id)
            ]
            self._file.remove()
            self.put(rows)


def fold_case(text: str) -> str:
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


def _put(db: sqlite3.Connection, kept: StoredDigest, texts: Sequence[str]) -> None:
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
    folded = [(place, fold_case(text)) for place, text in fresh]
    db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", folded)


def _drop_texts(db: sqlite3.Connection, key: int) -> None:
    old = [(place, fold_case(text)) for place, text in _texts(db, key)]
    db.executemany("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", old)
    db.execute("DELETE FROM texts WHERE key >= ? AND key < ?", (key * SPACE, (key + 1) * SPACE))


def _hash(texts: Sequence[str]) -> str:
    made = blake2b(digest_size=16)
    for text in texts:
        data = text.encode()
        made.update(len(data).to_bytes(8, "big"))
        made.update(data)
    return made.hexdigest()


AROUND = 60
"""Characters that are shown before and after a match."""
MOST_TERMS = 24


class Hit(NamedTuple):
    """One place where a text was found: a message, another field, or else the title."""

    id: str
    raw: int | None
    before: str
    match: str
    after: str
    field: str | None = None
    """The name of the other field that it was found in."""


def trigrams(folded: str) -> list[str]:
    """Return three letters each of a text that is looked for; none where it is too short."""
    found = list(dict.fromkeys(folded[i : i + 3] for i in range(len(folded) - 2)))
    return found[:: len(found) // MOST_TERMS + 1]


def hit_in(id: str, place: RowPlace | None, text: str, folded: str) -> Hit | None:
    """Return the first place where something is in a text, in any case."""
    within = fold_case(text)
    start = within.find(folded)
    if start < 0:
        return None
    end = start + len(folded)
    if len(within) != len(text):
        start, end = _places(text, start, end)
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    raw, field = (None, place) if isinstance(place, str) else (place, None)
    return Hit(id, raw, before, text[start:end], after, field)


def hits_among(
    id: str, title: str, texts: Iterable[tuple[RowPlace, str]], folded: str, most: int
) -> list[Hit]:
    """Return the first hits of a session: in its title, in other fields, then in its messages."""
    places: Iterable[tuple[RowPlace | None, str]] = chain([(None, title)], texts)
    hits = (hit_in(id, place, text, folded) for place, text in places)
    return list(islice((hit for hit in hits if hit is not None), most))


def _places(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where a stretch of the folded text is in the text: some letters become several."""
    first, last, at = 0, len(text), 0
    for place, letter in enumerate(text):
        size = len(fold_case(letter))
        if at <= start < at + size:
            first = place
        if at < end <= at + size:
            last = place + 1
            break
        at += size
    return first, last


TOGETHER = 32
"""Sessions that are kept with one write."""
NOTED_MESSAGES = 1_000
"""The longest log of which all is found out while it is saved; of others when it is asked."""
MOST_HITS = 200
HITS_EACH = 20
MOST_TURNS = 3
"""How often a session is looked into that is changed meanwhile, by a verdict for example."""
UNREADABLE = (Refused, OSError, ValueError, RecursionError)
"""What reading a session may raise."""


Step = Callable[[float], None]
"""Called with the share of the work that is done; may raise something to stop it."""


def no_progress(done: float) -> None:
    """Report no progress."""


class Catalog:
    """What is known of the sessions of a library, in addition to its list.

    Any thread may ask. As long as it is open, it notes whatever this library saves.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._store = CatalogStore(library.cache)
        self._open = ExitStack()
        self._open.enter_context(library.cache.used())
        self._made = made_by()
        self._known: dict[str, KnownDigest] = {}
        self._stored: set[str] = set()
        """Sessions of which the file held something when it was read last."""
        self._bad: dict[str, FileVersion] = {}
        """Versions of sessions that could not be read, which are not tried again."""
        self._version = (0, 0)
        library.watchers.append(self._saved)

    def close(self) -> None:
        if self._saved in self._library.watchers:
            self._library.watchers.remove(self._saved)
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rows(self) -> list[SessionRow]:
        """Return all sessions as the library lists them, with what is known of each by now.

        Those that are identical for training have the same group, whose number stays the same as
        long as no earlier session becomes one of several.
        """
        return with_duplicates([self._row(entry, stamp) for entry, stamp in self._listed()])

    def _row(self, entry: Entry, stamp: FileVersion) -> SessionRow:
        """Return what is known of a session: all as of now, or all as of the last look into it.

        A session that is being written is always further by the time it was read.
        """
        known = self._known.get(entry.id)
        if known is None or known.version == stamp or known.entry is None:
            return named(entry, self._digest(entry.id, stamp))
        if entry.problem is not None or not self._library.listing.has_journal(entry.id):
            return SessionRow(entry)
        row = named(with_newer_figures(entry, known.entry), known.digest)
        return row._replace(is_behind=True)

    def _listed(self) -> Sequence[tuple[Entry, FileVersion]]:
        """Return all sessions as the library lists them; what is kept of others is dropped.

        Those are in the trash, or were deleted by another program. One that is
        restored is read again.
        """
        self._refresh()
        kept = self._stored.union(list(self._known))  # First, so that a newer one is in the list.
        listed = self._library.listing.all()
        gone = kept.difference(entry.id for entry, _ in listed)
        gone = {id for id in gone if self._library.listing.version(id) is None}
        if gone:
            for id in gone:
                self._known.pop(id, None)
            self._stored -= gone
            self._store.drop(gone)
        return listed

    def row(self, id: str) -> SessionRow | None:
        """Return what is known of one session now, without looking at any other."""
        found = self._library.listing.one(id)
        return None if found is None else self._row(*found)

    def missing(self, ids: Iterable[str] | None = None) -> list[str]:
        """Return the sessions of which nothing is known yet, or only of an earlier version."""
        return [
            entry.id
            for entry, stamp in (self._listed() if ids is None else self._some(ids))
            if entry.problem is None
            and self._digest(entry.id, stamp) is None
            and self._bad.get(entry.id) != stamp
        ]

    def _some(self, ids: Iterable[str]) -> list[tuple[Entry, FileVersion]]:
        """Return what the library says of some sessions, without looking at any other."""
        self._refresh()
        one = self._library.listing.one
        return [found for id in dict.fromkeys(ids) if (found := one(id)) is not None]

    def learn(self, ids: Iterable[str] | None = None, step: Step = no_progress) -> dict[str, str]:
        """Find out what is missing of some sessions or of all; return why some can't be read.

        Where ``step`` stops it, what was found out until then is stored.
        """
        wanted = self.missing(ids)
        problems: dict[str, str] = {}
        for _ in range(MOST_TURNS):
            problems |= self._learn(wanted, step)
            wanted = [id for id in wanted if id not in problems and self._is_old(id)]
            if not wanted:
                break
        return problems

    def _learn(self, wanted: Sequence[str], step: Step) -> dict[str, str]:
        """Look into some sessions once, and keep what was found out."""
        problems: dict[str, str] = {}
        found: list[tuple[StoredDigest, Sequence[str]]] = []
        try:
            for number, id in enumerate(wanted):
                step(number / len(wanted))
                try:
                    found += self._look(id)
                except UNREADABLE as problem:
                    problems[id] = str(problem)
                if len(found) >= TOGETHER:
                    self._keep(found)
                    found = []
        finally:
            self._keep(found)
        return problems

    def _keep(self, found: Iterable[tuple[StoredDigest, Sequence[str]]]) -> None:
        """Store what was found out, except of sessions that were saved since then."""
        current = []
        for kept, texts in found:
            known = self._known.get(kept.id)
            if known is not None and known.version.to_text() == kept.stamp:
                current.append((kept, texts))
        self._store.put(current)
        self._stored.update(kept.id for kept, _ in current)

    def _is_old(self, id: str) -> bool:
        """Return whether a session changed while it was read; one that grows always has."""
        listing = self._library.listing
        if listing.has_journal(id) and id in self._known:
            return False
        stamp = listing.version(id)
        return stamp is not None and self._digest(id, stamp) is None

    def search(
        self,
        text: str,
        *,
        limit: int = MOST_HITS,
        each: int = HITS_EACH,
        among: Container[str] | None = None,
    ) -> list[Hit]:
        """Return where a text is: in titles, in other fields, and in all messages ever added.

        Sessions come in the order of the list, all or those named, none with more than ``each``
        hits, one for a title, a field or a message. What was not learned is not found.
        """
        wanted = fold_case(storable(text))
        if not wanted:
            return []
        terms = trigrams(wanted)
        candidates = self._store.candidates(terms) if terms else None
        found: list[Hit] = []
        for entry in self._library.list():
            if len(found) >= limit:
                break
            if among is not None and entry.id not in among:
                continue
            # Where no places are known, all of its texts are read.
            places = None if candidates is None else candidates.get(entry.id, [])
            texts = () if places == [] else self._store.texts(entry.id, places)
            most = min(each, limit - len(found))
            found += hits_among(entry.id, entry.title, texts, wanted, most)
        return found

    def forget(self, ids: Iterable[str]) -> None:
        """Make sure that nothing of some sessions is stored: the file is made again."""
        gone = set(ids)
        for id in gone:
            self._known.pop(id, None)
        listed = {entry.id for entry in self._library.list()} - gone
        self._store.forget(listed.__contains__)
        self._library.listing.forget(gone)

    def _digest(self, id: str, stamp: FileVersion) -> Digest | None:
        known = self._known.get(id)
        return None if known is None or known.version != stamp else known.digest

    def _look(self, id: str) -> list[tuple[StoredDigest, Sequence[str]]]:
        """Read what is to be known of one session, if it still exists."""
        stamp = self._library.listing.version(id)
        if stamp is None:
            return []
        try:
            with self._library.open(id, read_only=True) as session:
                talk, details = session.conversation, session.details
                entry = entry_of(id, details, listed(talk))
                return [self._found(id, stamp, talk, details.source, entry)]
        except UNREADABLE:
            self._bad[id] = stamp
            raise

    def _found(
        self,
        id: str,
        stamp: FileVersion,
        conversation: Conversation,
        source: ImportSource | None,
        entry: Entry | None = None,
    ) -> tuple[StoredDigest, Sequence[str]]:
        """Take over what a conversation is, and return what is to be kept of it."""
        digest = digest_of(conversation, source)
        texts = [value_text(value) for value in other_fields(conversation.meta).values()]
        texts += [message.search_text for message in conversation.log]
        self._known[id] = KnownDigest(stamp, digest, entry)
        fields = json.dumps(digest.fields)
        return StoredDigest(id, stamp.to_text(), self._made, digest.to_json(), fields), texts

    def _saved(self, saved: Saved) -> None:
        """Note a session that was just saved; saving must not fail or take long because of it."""
        id, stamp, before = saved.session.id, saved.version, saved.before
        if stamp is None:
            return
        if saved.is_same and before is not None:
            known = self._known.get(id)
            if known is not None and known.version == before:
                self._known[id] = KnownDigest(stamp, known.digest)
            self._store.restamp(id, before, stamp)
        elif len(saved.conversation.log) <= NOTED_MESSAGES:
            with suppress(*UNREADABLE):
                source = saved.session.details.source
                self._keep([self._found(id, stamp, saved.conversation, source)])

    def _refresh(self) -> None:
        """Take over what this or another program stored, unless it is writing now."""
        if not self._store.guard.acquire(blocking=False):
            return
        try:
            version = self._store.version()
            if version == self._version:
                return
            with gc_paused():
                is_another, before = version[0] != self._version[0], dict(self._known)
                known = {} if is_another else dict(before)
                every = self._store.kept()
                for id in self._stored.difference(kept.id for kept in every):
                    known.pop(id, None)  # Another program has dropped it.
                for kept in every:
                    self._take_over(kept, known)
            self._settle(before, known)
            self._version, self._stored = version, {kept.id for kept in every}
        finally:
            self._store.guard.release()

    def _settle(self, before: dict[str, KnownDigest], known: dict[str, KnownDigest]) -> None:
        """Take over what is known, but for what another thread has found out meanwhile."""
        for id in before.keys() | known.keys():
            if self._known.get(id) is before.get(id):
                if id in known:
                    self._known[id] = known[id]
                else:
                    self._known.pop(id, None)

    def _take_over(self, kept: StoredDigest, known: dict[str, KnownDigest]) -> None:
        """Read what was stored; a row that was changed from outside counts as unknown."""
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            stamp, held = FileVersion.of_text(kept.stamp), known.get(kept.id)
            if kept.made == self._made and (held is None or held.version != stamp):
                own = self._known.get(kept.id)
                entry = own.entry if own is not None and own.version == stamp else None
                known[kept.id] = KnownDigest(stamp, Digest.from_json(kept.digest), entry)
