"""A look at what one call of a lane sent, told against what the call before had sent."""

from __future__ import annotations

from functools import cached_property

from ctxtui.core import Conversation, Finding, Revision
from ctxtui.models.lane_story import ToldCall
from ctxtui.models.look import Look


class CallLook(Look):
    """What was sent in a call; what came and went is told since the call before."""

    def __init__(self, conversation: Conversation, told: ToldCall) -> None:
        super().__init__(conversation, told.call.revision)
        self.told = told

    @property
    def is_live(self) -> bool:
        """Tell that this is a call: it never is the present, which may go on from it."""
        return False

    @cached_property
    def before(self) -> Revision | None:
        """Return what the call before had sent."""
        return None if self.told.before is None else self.state.revisions[self.told.before]

    def lint(self) -> list[Finding]:
        """Return what a provider may refuse of it; where nothing is, nobody needs to look."""
        if not self.told.errors:
            return []
        return [one for one in super().lint() if one.severity == "error"]

    @property
    def is_linted(self) -> bool:
        """Tell that lint has nothing left to do, or little."""
        return not self.told.errors or super().is_linted
