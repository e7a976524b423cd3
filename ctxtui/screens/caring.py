"""Care for a session: is it whole, and what would it be without its history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ctxtui.messages import OpenSquashed
from ctxtui.models.told import done, failed
from ctxtui.telling import tell
from ctxtui.words import plural

if TYPE_CHECKING:
    from ctxtui.screens.reviewed import ReviewedScreen

MOST_SENTENCES = 3
"""How many broken invariants a notice names; there is hardly ever one."""


async def check_session(screen: ReviewedScreen) -> None:
    """Check every invariant of a session, and say which is broken."""
    conversation = screen.conversation
    broken = await asyncio.to_thread(conversation.check)
    if broken:
        rest = len(broken) - MOST_SENTENCES
        more = [f"and {rest:,} more: ctxtui check tells all"] if rest > 0 else []
        told = "; ".join([*broken[:MOST_SENTENCES], *more])
        tell(screen, failed(plural(len(broken), "broken invariant"), f"{told}."))
    else:
        messages = plural(len(conversation.log), "message")
        told = f"{messages}, {plural(len(conversation.revisions), 'revision')}."
        tell(screen, done("Every invariant holds", told))


def squash_session(screen: ReviewedScreen) -> None:
    """Ask for a session of what is looked at, to be opened instead of this one."""
    look, session = screen.look, screen.session
    tags = session.details.tags
    ask = OpenSquashed(screen.conversation, look.revision.id, session.title, tags)
    screen.post_message(ask)
