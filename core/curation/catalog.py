"""The catalog: what is known of every session of a library, found out once for each version of it.

It never stands in the way: what it keeps is only a cache, and whatever it does not know it can find
out again from the sessions themselves.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from typing import Protocol, Self

from ..conversation.conversation import Conversation
from ..errors import Refused
from ..queries.fields import other_fields, value_text
from ..storage.details import Source
from ..storage.entries import Entry, entry_of
from ..storage.handles import Stamp
from ..storage.library import Library
from ..storage.names import CATALOG
from ..storage.rows import listed
from ..storage.session import Saved
from ..values.collecting import uncollected
from .digest import Digest, digest_of, made_by
from .hits import Hit, hits_among, trigrams
from .row import Known, Row, grown, with_alike
from .store import Kept, Store, fold, read_stamp, stamp_text, storable

__all__ = ["Catalog", "Hit", "Row"]

TOGETHER = 32
"""Sessions that are kept with one write."""
NOTED_MESSAGES = 1_000
"""The longest log of which all is found out while it is saved; of others when somebody asks."""
MOST_TURNS = 3
"""How often a session is looked into that is changed meanwhile, by a verdict for example."""
MOST_HITS = 200
HITS_EACH = 20
UNREADABLE = (Refused, OSError, ValueError, RecursionError)
"""What a session may raise that nobody could have wanted to save."""


class Watching(Protocol):
    """Is told which share of the work is done, and may stop it by raising."""

    def step(self, done: float) -> None:
        """Go on."""


class Catalog:
    """What is known of the sessions of a library, beside what its list says.

    Any thread may ask. As long as it is open, it notes whatever this library saves.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._store = Store(library.disk, library.folder / CATALOG)
        self._made = made_by()
        self._known: dict[str, Known] = {}
        self._stored: set[str] = set()
        """Sessions of which the file held something when it was read last."""
        self._bad: dict[str, Stamp] = {}
        """Versions of sessions that could not be read, which are not tried again."""
        self._version = (0, 0)
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
        """Return all sessions as the library lists them, with what is known of each by now.

        Those that are identical for training have the same group, whose number stays the same as
        long as no earlier session becomes one of several.
        """
        return with_alike([self._row(entry, stamp) for entry, stamp in self._listed()])

    def _row(self, entry: Entry, stamp: Stamp) -> Row:
        """Return what is known of a session: all as of now, or all as of the last look into it.

        A session that somebody writes is always further by the time it was looked into.
        """
        known = self._known.get(entry.id)
        if known is None or known.stamp == stamp or known.entry is None:
            return Row(entry, self._digest(entry.id, stamp))
        if entry.problem is not None or not self._library.listing.has_journal(entry.id):
            return Row(entry)
        return Row(grown(entry, known.entry), known.digest, is_behind=True)

    def _listed(self) -> Sequence[tuple[Entry, Stamp]]:
        """Return all sessions as the library lists them; what is kept of others is dropped.

        Those are in the trash, or were deleted by somebody who knows no catalog. Whoever takes one
        out of the trash learns it again.
        """
        self._refresh()
        kept = self._stored.union(list(self._known))  # First, so that a newer one is in the list.
        listed = self._library.listing.all()
        gone = kept.difference(entry.id for entry, _ in listed)
        gone = {id for id in gone if self._library.listing.stamp(id) is None}
        if gone:
            for id in gone:
                self._known.pop(id, None)
            self._stored -= gone
            self._store.drop(gone)
        return listed

    def row(self, id: str) -> Row | None:
        """Return what is known of one session by now, without looking at any other."""
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

    def _some(self, ids: Iterable[str]) -> list[tuple[Entry, Stamp]]:
        """Return what the library says of some sessions, without looking at any other."""
        self._refresh()
        one = self._library.listing.one
        return [found for id in dict.fromkeys(ids) if (found := one(id)) is not None]

    def learn(
        self, ids: Iterable[str] | None = None, watch: Watching | None = None
    ) -> dict[str, str]:
        """Find out what is missing of some sessions or of all; return why some can't be read.

        Whoever watches may stop it by raising: what was found out until then is kept.
        """
        wanted = self.missing(ids)
        problems: dict[str, str] = {}
        for _ in range(MOST_TURNS):
            problems |= self._learn(wanted, watch)
            wanted = [id for id in wanted if id not in problems and self._is_old(id)]
            if not wanted:
                break
        return problems

    def _learn(self, wanted: Sequence[str], watch: Watching | None) -> dict[str, str]:
        """Look into some sessions once, and keep what was found out."""
        problems: dict[str, str] = {}
        found: list[tuple[Kept, Sequence[str]]] = []
        try:
            for number, id in enumerate(wanted):
                if watch is not None:
                    watch.step(number / len(wanted))
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

    def _keep(self, found: Iterable[tuple[Kept, Sequence[str]]]) -> None:
        """Write down what was found out, but for sessions that have been saved since then."""
        current = [entry for entry in found if self._is_current(entry[0])]
        self._store.put(current)
        self._stored.update(kept.id for kept, _ in current)

    def _is_current(self, kept: Kept) -> bool:
        known = self._known.get(kept.id)
        return known is not None and stamp_text(known.stamp) == kept.stamp

    def _is_old(self, id: str) -> bool:
        """Tell whether a session was changed while it was looked into; one that grows always is."""
        listing = self._library.listing
        if listing.has_journal(id) and id in self._known:
            return False
        stamp = listing.stamp(id)
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
        wanted = fold(storable(text))
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
            # Where no places are known, all of its texts are looked at.
            places = None if candidates is None else candidates.get(entry.id, [])
            texts = () if places == [] else self._store.texts(entry.id, places)
            most = min(each, limit - len(found))
            found += hits_among(entry.id, entry.title, texts, wanted, most)
        return found

    def forget(self, ids: Iterable[str]) -> None:
        """Make sure that nothing of some sessions is kept anywhere: the file is made anew."""
        gone = set(ids)
        for id in gone:
            self._known.pop(id, None)
        listed = {entry.id for entry in self._library.list()} - gone
        self._store.forget(listed.__contains__)

    def _digest(self, id: str, stamp: Stamp) -> Digest | None:
        known = self._known.get(id)
        return None if known is None or known.stamp != stamp else known.digest

    def _look(self, id: str) -> list[tuple[Kept, Sequence[str]]]:
        """Find out what is to be known of one session, if it is still there."""
        stamp = self._library.listing.stamp(id)
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
        stamp: Stamp,
        conversation: Conversation,
        source: Source | None,
        entry: Entry | None = None,
    ) -> tuple[Kept, Sequence[str]]:
        """Take over what a conversation is, and return what is to be kept of it."""
        digest = digest_of(conversation, source)
        texts = [value_text(value) for value in other_fields(conversation.meta).values()]
        texts += [message.search_text for message in conversation.log]
        self._known[id] = Known(stamp, digest, entry)
        fields = json.dumps(digest.fields)
        return Kept(id, stamp_text(stamp), self._made, digest.to_json(), fields), texts

    def _saved(self, saved: Saved) -> None:
        """Note a session that was just saved; saving must not fail or take long because of it."""
        id, stamp, before = saved.session.id, saved.stamp, saved.before
        if stamp is None:
            return
        if saved.is_same and before is not None:
            known = self._known.get(id)
            if known is not None and known.stamp == before:
                self._known[id] = Known(stamp, known.digest)
            self._store.restamp(id, before, stamp)
        elif len(saved.conversation.log) <= NOTED_MESSAGES:
            with suppress(*UNREADABLE):
                source = saved.session.details.source
                self._keep([self._found(id, stamp, saved.conversation, source)])

    def _refresh(self) -> None:
        """Take over what this or another program has kept, unless somebody is writing just now."""
        if not self._store.guard.acquire(blocking=False):
            return
        try:
            version = self._store.version()
            if version == self._version:
                return
            with uncollected():
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

    def _settle(self, before: dict[str, Known], known: dict[str, Known]) -> None:
        """Take over what is known, but for what another thread has found out meanwhile."""
        for id in before.keys() | known.keys():
            if self._known.get(id) is before.get(id):
                if id in known:
                    self._known[id] = known[id]
                else:
                    self._known.pop(id, None)

    def _take_over(self, kept: Kept, known: dict[str, Known]) -> None:
        """Read what was kept; what somebody has changed is not known, and found out again."""
        with suppress(Refused, ValueError, TypeError, LookupError):
            stamp, held = read_stamp(kept.stamp), known.get(kept.id)
            if kept.made == self._made and (held is None or held.stamp != stamp):
                own = self._known.get(kept.id)
                entry = own.entry if own is not None and own.stamp == stamp else None
                known[kept.id] = Known(stamp, Digest.from_json(kept.digest), entry)
