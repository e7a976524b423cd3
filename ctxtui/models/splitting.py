"""Making two sessions of one: what is visible before a message, and from it on."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core import Conversation, Refused
from ctxtui.core.curation.splitting import split
from ctxtui.core.storage import Library, StorageError
from ctxtui.models.library_steps import Done, made_step
from ctxtui.models.told import done
from ctxtui.words import plural


def split_beside(
    library: Library, conversation: Conversation, raw: int, title: str, tags: Sequence[str]
) -> Done:
    """Make two sessions beside the one that is open, which stays as it is.

    The second begins with the system messages of the first, without which it would be another
    conversation.
    """
    position = conversation.view.position(raw)
    if position is None:
        raise Refused(
            f"raw {raw} is hidden, so nothing can be split there",
            field="position",
            value=raw,
            legal="a visible message",
        )
    made: list[str] = []
    sizes: list[int] = []
    for number, part in enumerate(split(conversation, position, with_system=True), 1):
        session = library.create(part, title=f"{title} ({number} of 2)")
        if not session.is_saved:
            session.abandon()
            raise StorageError(session.problem or "it can't be saved", field="session")
        session.describe(tags=tuple(tags))
        session.close()
        made.append(session.id)
        sizes.append(len(part.log))
    first, second = (plural(size, "message") for size in sizes)
    told = done("Split into two new sessions", f"{first}, and {second}.", ("O", "shows them"))
    return Done(told, tuple(made), made_step(library, made, "split"), must_list=True)
