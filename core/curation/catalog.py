"""The catalog: what is known of every session of a library, found out once for each version of it.

It never stands in the way: what it keeps is only a cache, and whatever it does not know it can find
out again from the sessions themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol, Self

from core.conversation.conversation import Conversation
from core.curation.digest import Digest, digest_of, made_by
from core.curation.hits import Hit, hits_in, trigrams
from core.curation.row import Row
from core.curation.store import Kept, Store, fold, read_stamp, stamp_text
from core.errors import Refused
from core.storage.entries import Entry
from core.storage.handles import Stamp
from core.storage.library import Library
from core.storage.names import CATALOG
from core.storage.session import Saved
from core.values.collecting import uncollected

__all__ = ["Catalog", "Hit", "Row"]

TOGETHER = 32
"""Sessions that are kept with one write."""
MOST_HITS = 200
HITS_EACH = 20


class Watching(Protocol):
    """Is told which share of the work is done, and may stop it by raising."""

    def step(self, done: float) -> None:
        """Go on."""


class Known(NamedTuple):
    """A digest, and of which version of the session's file."""

    stamp: Stamp
    digest: Digest


class Catalog:
    """What is known of the sessions of a library, beside what its list says.

    Any thread may ask. As long as it is open, it notes whatever this library saves.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._store = Store(library.disk, library.folder / CATALOG)
        self._made = made_by()
        self._known: dict[str, Known] = {}
        self._bad: dict[str, Stamp] = {}
        """Versions of sessions that could not be read, which are not tried again."""
        self._version: tuple[int, int] | None = None
        library.watchers.append(self._saved)

    def close(self) -> None:
        """Stop noting, and let go of the file."""
        if self._saved in self._library.watchers:
            self._library.watchers.remove(self._saved)
        self._store.close()

    def __enter__(self) -> Self:
        """Use the catalog in a ``with`` block, which closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the catalog."""
        self.close()

    def rows(self) -> list[Row]:
        """Return all sessions as the library lists them, with what is known of each by now."""
        self._refresh()
        return [Row(entry, self._digest(entry, stamp)) for entry, stamp in self._library.listed()]

    def row(self, id: str) -> Row | None:
        """Return what is known of one session by now, without looking at any other."""
        found = self._library.entry(id)
        return None if found is None else Row(found[0], self._digest(*found))

    def missing(self, ids: Iterable[str] | None = None) -> list[str]:
        """Return the sessions of which nothing is known yet, or only of an earlier version."""
        self._refresh()
        wanted = None if ids is None else set(ids)
        return [
            entry.id
            for entry, stamp in self._library.listed()
            if (wanted is None or entry.id in wanted)
            and entry.problem is None
            and self._digest(entry, stamp) is None
            and self._bad.get(entry.id) != stamp
        ]

    def learn(
        self, ids: Iterable[str] | None = None, watch: Watching | None = None
    ) -> dict[str, str]:
        """Find out what is missing of some sessions or of all; return why some can't be read.

        Whoever watches may stop it by raising: what was found out until then is kept.
        """
        wanted = self.missing(ids)
        problems: dict[str, str] = {}
        found: list[tuple[Kept, Sequence[str]]] = []
        try:
            for number, id in enumerate(wanted):
                if watch is not None:
                    watch.step(number / len(wanted))
                try:
                    found += self._look(id)
                except (Refused, OSError) as problem:
                    problems[id] = str(problem)
                if len(found) >= TOGETHER:
                    self._store.put(found)
                    found = []
        finally:
            self._store.put(found)
        return problems

    def search(self, text: str, *, limit: int = MOST_HITS, each: int = HITS_EACH) -> list[Hit]:
        """Return where a text is: in titles, and in all messages ever added, hidden ones too.

        Sessions come in the order of the list, and none has more than ``each`` hits. What is not
        learned yet is not found.
        """
        wanted = fold(text)
        if not wanted:
            return []
        terms = trigrams(wanted)
        candidates = self._store.candidates(terms) if terms else None
        found: list[Hit] = []
        for entry in self._library.list():
            if len(found) >= limit:
                break
            places = None if candidates is None else candidates.get(entry.id, [])
            found += self._hits(entry, places, wanted, min(each, limit - len(found)))
        return found

    def _hits(
        self, entry: Entry, places: Sequence[int] | None, wanted: str, most: int
    ) -> list[Hit]:
        found = [hit._replace(id=entry.id) for hit in hits_in("", None, entry.title, wanted)]
        if places is None or places:
            for raw, text in self._store.texts(entry.id, places):
                if len(found) >= most:
                    break
                found += hits_in(entry.id, raw, text, wanted)
        return found[:most]

    def forget(self, ids: Iterable[str]) -> None:
        """Make sure that nothing of some sessions is kept anywhere: the file is made anew."""
        gone = set(ids)
        for id in gone:
            self._known.pop(id, None)
        listed = {entry.id for entry in self._library.list()} - gone
        self._store.forget(listed.__contains__)

    def _digest(self, entry: Entry, stamp: Stamp) -> Digest | None:
        known = self._known.get(entry.id)
        return None if known is None or known.stamp != stamp else known.digest

    def _look(self, id: str) -> list[tuple[Kept, Sequence[str]]]:
        """Find out what is to be known of one session."""
        stamp = self._library.stamp(id)
        if stamp is None:
            return []
        try:
            with self._library.open(id, read_only=True) as session:
                return [
                    self._take(
                        id,
                        stamp,
                        digest_of(session.conversation, session.details.source),
                        session.conversation,
                    )
                ]
        except BaseException:
            self._bad[id] = stamp
            raise

    def _take(
        self, id: str, stamp: Stamp, digest: Digest, conversation: Conversation
    ) -> tuple[Kept, Sequence[str]]:
        self._known[id] = Known(stamp, digest)
        texts = [message.search_text for message in conversation.log]
        return Kept(id, stamp_text(stamp), self._made, digest.to_json()), texts

    def _saved(self, saved: Saved) -> None:
        """Note a session that was just saved."""
        session, stamp = saved.session, saved.stamp
        if stamp is None:
            return
        known = self._known.get(session.id)
        if saved.is_same and saved.before is not None:
            if known is not None and known.stamp == saved.before:
                self._known[session.id] = Known(stamp, known.digest)
            self._store.restamp(session.id, saved.before, stamp)
            return
        digest = digest_of(saved.conversation, session.details.source)
        self._store.put([self._take(session.id, stamp, digest, saved.conversation)])

    def _refresh(self) -> None:
        """Take over what this or another program has kept, unless somebody is writing just now."""
        if not self._store.guard.acquire(blocking=False):
            return
        try:
            version = self._store.version()
            if version == self._version:
                return
            self._version = version
            with uncollected():
                for kept in self._store.kept():
                    self._take_over(kept)
        finally:
            self._store.guard.release()

    def _take_over(self, kept: Kept) -> None:
        # What somebody has changed is not known, and is found out again.
        with suppress(Refused, ValueError, TypeError, LookupError):
            known, stamp = self._known.get(kept.id), read_stamp(kept.stamp)
            if kept.made == self._made and (known is None or known.stamp != stamp):
                self._known[kept.id] = Known(stamp, Digest.from_json(kept.digest))
