"""Splitting: a conversation becomes two, or keeps only what was chosen of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..conversation.conversation import Conversation
from ..conversation.readable import Readable
from ..engine.operations import Select
from ..errors import Refused, out_of_range
from ..storage.details import Details, tidy_title
from ..storage.errors import StorageError
from ..storage.library import Library
from ..values.models import read_number
from .purging import Purging, bare_meta, cleaned, inherited, purge
from .replacing import moved


class Half(NamedTuple):
    """A session that was made of a part of another."""

    id: str
    title: str
    messages: int
    errors: int
    """What lint finds in it; a call may have been parted from its result."""


def halves(conversation: Readable, position: int, *, with_system: bool) -> tuple[list[int], ...]:
    """Return the raw indices of what stands before a visible position, and from it on.

    ``with_system`` lets the second begin with the system messages of the first.
    """
    view = list(conversation.view)
    if not 1 <= read_number(position, "position") < len(view):
        legal = f"1…{len(view) - 1}" if len(view) > 1 else "a conversation of two messages or more"
        raise out_of_range("position", position, legal)
    first, second = view[:position], view[position:]
    shared = [raw for raw in first if conversation.log[raw].role == "system"] if with_system else []
    return first, [*shared, *second]


def split(
    conversation: Conversation, position: int, *, with_system: bool = False
) -> tuple[Conversation, Conversation]:
    """Return two new conversations of what is visible before a position and from it on."""
    first, second = halves(conversation, position, with_system=with_system)
    return conversation.squash(only=first), conversation.squash(only=second)


def split_session(
    library: Library,
    id: str,
    position: int,
    *,
    with_system: bool = False,
    is_purging: bool = False,
    wait: float = 0.0,
) -> tuple[Half, Half]:
    """Make two new sessions of one, which stays unless it is to be purged."""
    with library.open(id, read_only=not is_purging, wait=wait) as old:
        if old.id != id:
            raise StorageError(f"session {id} is damaged, so it is not split", field="session")
        talk, details = old.conversation, old.details
        meta = bare_meta(old) if is_purging else None
        news = cleaned(talk) if is_purging else None
        both = halves(talk, position, with_system=with_system)
        changes = len(talk.journal)
        made: list[Half] = []
        try:
            for number, raws in enumerate(both, 1):
                part = talk.squash(only=raws, meta=meta, instead=news)
                remarks = moved(details.remarks, {raw: at for at, raw in enumerate(raws)})
                about = details._replace(title=f"{old.title} ({number} of 2)", remarks=remarks)
                warnings = inherited(details.warnings, is_purged=is_purging)
                about = about._replace(warnings=warnings)
                made.append(_kept(library, part, about))
        except BaseException:
            purge(library, [half.id for half in made])
            raise
    if is_purging:
        with Purging(library, wait) as purging:
            purging.hand_over(id, changes, [half.id for half in made])
    return made[0], made[1]


def _kept(library: Library, part: Conversation, about: Details) -> Half:
    session = library.create(part, title=tidy_title(about.title), warnings=about.warnings)
    if not session.is_saved:
        session.abandon()
        raise StorageError(session.problem or "it can't be saved", field="session")
    session.describe(tags=about.tags, remarks=about.remarks)
    session.close()
    errors = sum(one.severity == "error" for one in part.lint())
    return Half(session.id, session.title, len(part.log), errors)


def keep_only(conversation: Readable, raws: Iterable[int]) -> Select:
    """Return the operation that hides everything but some visible messages, in their order."""
    wanted = set(raws)
    kept = [raw for raw in conversation.view if raw in wanted]
    if not kept:
        raise Refused(
            "nothing that is visible is selected, so nothing can be kept",
            field="selection",
            legal="one visible message or more",
        )
    return Select(indices=kept)
