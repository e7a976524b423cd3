"""The journey of the pointer: in which batch each record of the journal left it."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from ctxtui.core import Conversation
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.journal import Create, Record, Usage
from ctxtui.core.engine.operations import Checkout, Redo, Rollback, Undo
from ctxtui.core.engine.revisions import is_on_way

RECORDS_AT_ONCE = 5_000
"""How many records are looked through without anybody noticing."""
TURNS_BACK = (Rollback, Checkout, Undo)


class Journey:
    """What is known of each record by its place; it grows with the journal and is never made anew.

    ``numbers`` are the batch numbers after each record, ``turned`` tells which record an UNDO or
    REDO turned back or forth.
    """

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.numbers = array("I")
        self.peak = 0
        self.turned: dict[int, int] = {}
        self._revisions = array("I")
        self._turns: list[int] = []
        self._done: list[int] = []
        self._undone: list[int] = []

    def __len__(self) -> int:
        """Return how many records have been looked through."""
        return len(self.numbers)

    @property
    def is_behind(self) -> bool:
        """Tell whether so many records have come that looking through them would be noticed."""
        return len(self.conversation.journal) - len(self) > RECORDS_AT_ONCE

    def catch_up(self) -> None:
        """Take in the records that have come; this may be done in a thread."""
        state, journal = self.conversation.moment, self.conversation.journal
        for place in range(len(self), len(journal)):
            record = journal[place]
            assert record.after is not None
            revision = state.revisions[record.after.revision]
            self._follow(place, record)
            self._revisions.append(revision.id)
            number = state.batches[revision.batch].number
            self.peak = max(self.peak, number)
            self.numbers.append(number)

    def _follow(self, place: int, record: Record) -> None:
        """Keep book of what UNDO and REDO would take, as the conversation does."""
        if any(isinstance(one, TURNS_BACK) for one in record.operations):
            self._turns.append(place)
        match record.operations[0]:
            case Create() | Usage() | Call():
                pass
            case Undo():
                self.turned[place] = self._done.pop()
                self._undone.append(self.turned[place])
            case Redo():
                self.turned[place] = self._undone.pop()
                self._done.append(self.turned[place])
            case _:
                self._done.append(place)
                self._undone.clear()

    def number_before(self, place: int) -> int:
        """Return the batch number before a record."""
        return self.numbers[max(0, place - 1)]

    def next_turn(self, place: int) -> int | None:
        """Return the next record that turns back: a ROLLBACK, CHECKOUT or UNDO."""
        at = bisect_right(self._turns, place)
        return self._turns[at] if at < len(self._turns) else None

    def is_left(self, place: int) -> bool:
        """Tell whether the state after a record is not on the way to now."""
        state = self.conversation.moment
        return not is_on_way(state.revisions, self._revisions[place], state.current)
