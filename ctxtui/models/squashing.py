"""Squashing: a new session of what is visible, beside the one it was made from."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Conversation
from ctxtui.core.curation.purging import WORD
from ctxtui.core.storage import Library, Session


def squashed_at(conversation: Conversation, revision: int | None = None) -> Conversation:
    """Return a new conversation of what is visible, now or at another revision.

    The conversation itself stays where it is: a copy of it goes there.
    """
    if revision is None or revision == conversation.current.id:
        return conversation.squash()
    there = conversation.copy()
    there.checkout(revision=revision)
    return there.squash()


def squash_beside(
    library: Library, made: Conversation, title: str, tags: Sequence[str] = ()
) -> Session:
    """Return a session of a squashed conversation, named after the one it comes from.

    Where the disk doesn't let it be saved, it says so (``is_saved``, ``problem``).
    """
    session = library.create(made, title=f"{title} ({WORD})")
    if tags and session.is_saved:
        session.describe(tags=tuple(tags))
    return session
