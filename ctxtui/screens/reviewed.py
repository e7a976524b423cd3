"""A screen of one session: judging it, noting, checking, taking something out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen

from ctxtui.screens.caring import check_session, squash_session
from ctxtui.screens.scene import Scene

if TYPE_CHECKING:
    from core import Conversation
    from core.storage import Session
    from ctxtui.models.look import Look
    from ctxtui.screens.remarking import Remarking
    from ctxtui.screens.reviewing import Reviewing
    from ctxtui.screens.taking_out import TakingOut


class ReviewedScreen(Scene, Screen[None]):
    """What can be done to a session beside changing its conversation."""

    session: Session
    conversation: Conversation
    review: Reviewing
    remarking: Remarking
    taking_out: TakingOut

    @property
    def look(self) -> Look:
        """Return what is looked at."""
        raise NotImplementedError

    def action_judge(self, status: str) -> None:
        """Give a verdict on the session, and go on to the next one without."""
        self.review.judge(status)

    def action_other(self, by: int) -> None:
        """Open the conversation before or behind this one in the library."""
        self.review.other(by)

    def action_note(self) -> None:
        """Ask for a note about the message under the cursor."""
        self.remarking.ask()

    async def action_check(self) -> None:
        """Check every invariant, and say which is broken."""
        await check_session(self)

    def action_squash(self) -> None:
        """Make a session of what is looked at, and open it instead of this one."""
        squash_session(self)

    def action_split(self) -> None:
        """Make two sessions of what is visible: before the message under the cursor, and on."""
        self.review.split()

    def action_export(self) -> None:
        """Ask for a file to write the conversation to."""
        self.taking_out.ask_export()

    def action_record(self) -> None:
        """Ask which batches to record as a recipe, and under which name."""
        self.taking_out.ask_record()
