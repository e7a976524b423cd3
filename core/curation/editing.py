"""Editing sessions: what patterns find is replaced in one after the other, each as a whole.

A verdict was about what was there. Where an accepted session is changed, it goes back to being in
review.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..conversation.conversation import Conversation
from ..storage.details import STATUSES
from ..storage.errors import StorageError
from ..storage.library import Library
from ..storage.session import Session
from ..values.models import ROLES
from .patterns import Pattern
from .replacing import ReplaceHit, Stays, details_changes, meant, new_places, operations, search

IN_REVIEW, ACCEPTED = STATUSES[1], STATUSES[3]


class Found(NamedTuple):
    """What a dry run found in a session."""

    id: str
    title: str
    status: str
    hits: list[ReplaceHit]
    """Everything that was found, doubts among it; the figures are without them."""
    visible: int
    tokens: int
    tokens_after: int
    errors: int
    errors_after: int
    """What lint finds, before and after."""
    stays: Stays

    @property
    def goes_back(self) -> bool:
        """Tell whether it was accepted, and would be in review again."""
        return self.status == ACCEPTED and bool(meant(self.hits))


class Replaced(NamedTuple):
    """What became of a session; one without a hit is as it was."""

    id: str
    title: str
    hits: int
    messages: int
    tokens_before: int
    tokens_after: int
    goes_back: bool
    beside: tuple[str, ...]
    """The places beside the messages where something was replaced, in words."""
    stays: Stays
    """What was found and not replaced, without what stays of the old text in the history."""


def settle(session: Session, journal: int, about: Mapping[str, Any] | None = None) -> bool:
    """Save what was done to a session; return whether an accepted one is in review again.

    ``journal`` is how many records there were before: what changes nothing leaves none. ``about``
    is what changes of title, tags and notes.
    """
    news = dict(about or {})
    is_changed = len(session.conversation.journal) != journal or bool(news)
    goes_back = is_changed and session.details.status == ACCEPTED
    if goes_back:
        news["status"] = IN_REVIEW
    if news:
        session.describe(**news)
    session.save()
    return goes_back


def look_for(
    library: Library,
    id: str,
    what: Sequence[Pattern],
    roles: Collection[str] = ROLES,
    *,
    everywhere: bool = False,
) -> Found:
    """Return what would be replaced in a session, and what would stay; nothing is changed."""
    with library.open(id, read_only=True) as session:
        talk, details = session.conversation, session.details
    found, stays = search(talk, what, roles, everywhere=everywhere, details=details)
    wanted = operations(talk, meant(found))
    after = talk.copy()
    if wanted:
        after.execute(wanted)
    return Found(
        id,
        details.title,
        details.status,
        found,
        len(talk.view),
        talk.tokens.total,
        after.tokens.total,
        _errors(talk) if wanted else 0,
        _errors(after) if wanted else 0,
        stays,
    )


def _errors(conversation: Conversation) -> int:
    return sum(one.severity == "error" for one in conversation.lint())


def replace_in(
    library: Library,
    id: str,
    what: Sequence[Pattern],
    roles: Collection[str] = ROLES,
    *,
    everywhere: bool = False,
    wait: float = 0.0,
) -> Replaced:
    """Replace what patterns find in a session, doubts left out.

    One in which there is nothing is only read, also while others write it.
    """

    def look(session: Session) -> tuple[list[ReplaceHit], Stays]:
        found, stays = search(
            session.conversation, what, roles, everywhere=everywhere, details=session.details
        )
        return meant(found), stays

    with library.open(id, read_only=True) as seen:
        found, stays = look(seen)
        if not found:
            tokens = seen.conversation.tokens.total
            return Replaced(id, seen.title, 0, 0, tokens, tokens, False, (), stays)
    with _taken(library, id, wait) as session:
        return _change(session, lambda: look(session))


def replace_hits(
    library: Library, id: str, chosen: Sequence[ReplaceHit], *, wait: float = 0.0
) -> Replaced:
    """Replace the hits that were chosen of a dry run; refuse them if the session has changed."""
    with _taken(library, id, wait) as session:
        return _change(session, lambda: (list(chosen), Stays()))


def _taken(library: Library, id: str, wait: float) -> Session:
    session = library.open(id, wait=wait)
    if session.id == id:
        return session
    session.close()
    raise StorageError(
        f"session {id} is damaged, so nothing is replaced in it; "
        f"what could be read is in the new session {session.id}",
        field="session",
        value=id,
    )


def change_hits(session: Session, found: Sequence[ReplaceHit]) -> dict[str, Any]:
    """Replace hits in an open session, in memory; return what of title, tags and notes changes.

    ``settle`` makes both safe.
    """
    talk = session.conversation
    about = details_changes(session.details, found, new_places(talk, found))
    asked = operations(talk, found)
    if asked:
        session.change(asked)
    return about


def _change(session: Session, look: Callable[[], tuple[list[ReplaceHit], Stays]]) -> Replaced:
    """Change a session in memory, then make all of it safe in one write."""
    talk, before = session.conversation, session.conversation.tokens.total
    try:
        found, stays = look()
        journal = len(talk.journal)
        goes_back = settle(session, journal, change_hits(session, found))
    except BaseException:
        session.abandon()  # What is on disk stays as it was.
        raise
    messages = len({hit.raw for hit in found if hit.raw is not None})
    beside = tuple(dict.fromkeys(hit.where for hit in found if hit.raw is None))
    after = talk.tokens.total
    return Replaced(
        session.id,
        session.title,
        len(found),
        messages,
        before,
        after,
        goes_back,
        beside,
        stays,
    )
