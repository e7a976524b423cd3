"""A frame of the player: the conversation as one record of its journal left it."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from ctxtui.core import Conversation, Revision
from ctxtui.core.engine.diff import Diff
from ctxtui.core.engine.journal import Record
from ctxtui.core.engine.state import State
from ctxtui.models.look import Look


class Frame(Look):
    """A look at what a record left, with the differences to the record before it."""

    def __init__(self, conversation: Conversation, place: int, *, is_still: bool = False) -> None:
        super().__init__(conversation, state=conversation.at_record(place).moment)
        self.place = place
        self.is_still = is_still
        """Whether it is looked at for something that moved nothing after this record."""
        self.last = len(conversation.journal) - 1

    def again(self) -> Frame:
        """Return the same frame with what has come into the conversation."""
        return Frame(self.conversation, self.place, is_still=self.is_still)

    @property
    def record(self) -> Record:
        """Return the record."""
        return self.conversation.journal[self.place]

    @property
    def is_live(self) -> bool:
        """Tell whether the present is shown: what a record left is always looked back at."""
        return False

    @property
    def is_newest(self) -> bool:
        """Tell whether nothing has come after this record."""
        return self.place == self.last

    @property
    def log_size(self) -> int:
        """Return how many messages there were when this was the state of things."""
        return len(self.state.log)

    @cached_property
    def was(self) -> State | None:
        """Return the state that the record before left; None for the first."""
        if self.is_still:
            return self.state
        if self.place == 0:
            return None
        return self.conversation.at_record(self.place - 1).moment

    @cached_property
    def before(self) -> Revision | None:
        """Return the revision that the record before left."""
        return None if self.was is None else self.was.current

    @property
    def before_size(self) -> int:
        """Return how many messages there were before this record."""
        return 0 if self.was is None else len(self.was.log)

    @property
    def change(self) -> Diff | None:
        """Return what the record changed, also for the newest one."""
        return self.difference


def record_of(look: Look) -> int:
    """Return the place of the record that made what is looked at."""
    if isinstance(look, Frame):
        return look.place
    journal, revision = look.conversation.journal, look.revision.id
    return bisect_right(range(len(journal) - 1), revision, key=lambda at: journal[at].revisions)
