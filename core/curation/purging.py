"""Purging: what is visible becomes a new session, and what it was made of is gone for good.

A session keeps everything that ever was in it. Before data is given away, the visible messages go
into new sessions; the old ones are then removed from the library, its trash and all that it keeps
to be quick. What was hidden, replaced, renamed or undone is in no file of the library afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

from core.conversation.conversation import Conversation
from core.curation.about import about_texts, moved
from core.curation.catalog import Catalog
from core.curation.patterns import Pattern
from core.curation.replacing import count_in, hits, meant, what_stays
from core.storage.details import tidy_title
from core.storage.errors import NotFound, StorageError
from core.storage.library import Library
from core.storage.session import Session
from core.values.frozen import thaw

WORD = "squashed"


class Squashed(NamedTuple):
    """A session that was made of what is visible in another."""

    old: str
    new: str
    title: str
    messages: int
    raw_messages: int
    is_purged: bool
    notes: tuple[str, ...] = ()
    """What had to be done to read the old one."""


class Purging:
    """Sessions that are removed for good; caches forget all of them at the end of the block."""

    def __init__(self, library: Library, wait: float = 0.0) -> None:
        self._library = library
        self._wait = wait
        self._gone: list[str] = []

    def __enter__(self) -> Self:
        """Begin to remove sessions."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let caches forget what is gone, also where the rest could not be removed."""
        if self._gone:
            forget(self._library, self._gone)

    def remove(self, id: str) -> None:
        """Remove a session for good, from the library and from its trash."""
        try:
            self._library.delete(id, wait=self._wait)
        except NotFound:
            self._library.trash.must_hold(id)
        self._library.purge(id)
        self._gone.append(id)

    def hand_over(self, id: str, changes: int, heirs: Sequence[str]) -> None:
        """Remove a session for new ones that were made of it when it had so many changes.

        Where it can't be removed, or was changed meanwhile, it stays and the new ones go.
        """
        try:
            self._library.delete(id, wait=self._wait)
            with self._library.look_in_trash(id) as seen:
                is_same = len(seen.conversation.journal) == changes
            if not is_same:
                self._library.restore(id)
                raise StorageError(
                    f"session {id} was changed while it was squashed, so it stays as it is",
                    field="session",
                    value=id,
                )
        except StorageError:
            for heir in heirs:
                self.remove(heir)
            raise
        self.remove(id)

    def squash(self, id: str) -> Squashed:
        """Make a new session of what is visible in another, and then remove that one.

        The new one is on disk and found whole before the old one goes.
        """
        with self._library.open(id, wait=self._wait) as old:
            if old.id != id:
                raise _damaged(id)
            made = old.conversation.squash(meta=bare_meta(old))
            raw, title = len(old.conversation.log), old.title
            changes = len(old.conversation.journal)
            new = _kept(self._library, made, title, old, is_heir=True)
        self.hand_over(id, changes, [new])
        return Squashed(id, new, title, len(made.log), raw, True)


def squash_session(
    library: Library, id: str, *, is_purging: bool = False, wait: float = 0.0
) -> Squashed:
    """Make a new session of what is visible in another, which stays unless it is to be purged."""
    if is_purging:
        with Purging(library, wait) as purging:
            return purging.squash(id)
    with library.open(id, read_only=True) as old:
        made = old.conversation.squash()
        title = tidy_title(f"{old.title} ({WORD})")
        new = _kept(library, made, title, old, is_heir=False)
        raw = len(old.conversation.log)
        return Squashed(id, new, title, len(made.log), raw, False, old.notes)


def bare_meta(session: Session) -> dict[str, Any]:
    """Return what a purged conversation may still say of itself: its title, its tools, its format.

    Whatever else a file said beside its messages may repeat what is to go.
    """
    meta = session.conversation.meta
    formats: dict[str, Any] = {key: {} for key, value in meta.items() if isinstance(value, Mapping)}
    formats.pop("origin", None)
    tools = {"tools": thaw(meta["tools"])} if "tools" in meta else {}
    return {**formats, **tools, "title": session.title}


def _kept(library: Library, made: Conversation, title: str, old: Session, *, is_heir: bool) -> str:
    """Return the id of a new session that is safe on disk; whatever fails, none is left."""
    session = library.create(made, title=title)
    try:
        if not session.is_saved:
            raise StorageError(session.problem or "it can't be saved", field="session")
        details = old.details
        about: dict[str, Any] = {"tags": details.tags}
        if is_heir:
            places = {raw: place for place, raw in enumerate(old.conversation.view)}
            remarks = moved(details.remarks, places)
            about |= {"status": details.status, "note": details.note, "remarks": remarks}
        session.describe(**about)
        session.close()
        wrong = library.verify(session.id) if is_heir else []
        if wrong:
            raise StorageError(f"the new session is not whole: {wrong[0]}", field="session")
    except BaseException:
        session.abandon()
        with suppress(StorageError):
            purge(library, [session.id])
        raise
    return session.id


def _damaged(id: str) -> StorageError:
    return StorageError(
        f"session {id} is damaged, so it is not purged; what could be read is in a new session",
        field="session",
        value=id,
    )


def purge(library: Library, ids: Iterable[str], *, wait: float = 0.0) -> None:
    """Remove sessions for good, wherever they are, and everything that is known of them."""
    with Purging(library, wait) as purging:
        for id in ids:
            purging.remove(id)


def forget(library: Library, ids: Sequence[str]) -> None:
    """Let caches know nothing of sessions any more."""
    library.list()  # Makes the index anew, and sweeps unfinished files away.
    with Catalog(library) as catalog:
        catalog.forget(ids)


class InTrash(NamedTuple):
    """How often patterns are found in deleted sessions, and in how many of them."""

    hits: int
    sessions: int


def in_trash(library: Library, what: Sequence[Pattern]) -> InTrash:
    """Count what patterns find in the trash; a session that can't be read counts as one hit."""
    found = sessions = 0
    for id in library.trash.ids():
        try:
            with library.look_in_trash(id) as session:
                conversation, details = session.conversation, session.details
        except StorageError:
            here = 1
        else:
            here = len(meant(hits(conversation, what)))
            here += sum(what_stays(conversation, what))
            here += count_in(about_texts(details), what)
        found += here
        sessions += here > 0
    return InTrash(found, sessions)
