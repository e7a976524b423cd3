"""Editing sessions: what patterns find is replaced in one after the other, each as a whole.

A verdict was about what was there. Where an accepted session is changed, it goes back to being in
review.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from core.conversation.conversation import Conversation
from core.curation.about import about_texts, moved, renamed
from core.curation.patterns import Pattern
from core.curation.replacing import (
    ReplaceHit,
    Stays,
    hits,
    meant,
    new_places,
    operations,
    what_stays,
)
from core.storage.details import STATUSES
from core.storage.errors import StorageError
from core.storage.library import Library
from core.storage.session import Session
from core.values.roles import ROLES

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
    about: dict[str, Any]
    """Title, tags and notes as they would be, where those change."""
    stays: Stays

    @property
    def goes_back(self) -> bool:
        """Tell whether it was accepted, and would be in review again."""
        return self.status == ACCEPTED and bool(meant(self.hits))


class Replaced(NamedTuple):
    """What became of a session."""

    id: str
    title: str
    hits: int
    messages: int
    tokens_before: int
    tokens_after: int
    goes_back: bool
    about: tuple[str, ...]
    """What of title, tags and notes was changed."""


def settle(session: Session, journal: int) -> bool:
    """Make what was done safe in one write; tell whether an accepted session is in review again.

    ``journal`` is how many records there were before: what changes nothing leaves none.
    """
    is_changed = len(session.conversation.journal) != journal
    goes_back = is_changed and session.details.status == ACCEPTED
    if goes_back:
        session.describe(status=IN_REVIEW)
    else:
        session.sync()
    return goes_back


def look_for(
    library: Library,
    id: str,
    what: Sequence[Pattern],
    roles: Collection[str] = ROLES,
    *,
    with_details: bool = False,
) -> Found:
    """Return what would be replaced in a session, and what would stay; nothing is changed."""
    with library.open(id, read_only=True) as session:
        talk, details = session.conversation, session.details
    found = hits(talk, what, roles)
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
        renamed(details, what) if with_details else {},
        what_stays(talk, what, about_texts(details)),
    )


def _errors(conversation: Conversation) -> int:
    return sum(one.severity == "error" for one in conversation.lint())


def replace_in(
    library: Library,
    id: str,
    what: Sequence[Pattern],
    roles: Collection[str] = ROLES,
    *,
    with_details: bool = False,
    wait: float = 0.0,
) -> Replaced | None:
    """Replace what patterns find in a session, doubts left out; None where there is nothing.

    One in which there is nothing is only read, also while others write it.
    """
    with library.open(id, read_only=True) as seen:
        is_found = bool(meant(hits(seen.conversation, what, roles)))
        if not is_found and not (with_details and renamed(seen.details, what)):
            return None
    with _taken(library, id, wait) as session:
        found = meant(hits(session.conversation, what, roles))
        about = renamed(session.details, what) if with_details else {}
        return _change(session, found, about)


def replace_hits(
    library: Library, id: str, chosen: Sequence[ReplaceHit], *, wait: float = 0.0
) -> Replaced | None:
    """Replace the hits that were chosen of a dry run; refuse them if the session has changed."""
    with _taken(library, id, wait) as session:
        return _change(session, list(chosen), {})


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


def _change(
    session: Session, found: Sequence[ReplaceHit], about: dict[str, Any]
) -> Replaced | None:
    """Change a session in memory, then make all of it safe in one write."""
    if not found and not about:
        return None
    talk, before = session.conversation, session.conversation.tokens.total
    names = tuple(about)
    goes_back = bool(found) and session.details.status == ACCEPTED
    if goes_back:
        about = about | {"status": IN_REVIEW}
    remarks = about.get("remarks", session.details.remarks)
    followed = moved(remarks, new_places(talk, found))
    if followed:
        about = about | {"remarks": (*remarks, *followed)}
    try:
        if found:
            session.change(operations(talk, found))
        if about:
            session.describe(**about)
        else:
            session.sync()
    except BaseException:
        session.abandon()  # What is on disk stays as it was.
        raise
    messages = len({hit.raw for hit in found})
    after = talk.tokens.total
    return Replaced(
        session.id, session.title, len(found), messages, before, after, goes_back, names
    )
